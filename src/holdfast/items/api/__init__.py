"""What spread offers through the web door; each handler names the right it asks for."""

from litestar.handlers import HTTPRouteHandler

from holdfast.items.api import projects

handlers: list[HTTPRouteHandler] = [*projects.handlers]

__all__ = ["handlers"]
