"""The API's description of itself: OpenAPI 3.1, with what every operation has in common said in one place."""

from typing import Any

from litestar import Litestar
from litestar.openapi.config import OpenAPIConfig
from litestar.openapi.plugins import JsonRenderPlugin
from litestar.openapi.spec import Components, SecurityScheme
from litestar.router import Router

from holdfast import __version__
from holdfast.catalogue.rules import MAY
from holdfast.web.identity import COOKIE
from holdfast.web.problems import MEDIA_TYPE

ABOUT = (
    "People sign in and send the cookie, with X-CSRF-Token on everything but GET; machines send a token as "
    "`Authorization: Bearer hf_…`. Lists come in pages: pass `next` back as `cursor`. Errors are "
    "application/problem+json. Times are seconds since 1970. The live feed is a websocket at /api/v1/live."
)
SCHEMES = {
    "session": SecurityScheme(type="apiKey", name=COOKIE, security_scheme_in="cookie"),
    "token": SecurityScheme(type="http", scheme="bearer", bearer_format="hf_…"),
}
PROBLEMS = {
    "400": "What was sent makes no sense; `errors` names the fields.",
    "401": "Nobody is signed in, or the token is not good.",
    "403": "Whoever asks may not do this.",
    "404": "The thing named does not exist.",
    "409": "It exists already, or is not in a state that allows this.",
    "413": "The body is too large.",
    "415": "The body is of another content type.",
    "429": "Too many attempts; Retry-After says how long to wait.",
    "503": "A store is away; Retry-After says when to try again.",
}
SCHEMA = {
    "type": "object",
    "title": "Problem",
    "required": ["type", "title", "status", "detail", "code", "request_id"],
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string", "description": "One sentence that says what happened and what to do."},
        "code": {"type": "string", "description": "A short word for programs."},
        "request_id": {"type": "string", "description": "Under this id the logs tell more."},
        "errors": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["field", "detail"],
                "properties": {"field": {"type": "string"}, "detail": {"type": "string"}},
            },
        },
    },
}
# Litestar serves its own rendering below this path, which the doorstep never lets through.
UNREACHED = "/described"
# Bodies that a handler reads as they come, which Litestar cannot see.
RAW_BODIES = {
    ("/api/v1/uploads", "post"): "application/x-bittorrent",
    ("/api/v1/uploads/import", "post"): "application/x-bittorrent",
}


def config() -> OpenAPIConfig:
    return OpenAPIConfig(
        title="Holdfast",
        version=__version__,
        description=ABOUT,
        components=Components(security_schemes=dict(SCHEMES)),
        use_handler_docstrings=True,
        render_plugins=[JsonRenderPlugin()],
        openapi_router=Router(UNREACHED, route_handlers=[], include_in_schema=False, opt={"public": True}),
    )


def describe(app: Litestar) -> dict[str, Any]:
    """The description, completed by what Litestar cannot know."""
    described: dict[str, Any] = app.openapi_schema.to_schema()
    described["components"]["schemas"]["Problem"] = SCHEMA
    described["components"]["responses"] = {"Problem": _response("Something went wrong.")}
    for route in app.routes:
        for handler in getattr(route, "route_handlers", []):
            operations = described["paths"].get(route.path_format, {})
            for method in handler.http_methods:
                if method.lower() in operations:
                    _complete(operations[method.lower()], handler.opt, method)
                    _close_body(described, operations[method.lower()])
    for (path, method), kind in RAW_BODIES.items():
        body = {"required": True, "content": {kind: {"schema": {"type": "string", "format": "binary"}}}}
        described["paths"][path][method]["requestBody"] = body
    return described


def _complete(operation: dict[str, Any], opt: dict[str, Any], method: str) -> None:
    told = {"400", "503"}
    if opt.get("public"):
        operation["security"] = []
        told |= {"401", "404", "429"} if method == "POST" else set()
    else:
        operation["security"] = [{"session": []}, {"token": []}]
        told |= {"401", "403", "404"}
        roles, scope = MAY[opt["may"]]
        rights = f"For {', '.join(sorted(roles))}; a token needs the scope `{scope}`."
        operation["description"] = "\n\n".join(filter(None, (operation.get("description"), rights)))
    if method != "GET":
        told |= {"403", "409", "413", "415"}
    kept = {code: answer for code, answer in operation["responses"].items() if code != "400"}
    for code in sorted(told - kept.keys()):
        kept[code] = _response(PROBLEMS[code])
    operation["responses"] = {**kept, "default": {"$ref": "#/components/responses/Problem"}}


def _close_body(described: dict[str, Any], operation: dict[str, Any]) -> None:
    """Every body refuses fields that it does not know, which Litestar does not say."""
    content = operation.get("requestBody", {}).get("content", {}).values()
    for name in (
        media["schema"]["$ref"].rpartition("/")[2] for media in content if "$ref" in media["schema"]
    ):
        described["components"]["schemas"][name]["additionalProperties"] = False


def _response(description: str) -> dict[str, Any]:
    return {
        "description": description,
        "content": {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}},
    }
