"""Notices through the web door."""

import msgspec
from litestar import get, post
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromQuery

from holdfast.api import DEFAULT_LIMIT, Asker, Cursor, Kept, Limit, MemberName, Number
from holdfast.catalogue import rules
from holdfast.catalogue.model import Actor, Notice, Page
from holdfast.catalogue.store import members, notices
from holdfast.errors import InvalidError


class MarkedRead(msgspec.Struct):
    read: int


@get("/notices", may="notice.list", summary="List notices")
async def list_notices(
    actor: Asker,
    catalogue: Kept,
    cursor: Cursor = None,
    limit: Limit = DEFAULT_LIMIT,
    unread: FromQuery[bool] = False,
    member: MemberName = None,
) -> Page[Notice]:
    """One's own inbox; an operator may look into another's with `member`."""
    if member is not None:
        rules.require(actor, "notice.list_of")
        owner = (await catalogue.read(lambda tx: members.get(tx, member))).id
    else:
        owner = _self(actor)
    return await catalogue.read(
        lambda tx: notices.listing(tx, owner, unread=unread, cursor=cursor, limit=limit)
    )


@post("/notices/{notice_id:int}/read", may="notice.mark", status_code=200, summary="Mark a notice as read")
async def mark_read(actor: Asker, catalogue: Kept, notice_id: Number) -> Notice:
    owner = _self(actor)
    return await catalogue.change(lambda tx, now: notices.mark_read(tx, now, owner, notice_id))


@post("/notices/read", may="notice.mark", status_code=200, summary="Mark all notices as read")
async def mark_all_read(actor: Asker, catalogue: Kept) -> MarkedRead:
    owner = _self(actor)
    return MarkedRead(await catalogue.change(lambda tx, now: notices.mark_all_read(tx, now, owner)))


def _self(actor: Actor) -> int:
    if actor.member_id is None:
        raise InvalidError("Say whose notices, with ?member=NAME (on the command line: --member NAME).")
    return actor.member_id


handlers: list[HTTPRouteHandler] = [list_notices, mark_read, mark_all_read]
