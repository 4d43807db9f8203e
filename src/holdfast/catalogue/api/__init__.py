"""What the catalogue offers through the web door; each handler names the right it asks for."""

from litestar.handlers import HTTPRouteHandler

from holdfast.catalogue.api import audit, freeleech, imports, members, notices, points, uploads, whitelist

handlers: list[HTTPRouteHandler] = [
    *members.handlers,
    *imports.handlers,
    *points.handlers,
    *uploads.handlers,
    *whitelist.handlers,
    *freeleech.handlers,
    *notices.handlers,
    *audit.handlers,
]

__all__ = ["handlers"]
