"""Points through the web door."""

import msgspec
from litestar import get, post
from litestar.handlers import HTTPRouteHandler
from litestar.params import JSONBody

from holdfast.api import DEFAULT_LIMIT, Asker, Cursor, Kept, Limit, Who
from holdfast.catalogue import rules
from holdfast.catalogue.model import MemberRef, PointsEntry
from holdfast.catalogue.store import members, points


class PointsGiven(msgspec.Struct, forbid_unknown_fields=True):
    amount: int
    reason: str


class Ledger(msgspec.Struct):
    balance: int
    items: list[PointsEntry]
    next: str | None


@get("/members/{who:str}/points", own=True, may="points.read", summary="Show a member's ledger")
async def list_points(
    actor: Asker, catalogue: Kept, who: Who, cursor: Cursor = None, limit: Limit = DEFAULT_LIMIT
) -> Ledger:
    found = await catalogue.read(lambda tx: members.get(tx, who))
    rules.require(actor, "points.read", own=MemberRef(found.id, found.name))
    page = await catalogue.read(lambda tx: points.listing(tx, found.id, cursor=cursor, limit=limit))
    return Ledger(found.points, page.items, page.next)


@post("/members/{who:str}/points", may="points.give", summary="Give or take points")
async def give_points(actor: Asker, catalogue: Kept, who: Who, data: JSONBody[PointsGiven]) -> PointsEntry:
    found = await catalogue.read(lambda tx: members.get(tx, who))
    return await catalogue.change(
        lambda tx, now: points.give(tx, now, actor, found, data.amount, data.reason)
    )


handlers: list[HTTPRouteHandler] = [list_points, give_points]
