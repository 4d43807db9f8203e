"""Members through the web door."""

from dataclasses import replace

import msgspec
from litestar import get, patch, post
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromQuery, JSONBody

from holdfast.api import DEFAULT_LIMIT, Asker, Cursor, Kept, Limit, Search, Who
from holdfast.catalogue import rules
from holdfast.catalogue.model import Actor, Member, MemberRef, NewMember, Page, Preferences, Role
from holdfast.catalogue.store import members


class MemberToAdd(msgspec.Struct, forbid_unknown_fields=True):
    name: str
    roles: list[Role] = []
    email: str | None = None
    may_leech: bool = True


class MemberChange(msgspec.Struct, forbid_unknown_fields=True):
    """What is absent stays as it is; an empty `email` removes the address."""

    enabled: bool | None = None
    may_leech: bool | None = None
    roles: list[Role] | None = None
    email: str | None = None
    preferences: Preferences | None = None
    multi_up: float | None = None
    multi_down: float | None = None
    reason: str | None = None
    """Why the multipliers are changed."""


class Passkey(msgspec.Struct):
    passkey: str
    announce_url: str


@get("/members", may="member.list", summary="List members")
async def list_members(
    actor: Asker,
    catalogue: Kept,
    cursor: Cursor = None,
    limit: Limit = DEFAULT_LIMIT,
    q: Search = None,
    role: FromQuery[Role | None] = None,
    enabled: FromQuery[bool | None] = None,
) -> Page[Member]:
    page = await catalogue.read(
        lambda tx: members.listing(tx, cursor=cursor, limit=limit, q=q, role=role, enabled=enabled)
    )
    return Page([_shown(actor, one) for one in page.items], page.next)


@post("/members", may="member.add", summary="Add a member")
async def add_member(actor: Asker, catalogue: Kept, data: JSONBody[MemberToAdd]) -> NewMember:
    member, passkey = await catalogue.change(
        lambda tx, now: members.add(
            tx,
            now,
            actor,
            name=data.name,
            roles=tuple(data.roles),
            email=data.email,
            may_leech=data.may_leech,
        )
    )
    fields = {name: getattr(member, name) for name in Member.__slots__}
    return NewMember(**fields, passkey=passkey, announce_url=catalogue.announce_url(passkey))


@get("/members/{who:str}", may="member.read", summary="Show a member")
async def show_member(actor: Asker, catalogue: Kept, who: Who) -> Member:
    return _shown(actor, await catalogue.read(lambda tx: members.get(tx, who)))


@patch("/members/{who:str}", own=True, may="member.change", summary="Change a member")
async def change_member(actor: Asker, catalogue: Kept, who: Who, data: JSONBody[MemberChange]) -> Member:
    """Operators change everything; a member changes his own e-mail address and preferences."""
    found = await catalogue.read(lambda tx: members.get(tx, who))
    reserved = (data.enabled, data.may_leech, data.roles, data.multi_up, data.multi_down)
    personal = all(one is None for one in reserved)
    rules.require(actor, "member.change", own=_ref(found) if personal else None)
    changed = await catalogue.change(
        lambda tx, now: members.change(
            tx,
            now,
            actor,
            found.id,
            enabled=data.enabled,
            may_leech=data.may_leech,
            roles=None if data.roles is None else tuple(data.roles),
            email=data.email,
            preferences=data.preferences,
            multi_up=data.multi_up,
            multi_down=data.multi_down,
            reason=data.reason,
        )
    )
    return _shown(actor, changed)


@get("/members/{who:str}/passkey", own=True, may="passkey.read", summary="Show a member's passkey")
async def show_passkey(actor: Asker, catalogue: Kept, who: Who) -> Passkey:
    found = await catalogue.read(lambda tx: members.get(tx, who))
    rules.require(actor, "passkey.read", own=_ref(found))
    passkey = await catalogue.read(lambda tx: members.passkey_of(tx, found.id))
    return Passkey(passkey, catalogue.announce_url(passkey))


@post(
    "/members/{who:str}/passkey", own=True, may="passkey.rotate", status_code=200, summary="Rotate a passkey"
)
async def rotate_passkey(actor: Asker, catalogue: Kept, who: Who) -> Passkey:
    """The old passkey is refused from the moment this answers; torrents fetched before stop announcing."""
    found = await catalogue.read(lambda tx: members.get(tx, who))
    rules.require(actor, "passkey.rotate", own=_ref(found))
    passkey = await catalogue.change(lambda tx, now: members.rotate(tx, now, actor, found.id))
    return Passkey(passkey, catalogue.announce_url(passkey))


def _shown(actor: Actor, member: Member) -> Member:
    """What is private about a member is for himself and for operators."""
    if member.id == actor.member_id or rules.may(actor, "member.private"):
        return member
    return replace(member, email=None, preferences=None)


def _ref(member: Member) -> MemberRef:
    return MemberRef(member.id, member.name)


handlers: list[HTTPRouteHandler] = [
    list_members,
    add_member,
    show_member,
    change_member,
    show_passkey,
    rotate_passkey,
]
