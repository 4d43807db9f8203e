"""Getting in and out through the web door: sessions and one-time links."""

import secrets
from collections.abc import Callable
from typing import Annotated, Any

import msgspec
from litestar import Request, Response, delete, get, post, put
from litestar.datastructures import Cookie
from litestar.di import NamedDependency
from litestar.handlers import HTTPRouteHandler
from litestar.params import JSONBody, PathParameter
from sqlalchemy import Connection

from holdfast.api import DEFAULT_LIMIT, Cursor, Limit, Who
from holdfast.catalogue.model import Actor, Door, Member, Page
from holdfast.catalogue.store import audit, members
from holdfast.errors import InvalidError, RefusedError
from holdfast.web.access import links, rules, store
from holdfast.web.access.model import Credentials, Link, Purpose, Session
from holdfast.web.door import Web
from holdfast.web.identity import COOKIE, session_key, stranger
from holdfast.web.problems import NobodyError

Asked = Request[Any, Any, Any]
Number = Annotated[int, PathParameter(ge=1, le=2**63 - 1)]
Name = Annotated[str, msgspec.Meta(min_length=1, max_length=64)]
Password = Annotated[str, msgspec.Meta(max_length=rules.PASSWORD_MOST)]
Secret = Annotated[str, msgspec.Meta(max_length=128)]
TAGS = ["getting in"]
WRONG = "This name and password do not fit together; try again, or ask an operator for a sign-in link."
DISABLED = "Your account is disabled; ask an operator."


class SignIn(msgspec.Struct, forbid_unknown_fields=True):
    name: Name
    password: Password


class LinkLook(msgspec.Struct, forbid_unknown_fields=True):
    token: Secret


class LinkUse(msgspec.Struct, forbid_unknown_fields=True):
    """The first operator chooses a name and a password; a member may set a password."""

    token: Secret
    name: Name | None = None
    password: Password | None = None


class NewPassword(msgspec.Struct, forbid_unknown_fields=True):
    """`current` is null for who has none yet."""

    new: Password
    current: Password | None = None


class SignedIn(msgspec.Struct, frozen=True):
    member: Member
    csrf: str | None
    """To be sent as X-CSRF-Token with everything but GET; null for tokens, which need none."""
    community: str


class LinkSeen(msgspec.Struct, frozen=True):
    purpose: Purpose
    name: str | None
    expires: float
    needs_password: bool
    """Whether a password must be chosen to use the link."""


class SignInLink(msgspec.Struct, frozen=True):
    sign_in_link: str
    expires: float


class FirstLink(msgspec.Struct, frozen=True):
    sign_in_link: str | None
    """Null once there is an operator."""
    expires: float | None


def itself(actor: Actor) -> int:
    """Whose sessions, tokens and password these are."""
    if actor.member_id is None:
        raise InvalidError(
            "The command line's own token belongs to no member; sign in, or use a member's token."
        )
    return actor.member_id


@get("/session", may="overview.read", summary="Show who is signed in", tags=TAGS)
async def show_session(request: Asked, actor: NamedDependency[Actor], web: NamedDependency[Web]) -> SignedIn:
    member_id = itself(actor)
    cookie = request.cookies.get(COOKIE) if "authorization" not in request.headers else None
    member = await web.records.read(lambda tx: members.get(tx, member_id))
    return SignedIn(member, rules.csrf_of(cookie) if cookie else None, web.settings.community)


@post("/session", public=True, status_code=200, summary="Sign in", tags=TAGS)
async def sign_in(request: Asked, web: NamedDependency[Web], data: JSONBody[SignIn]) -> Response[SignedIn]:
    """Sets the session's cookie. A name that nobody has is refused like a wrong password, and as slowly."""
    somebody = stranger(request)
    await web.throttle.attempt(data.name, somebody.address)
    found = await web.records.read(lambda tx: links.credentials(tx, data.name))
    if not await web.passwords.fits(data.password, found.password if found else None) or found is None:
        await _note_refusal(web, somebody, found)
        raise NobodyError(WRONG)
    await web.throttle.forgive(data.name, somebody.address)
    if not found.enabled:
        raise RefusedError(DISABLED)
    hashed = await web.passwords.hash(data.password) if web.passwords.outdated(found.password or "") else None

    def enter(tx: Connection, now: float) -> int:
        if hashed is not None:
            links.keep_password(tx, now, found.member_id, hashed)
        return found.member_id

    return await _enter(request, web, enter)


