"""What spread offers through the web door; each handler names the right it asks for."""

from litestar.handlers import HTTPRouteHandler

from holdfast.items.api import blocks, boards, claims, headquarters, projects, targets

handlers: list[HTTPRouteHandler] = [
    *projects.handlers,
    *boards.handlers,
    *claims.handlers,
    *targets.handlers,
    *blocks.handlers,
    *headquarters.handlers,
]

__all__ = ["handlers"]
