"""Who asks: every request to the API passes here, and nothing is served that does not say who may have it."""

from typing import Any, TypeAlias

import structlog
from litestar import Litestar, Request
from litestar.connection import ASGIConnection
from litestar.enums import ScopeType
from litestar.exceptions import ClientException, ImproperlyConfiguredException
from litestar.handlers import BaseRouteHandler
from litestar.handlers.http_handlers import HTTPRouteHandler
from litestar.types import Scope as AsgiScope

from holdfast.catalogue.model import Actor, Door, Role, Scope
from holdfast.catalogue.rules import MAY, require
from holdfast.errors import InvalidError, NotFoundError, UnavailableError
from holdfast.web import rules
from holdfast.web.access import rules as access
from holdfast.web.access import store
from holdfast.web.access.model import Owner
from holdfast.web.door import Web
from holdfast.web.problems import ForgedError, NobodyError

log = structlog.get_logger()

COOKIE = "holdfast_session"
COMMAND_LINE = "operator at the command line"
LARGEST_ID = 2**63 - 1
JSON = "application/json"
NOBODY = "You are not signed in, or no longer; sign in and try again."
BAD_TOKEN = "This token is unknown, expired or revoked; make a new one on your own page."  # noqa: S105

Connection: TypeAlias = ASGIConnection[Any, Any, Any, Any]


class Identity:
    """The guard before every handler. A handler's `opt` names an action of `rules.MAY`, or says `public`."""

    def __init__(self, web: Web) -> None:
        self._web = web

    async def admit(self, connection: Connection, handler: BaseRouteHandler) -> None:
        method = connection.scope.get("method", "GET")
        if method == "OPTIONS":
            return
        _in_range(connection)
        if method not in rules.SAFE or connection.scope["type"] == ScopeType.WEBSOCKET:
            self._same_site(connection)
        if method not in rules.SAFE:
            _content_type(connection, handler)
        if handler.opt.get("public"):
            return
        actor = await self.who(connection, unsafe=method not in rules.SAFE)
        connection.scope["state"]["actor"] = actor
        if not handler.opt.get("own"):
            require(actor, handler.opt["may"])

    async def who(self, connection: Connection, *, unsafe: bool = False) -> Actor:
        authorization = connection.headers.get("authorization")
        if authorization is not None:
            return await self._by_token(connection, rules.bearer(authorization))
        cookie = connection.cookies.get(COOKIE)
        if cookie is None:
            raise NobodyError(NOBODY)
        actor = await self._by_session(connection, cookie)
        given = connection.headers.get("x-csrf-token", "")
        if unsafe and not access.same(given, access.csrf_of(cookie)):
            raise ForgedError("This page is out of date; load it again and repeat what you did.")
        return actor

    async def _by_token(self, connection: Connection, token: str | None) -> Actor:
        if token is None:
            raise NobodyError(BAD_TOKEN)
        digest = access.digest(token)
        expected = self._web.operator_token_hash
        if expected is not None and access.same(digest, expected):
            return _actor(connection, Door.CLI, None, COMMAND_LINE, frozenset(Role), frozenset(Scope))
        if not access.TOKEN.fullmatch(token):
            raise NobodyError(BAD_TOKEN)
        now = self._web.clock.now()
        owner = await self._web.records.read(lambda tx: store.token_owner(tx, digest, now))
        if owner is None or not owner.enabled:
            raise NobodyError(BAD_TOKEN)
        if access.worth_noting(owner.last_used, now):
            await self._note(owner, by_token=True)
        connection.scope["state"]["secret"] = f"token:{owner.secret_id}"
        return _actor(connection, Door.API, owner.member_id, owner.name, owner.roles, owner.scopes)

    async def _by_session(self, connection: Connection, cookie: str) -> Actor:
        if not access.SECRET.fullmatch(cookie):
            raise NobodyError(NOBODY)
        digest, now = access.digest(cookie), self._web.clock.now()
        owner = await self._web.records.read(lambda tx: store.session_owner(tx, digest, now))
        if owner is None or not owner.enabled:
            raise NobodyError(NOBODY)
        if access.worth_noting(owner.last_used, now):
            await self._note(owner, by_token=False)
        connection.scope["state"]["session_id"] = owner.secret_id
        connection.scope["state"]["secret"] = f"session:{owner.secret_id}"
        return _actor(connection, Door.PAGE, owner.member_id, owner.name, owner.roles, owner.scopes)

    async def _note(self, owner: Owner, *, by_token: bool) -> None:
        """Reading must go on even where nothing can be written, as on a full disk."""
        now, lifetime = self._web.clock.now(), self._web.settings.web.session_lifetime
        try:
            if by_token:
                await self._web.records.write(lambda tx: store.note_token(tx, now, owner))
            else:
                await self._web.records.write(lambda tx: store.note_session(tx, now, owner, lifetime))
        except UnavailableError as error:
            log.warning("last use not noted", reason=str(error))

    def _same_site(self, connection: Connection) -> None:
        """Also for those who have no session yet: nobody may be signed in by another site's page."""
        if "authorization" in connection.headers:
            return
        if not rules.is_ours(connection.headers, self._web.settings.web.public_url):
            raise ForgedError("This was sent by a page of another site; use the pages of Holdfast itself.")


