"""Every refusal of the web door, told as application/problem+json (RFC 9457)."""

import re
from http import HTTPStatus
from typing import Any

import msgspec
from litestar import Request, Response
from litestar.enums import ScopeType
from litestar.exceptions import (
    HTTPException,
    MethodNotAllowedException,
    NotAuthorizedException,
    PermissionDeniedException,
)
from litestar.types import Scope, Send

from holdfast.errors import (
    ConflictError,
    HoldfastError,
    InvalidError,
    NotFoundError,
    RefusedError,
    UnavailableError,
)

MEDIA_TYPE = "application/problem+json"
RETRY_SECONDS = 2
AT = re.compile(r" - at `\$?\.?(?P<field>[^`]*)`$")


class NobodyError(RefusedError):
    """Nobody who is known to us asks; signing in helps."""


class ForgedError(RefusedError):
    """The request may come from a page that is not ours."""


class ThrottledError(RefusedError):
    """Too many attempts; waiting helps."""

    def __init__(self, sentence: str, *, retry_after: int) -> None:
        super().__init__(sentence)
        self.retry_after = retry_after


class NulError(InvalidError):
    """A NUL character is in the address; nothing that we keep has one in its name."""

    def __init__(self) -> None:
        super().__init__("There is a NUL character (%00) in this address; leave it out.")


class FieldProblem(msgspec.Struct, frozen=True):
    field: str
    detail: str


class Problem(msgspec.Struct, frozen=True, omit_defaults=True):
    """What went wrong, in one sentence that says what to do about it."""

    title: str
    status: int
    detail: str
    code: str
    """A short word for programs."""
    request_id: str
    """The id under which the logs tell about this request."""
    type: str = "about:blank"
    errors: list[FieldProblem] = []
    """The fields that are wrong, if the request was."""


KINDS: dict[type[HoldfastError], tuple[int, str]] = {
    NobodyError: (401, "nobody"),
    ThrottledError: (429, "throttled"),
    ForgedError: (403, "forged"),
    RefusedError: (403, "refused"),
    NotFoundError: (404, "not_found"),
    ConflictError: (409, "conflict"),
    InvalidError: (400, "invalid"),
    UnavailableError: (503, "unavailable"),
}
CODES = {400: "invalid", 404: "not_found", 405: "method", 413: "too_large", 415: "media_type"}
SENTENCES = {
    404: "There is nothing at this address; /api/v1/openapi.json lists what there is.",
    405: "This address does not take that method; the Allow header says which it takes.",
    413: "The body is larger than this address takes; send less.",
    415: "This address takes JSON; send Content-Type: application/json.",
    500: "Something failed inside Holdfast; the logs tell more under this request id.",
}


def problem(error: Exception, request_id: str) -> tuple[Problem, dict[str, str], dict[str, Any]]:
    """An error as it is told: the problem, extra headers, extra members."""
    if isinstance(error, HoldfastError):
        return _told(error, request_id)
    if isinstance(error, HTTPException) and error.status_code < 500:
        return _of_request(error, request_id)
    return _problem(500, "fault", SENTENCES[500], request_id), {}, {}


def _told(error: HoldfastError, request_id: str) -> tuple[Problem, dict[str, str], dict[str, Any]]:
    status, code = next((KINDS[kind] for kind in type(error).__mro__ if kind in KINDS), (500, "fault"))
    headers = {}
    if isinstance(error, ThrottledError):
        headers["Retry-After"] = str(error.retry_after)
    elif status == 503:
        headers["Retry-After"] = str(RETRY_SECONDS)
    elif status == 401:
        headers["WWW-Authenticate"] = 'Bearer realm="holdfast"'
    return _problem(status, code, str(error), request_id), headers, dict(getattr(error, "extra", None) or {})


def _of_request(error: HTTPException, request_id: str) -> tuple[Problem, dict[str, str], dict[str, Any]]:
    """What Litestar says of a request that cannot be read, in our words."""
    status, detail = error.status_code, error.detail
    errors: list[FieldProblem] = []
    headers = {}
    if isinstance(error, MethodNotAllowedException):
        headers["Allow"] = (error.headers or {}).get("allow", "")
    if isinstance(error, NotAuthorizedException | PermissionDeniedException) or status in SENTENCES:
        detail = SENTENCES.get(status, detail)
    else:
        errors = _fields(error)
        detail = "; ".join(f"{each.field}: {each.detail}" for each in errors) or detail
    return _problem(status, CODES.get(status, "invalid"), detail, request_id, errors), headers, {}


def _fields(error: HTTPException) -> list[FieldProblem]:
    """Which fields are wrong: Litestar lists parameters, msgspec names the place inside a body."""
    listed = error.extra if isinstance(error.extra, list) else []
    found = [
        FieldProblem(str(each.get("key", each.get("source", "body"))), str(each.get("message", "")))
        for each in listed
        if isinstance(each, dict)
    ]
    if found:
        return found
    detail = str(error.__cause__ or error.detail)
    if place := AT.search(detail):
        return [FieldProblem(place["field"] or "body", detail[: place.start()])]
    return []


def _problem(
    status: int, code: str, detail: str, request_id: str, errors: list[FieldProblem] | None = None
) -> Problem:
    return Problem(HTTPStatus(status).phrase, status, detail, code, request_id, errors=errors or [])


def encode(told: Problem, extra: dict[str, Any]) -> bytes:
    return msgspec.json.encode({**extra, **msgspec.to_builtins(told), "type": told.type})


def respond(request: Request[Any, Any, Any], error: Exception) -> Response[bytes]:
    told, headers, extra = problem(error, request.scope["state"]["request_id"])
    return Response(encode(told, extra), status_code=told.status, headers=headers, media_type=MEDIA_TYPE)


async def send(scope: Scope, send: Send, error: Exception) -> None:
    """Tell an error outside of the framework: to the pages, and when the framework itself failed."""
    if scope["type"] == ScopeType.WEBSOCKET:
        await send({"type": "websocket.close", "code": 1011, "reason": "failed"})
        return
    told, headers, extra = problem(error, scope["state"]["request_id"])
    body = encode(told, extra)
    listed = {**headers, "Content-Type": MEDIA_TYPE, "Content-Length": str(len(body))}
    encoded = [(name.lower().encode(), value.encode()) for name, value in listed.items()]
    await send({"type": "http.response.start", "status": told.status, "headers": encoded})
    await send({"type": "http.response.body", "body": body, "more_body": False})
