"""The live store's indexes through the web door: made again when they are doubted."""

import msgspec
from litestar import post
from litestar.handlers import HTTPRouteHandler

from holdfast.api import Asker, Kept, Live
from holdfast.catalogue.service import lent
from holdfast.tracker.service.indexes import rebuild_indexes


class Rebuilt(msgspec.Struct, frozen=True):
    mended: int
    """Places in the indexes that were wrong."""


@post(
    "/tracker/rebuild-indexes",
    may="tracker.rebuild",
    status_code=200,
    summary="Make the tracker's indexes and totals anew",
)
async def rebuild(actor: Asker, catalogue: Kept, live: Live) -> Rebuilt:
    """While everybody goes on; the clerk does most of it every `tracker.patrol` by itself."""
    rebuilt = Rebuilt(await rebuild_indexes(live))
    told = msgspec.to_builtins(rebuilt)
    await catalogue.change(
        lambda tx, now: lent.audit(tx, now, actor, "tracker.rebuild", "tracker", "", "tracker", None, told)
    )
    return rebuilt


handlers: list[HTTPRouteHandler] = [rebuild]