def actor_of(scope: AsgiScope) -> Actor:
    """The dependency `actor` of every handler."""
    actor: Actor = scope["state"]["actor"]
    return actor


def stranger(connection: Connection, name: str = "somebody", member_id: int | None = None) -> Actor:
    """Who acts before anybody is known: the door and the address are all there is."""
    return _actor(connection, Door.PAGE, member_id, name, frozenset(), frozenset())


def session_key(connection: Connection) -> str:
    """By what the feeds of one session, or of one token, are counted and closed together."""
    state = connection.scope["state"]
    return str(state.get("secret", "command line"))


def check_all(app: Litestar) -> None:
    """Refuse to start with a route that somebody forgot to guard."""
    for route in app.routes:
        for handler in getattr(route, "route_handlers", None) or [route.route_handler]:  # type: ignore[union-attr]
            if isinstance(handler, HTTPRouteHandler) and handler.http_methods == {"OPTIONS"}:
                continue
            if not handler.opt.get("public") and handler.opt.get("may") not in MAY:
                raise ImproperlyConfiguredException(f"{route.path} does not say who may use it (opt `may`)")


def _actor(
    connection: Connection,
    door: Door,
    member_id: int | None,
    name: str,
    roles: frozenset[Role],
    scopes: frozenset[Scope],
) -> Actor:
    state = connection.scope["state"]
    return Actor(member_id, name, door, state["address"], state["request_id"], roles, scopes)


def _in_range(connection: Connection) -> None:
    """No id is wider than 64 bits; databases would fail on one that is."""
    given: dict[str, object] = connection.scope.get("path_params", {})  # type: ignore[assignment]
    for value in given.values():
        if isinstance(value, int) and not 0 <= value <= LARGEST_ID:
            raise NotFoundError(f"There is nothing with the id {str(value)[:40]}.")


def _content_type(connection: Connection, handler: BaseRouteHandler) -> None:
    """A form of another site can send text and forms, but not JSON; so nothing else is read as JSON."""
    given = connection.headers.get("content-type", "").partition(";")[0].strip().lower()
    if "data" in handler.parsed_fn_signature.parameters and given != JSON:
        raise ClientException(status_code=415)


class DoorRequest(Request):  # type: ignore[type-arg]
    """A request whose body cannot trip the databases behind it."""

    async def json(self) -> object:
        if access.HOLDS_NUL.search(await self.body()):
            raise InvalidError("A text in this body holds a NUL character; leave it out.")
        try:
            return await super().json()
        except UnicodeDecodeError as error:
            raise InvalidError("This body is not UTF-8; encode it so.") from error
        except RecursionError as error:
            raise InvalidError("This body is nested too deeply to be read; send less of it.") from error