@delete("/session", may="session.own", summary="Sign out", tags=TAGS)
async def sign_out(
    request: Asked, actor: NamedDependency[Actor], web: NamedDependency[Web]
) -> Response[None]:
    session_id = request.scope["state"].get("session_id")
    if session_id is None:
        raise InvalidError("A token has no session to end; revoke it under your own page instead.")
    await web.catalogue.change(lambda tx, now: store.close_session(tx, now, actor, session_id))
    web.feed.end(session_key(request))
    return Response(None, status_code=204, cookies=[_cookie(web, "", 0)])


@get("/sessions", may="session.own", summary="List where you are signed in", tags=TAGS)
async def list_sessions(
    request: Asked,
    actor: NamedDependency[Actor],
    web: NamedDependency[Web],
    cursor: Cursor = None,
    limit: Limit = DEFAULT_LIMIT,
) -> Page[Session]:
    member_id, now = itself(actor), web.clock.now()
    current = request.scope["state"].get("session_id")
    return await web.records.read(lambda tx: store.sessions(tx, now, member_id, current, cursor, limit))


@delete("/sessions/{session_id:int}", may="session.own", summary="Sign out elsewhere", tags=TAGS)
async def end_session(actor: NamedDependency[Actor], web: NamedDependency[Web], session_id: Number) -> None:
    itself(actor)
    await web.catalogue.change(lambda tx, now: store.close_session(tx, now, actor, session_id))
    web.feed.end(f"session:{session_id}")


@put("/me/password", may="session.own", status_code=204, summary="Set your password", tags=TAGS)
async def set_password(
    request: Asked, actor: NamedDependency[Actor], web: NamedDependency[Web], data: JSONBody[NewPassword]
) -> None:
    """Every other session of yours ends with the old password."""
    member_id = itself(actor)
    if actor.door is not Door.PAGE:
        # Who holds a token of few scopes must not turn it into a session, which has all of them.
        raise RefusedError("A password is set by who is signed in with a page, not with a token.")
    wanted = rules.new_password(data.new)
    found = await web.records.read(lambda tx: links.credentials(tx, actor.name))
    if found is not None and found.password is not None:
        await web.throttle.attempt(actor.name, actor.address)
        if not await web.passwords.fits(data.current or "", found.password):
            raise RefusedError("Your current password is another; type it again.")
        await web.throttle.forgive(actor.name, actor.address)
    hashed = await web.passwords.hash(wanted)
    current = request.scope["state"].get("session_id")

    def change(tx: Connection, now: float) -> None:
        links.keep_password(tx, now, member_id, hashed)
        store.close_sessions(tx, member_id, but=current)
        audit.record(tx, now, actor, "password.set", "member", member_id, actor.name)

    await web.catalogue.change(change)


@post("/session/link/look", public=True, status_code=200, summary="Look at a one-time link", tags=TAGS)
async def look_at_link(web: NamedDependency[Web], data: JSONBody[LinkLook]) -> LinkSeen:
    """Looking does not use it up."""
    now = web.clock.now()
    link = await web.records.read(lambda tx: links.look(tx, now, data.token))
    return LinkSeen(link.purpose, link.name, link.expires, link.purpose is Purpose.FIRST_OPERATOR)


@post("/session/link", public=True, status_code=200, summary="Use a one-time link", tags=TAGS)
async def use_link(request: Asked, web: NamedDependency[Web], data: JSONBody[LinkUse]) -> Response[SignedIn]:
    """Signs in, once: of all who use the link at the same time, one gets in."""
    now = web.clock.now()
    # Before anything slow is done for somebody who has no link.
    link = await web.records.read(lambda tx: links.look(tx, now, data.token))
    if link.purpose is Purpose.FIRST_OPERATOR and (data.name is None or data.password is None):
        raise InvalidError("The first operator needs a name and a password; send both.")
    hashed = None
    if data.password is not None:
        hashed = await web.passwords.hash(rules.new_password(data.password))
    somebody = stranger(request, "the first operator" if link.name is None else link.name)
    return await _enter(request, web, lambda tx, now: _use(tx, now, somebody, link, data, hashed))


