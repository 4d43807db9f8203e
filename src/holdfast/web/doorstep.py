"""The outermost step: here every request gets its id, address, headers, log line and place in the figures."""

from dataclasses import dataclass
from typing import cast

import structlog
from litestar.datastructures import Headers
from litestar.enums import ScopeType
from litestar.types import ASGIApp, Message, Receive, Scope, Send

from holdfast.items.machine import Machine
from holdfast.observe.metrics import OTHER
from holdfast.observe.request_id import accept_request_id
from holdfast.web import problems, rules
from holdfast.web.door import Web
from holdfast.web.figures import PAGES, Figures
from holdfast.wire import forwarded

log = structlog.get_logger()

API = ("/api/", "/health/", "/metrics")
QUIET = frozenset({"/health/live", "/health/ready", "/metrics"})
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'{socket}; font-src 'self'; manifest-src 'self'; base-uri 'none'; "
    "form-action 'self'; frame-ancestors 'none'"
)
HEADERS = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
)
HSTS = (b"strict-transport-security", b"max-age=31536000")
# What the log calls a request whose client left before it was answered.
UNANSWERED = 499


@dataclass
class Visit:
    """One request on its way through the door."""

    request_id: str
    began: float
    headers: tuple[tuple[bytes, bytes], ...]
    api: bool
    send: Send
    status: int = 0
    operation: str = ""

    async def answer(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            given = list(message.get("headers", ()))
            # What the API answers is for the one who asked, at that moment.
            if self.api and not any(name.lower() == b"cache-control" for name, _ in given):
                given.append((b"cache-control", b"no-store"))
            names = {name for name, _ in given}
            message["headers"] = [*given, *(pair for pair in self.headers if pair[0] not in names)]
        elif message["type"] == "websocket.accept":
            self.status = 101
        elif message["type"] == "websocket.close" and not self.status:
            self.status = 403
        await self.send(message)


class Doorstep:
    """Lets what is below /api, /health and /metrics through to the API, and everything else to the pages."""

    def __init__(self, web: Web, figures: Figures, api: ASGIApp, pages: ASGIApp, machine: Machine) -> None:
        self._clock = web.clock
        self._figures = figures
        self._api = api
        self._pages = pages
        self._machine = machine
        self._trusted = forwarded.networks(web.settings.web.trusted_proxies)
        self._secure = web.addresses.secure

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        visit = self._visit(scope, send)
        structlog.contextvars.bind_contextvars(request_id=visit.request_id)
        app = self._api if visit.api else self._pages
        call = self._machine.wants(scope, api=visit.api)
        try:
            # Volunteers' programs part items by NUL, and say so in the query.
            if "\0" in scope["path"] or (call is None and b"%00" in scope["query_string"]):
                await problems.send(scope, visit.answer, problems.NulError())
            elif call is not None:
                visit.operation = f"volunteers {call.verb}"
                await self._machine.serve(call, scope, receive, visit.answer)
            else:
                await app(scope, receive, visit.answer)
        except Exception as error:
            # The framework answers errors itself; what still arrives here broke an answer under way.
            log.exception("answer broken off", path=scope["path"])
            if not visit.status:
                await problems.send(scope, visit.answer, error)
        finally:
            self._close(visit, scope)

    def _visit(self, scope: Scope, send: Send) -> Visit:
        headers = Headers.from_scope(scope)
        peer = client[0] if (client := scope.get("client")) else None
        believed = forwarded.is_trusted(peer, self._trusted)
        if believed and headers.get("x-forwarded-proto") in ("http", "https"):
            scope["scheme"] = headers["x-forwarded-proto"]
        request_id = accept_request_id(headers.get("x-request-id"))
        address = forwarded.client_address(peer, headers.getall("x-forwarded-for", []), self._trusted)
        scope["state"] = {"request_id": request_id, "address": address}
        secure = self._secure or scope["scheme"] in ("https", "wss")
        answered = (*_headers(headers.get("host", ""), secure=secure), (b"x-request-id", request_id.encode()))
        return Visit(request_id, self._clock.steady(), answered, scope["path"].startswith(API), send)

    def _close(self, visit: Visit, scope: Scope) -> None:
        seconds = self._clock.steady() - visit.began
        status = visit.status or UNANSWERED
        method = scope.get("method", "WEBSOCKET")
        template = cast("str | None", scope.get("path_template"))
        # An open feed has no duration worth a place beside those of requests.
        if scope["type"] == ScopeType.HTTP:
            operation = visit.operation or (
                PAGES if not visit.api else OTHER if template is None else f"{method} {template}"
            )
            self._figures.request(operation, status, seconds)
        actor = scope["state"].get("actor")
        say = log.debug if scope["path"] in QUIET or visit.operation else log.info
        say(
            "request",
            method=method,
            path=scope["path"],
            status=status,
            ms=round(seconds * 1000, 1),
            actor=actor.name if actor is not None else None,
            address=scope["state"]["address"],
        )


def _headers(host: str, *, secure: bool) -> tuple[tuple[bytes, bytes], ...]:
    # Safari counts a websocket to the same host as another origin unless it is named.
    socket = f" {'wss' if secure else 'ws'}://{host}" if rules.HOST.fullmatch(host) else ""
    policy = (b"content-security-policy", POLICY.format(socket=socket).encode())
    return (policy, *HEADERS, *((HSTS,) if secure else ()))
