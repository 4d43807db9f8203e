"""What the tracker offers through the web door; each handler names the right it asks for."""

from litestar.handlers import HTTPRouteHandler

from holdfast.tracker.api import indexes, participations, reports, swarm, whole

handlers: list[HTTPRouteHandler] = [
    *swarm.handlers,
    *participations.handlers,
    *reports.handlers,
    *whole.handlers,
    *indexes.handlers,
]

__all__ = ["handlers"]