@post("/members/{who:str}/link", may="member.link", summary="Make a one-time sign-in link", tags=["members"])
async def make_link(actor: NamedDependency[Actor], web: NamedDependency[Web], who: Who) -> SignInLink:
    """It signs the member in once, within a day, and lets him set a password; earlier links of his end."""
    secret = secrets.token_urlsafe(32)

    def make(tx: Connection, now: float) -> float:
        return links.make_link(tx, now, actor, secret, members.get(tx, who).id)

    return SignInLink(_address(web, secret), await web.catalogue.change(make))


@post("/system/first-link", may="member.link", status_code=200, tags=["system"],
      summary="Make the first operator's one-time link")  # fmt: skip
async def first_link(actor: NamedDependency[Actor], web: NamedDependency[Web]) -> FirstLink:
    """For the machine on which Holdfast runs: null as soon as there is an operator."""
    if actor.member_id is not None:
        raise RefusedError("Only the command line of the machine that runs Holdfast may ask for this link.")
    secret = secrets.token_urlsafe(32)

    def make(tx: Connection, now: float) -> float | None:
        return None if members.operators(tx) else links.make_link(tx, now, actor, secret, None)

    expires = await web.catalogue.change(make)
    return FirstLink(_address(web, secret) if expires is not None else None, expires)


def _address(web: Web, secret: str) -> str:
    """The secret stands behind the #, which browsers send to nobody: it is in no log on the way."""
    return f"{web.addresses.web}/welcome#{secret}"


def _use(tx: Connection, now: float, somebody: Actor, link: Link, data: LinkUse, hashed: str | None) -> int:
    links.use(tx, now, data.token)
    if link.member_id is None:
        member_id = links.become_first_operator(tx, now, somebody, data.name or "", hashed or "")
    else:
        member_id = link.member_id
        if hashed is not None:
            links.keep_password(tx, now, member_id, hashed)
            store.close_sessions(tx, member_id)
    audit.record(tx, now, somebody, "link.use", "member", member_id, link.name or data.name or "", None,
                 {"purpose": link.purpose, "password_set": hashed is not None})  # fmt: skip
    return member_id


async def _enter(request: Asked, web: Web, prepare: Callable[[Connection, float], int]) -> Response[SignedIn]:
    """Open a session for the member whom `prepare` answers, in its transaction; the one before ends."""
    secret, lifetime = secrets.token_urlsafe(32), web.settings.web.session_lifetime
    agent = request.headers.get("user-agent", "")
    before = request.cookies.get(COOKIE, "")

    def enter(tx: Connection, now: float) -> Member:
        member_id = prepare(tx, now)
        links.enabled(tx, member_id)
        member = members.get(tx, member_id)
        actor = stranger(request, member.name, member_id)
        store.forget_session(tx, rules.digest(before))
        store.open_session(
            tx, now, actor, member_id, digest=rules.digest(secret), lifetime=lifetime, agent=agent
        )
        return member

    member = await web.catalogue.change(enter)
    signed_in = SignedIn(member, rules.csrf_of(secret), web.settings.community)
    headers = {"Cache-Control": "no-store"}
    return Response(signed_in, status_code=200, headers=headers, cookies=[_cookie(web, secret, lifetime)])


def _cookie(web: Web, secret: str, lifetime: float) -> Cookie:
    return Cookie(
        key=COOKIE,
        value=secret,
        path="/",
        max_age=int(lifetime),
        httponly=True,
        samesite="lax",
        secure=web.secure_cookies,
    )


async def _note_refusal(web: Web, somebody: Actor, found: Credentials | None) -> None:
    """Names that nobody has are not written down: people type passwords there by mistake."""
    target = (str(found.member_id), found.name) if found else ("", "an unknown name")
    await web.catalogue.change(
        lambda tx, now: audit.record(tx, now, somebody, "session.refused", "member", *target)
    )


handlers: list[HTTPRouteHandler] = [
    show_session,
    sign_in,
    sign_out,
    list_sessions,
    end_session,
    set_password,
    look_at_link,
    use_link,
    make_link,
    first_link,
]
