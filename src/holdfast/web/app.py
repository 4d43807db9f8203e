"""The web door put together: every handler behind one guard, inside the doorstep, beside the pages."""

from collections.abc import Iterator
from typing import Any

import msgspec
import structlog
from litestar import Litestar, Request, Response, Router, get
from litestar.di import Provide
from litestar.handlers import BaseRouteHandler
from litestar.types import ASGIApp

from holdfast.catalogue import api as catalogue
from holdfast.items import api as items
from holdfast.items.machine import Machine
from holdfast.tracker import api as tracker
from holdfast.tracker.limits import limits_of
from holdfast.web import feed_socket, health, openapi, overview, problems, system
from holdfast.web.access import api as access
from holdfast.web.access import tokens
from holdfast.web.door import Web
from holdfast.web.doorstep import Doorstep
from holdfast.web.figures import Figures
from holdfast.web.identity import DoorRequest, Identity, actor_of, check_all
from holdfast.web.pages import Pages

log = structlog.get_logger()

BASE = "/api/v1"
BODY_MOST = 1 << 20


def create_app(web: Web) -> Litestar:
    """The API alone; `create_door` puts it where requests come in."""
    limits = limits_of(web.settings.tracker)
    app = Litestar(
        [_api(web), *health.handlers],
        dependencies={
            "actor": Provide(actor_of, sync_to_thread=False),
            "web": Provide(lambda: web, sync_to_thread=False),
            "catalogue": Provide(lambda: web.catalogue, sync_to_thread=False),
            "folder": Provide(lambda: web.settings.data, sync_to_thread=False),
            "live": Provide(lambda: web.live, sync_to_thread=False),
            "limits": Provide(lambda: limits, sync_to_thread=False),
        },
        exception_handlers={Exception: _refuse},
        guards=[Identity(web).admit],
        request_class=DoorRequest,
        request_max_body_size=BODY_MOST,
        openapi_config=openapi.config(),
        logging_config=None,
        debug=False,
    )
    check_all(app)
    return app


def create_door(web: Web) -> ASGIApp:
    """What a server serves."""
    app = create_app(web)
    machine = Machine(web.projects, web.records, web.live, web.clock, web.herald, web.addresses.web)
    return Doorstep(web, Figures(web.metrics, _operations(app)), app, Pages(web.static), machine)


def _api(web: Web) -> Router:
    everything: list[BaseRouteHandler] = [
        *catalogue.handlers,
        *tracker.handlers,
        *items.handlers,
        *access.handlers,
        *tokens.handlers,
        *overview.handlers,
        *system.handlers,
        feed_socket.live,
        _description(),
    ]
    # A body that is read as it comes is a torrent, which may be larger than what others have to say.
    raw = [handler for handler in everything if handler in catalogue.handlers and _reads_raw(handler)]
    others = [handler for handler in everything if handler not in raw]
    large = Router("/", route_handlers=raw, request_max_body_size=web.settings.catalogue.torrent_limit)
    return Router(BASE, route_handlers=[*others, large])


def _reads_raw(handler: BaseRouteHandler) -> bool:
    return "request" in handler.fn.__annotations__


def _description() -> BaseRouteHandler:
    described: list[bytes] = []

    @get("/openapi.json", public=True, include_in_schema=False, sync_to_thread=False)
    def description(request: Request[Any, Any, Any]) -> Response[bytes]:
        """Made at the first request, for it takes longer than a start should."""
        if not described:
            described.append(msgspec.json.encode(openapi.describe(request.app)))
        return Response(described[0], media_type="application/json", headers={"Cache-Control": "no-cache"})

    return description


def _operations(app: Litestar) -> Iterator[str]:
    for route in app.routes:
        if not route.path.startswith(openapi.UNREACHED):
            for method in sorted(getattr(route, "methods", ())):
                yield f"{method} {route.path_format}"


def _refuse(request: Request[Any, Any, Any], error: Exception) -> Response[bytes]:
    response = problems.respond(request, error)
    if response.status_code == 500:
        log.error("request failed", path=request.scope["path"], exc_info=error)
    return response
