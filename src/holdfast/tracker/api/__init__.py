"""What the tracker offers through the web door; each handler names the right it asks for."""

from litestar.handlers import HTTPRouteHandler

from holdfast.tracker.api import participations, swarm, whole

handlers: list[HTTPRouteHandler] = [*swarm.handlers, *participations.handlers, *whole.handlers]

__all__ = ["handlers"]
