"""Freeleech through the web door."""

import msgspec
from litestar import delete, get, post
from litestar.handlers import HTTPRouteHandler
from litestar.params import JSONBody

from holdfast.api import DEFAULT_LIMIT, Asker, Cursor, Kept, Limit, Number
from holdfast.catalogue import rules
from holdfast.catalogue.model import Freeleech, Page
from holdfast.catalogue.store import freeleech


class NewFreeleech(msgspec.Struct, forbid_unknown_fields=True):
    """Without `starts` it begins at once."""

    ends: float
    reason: str
    starts: float | None = None
    multi_up: float = 1.0
    multi_down: float = 0.0


@get("/freeleech", may="freeleech.list", summary="List freeleech")
async def list_freeleech(
    actor: Asker, catalogue: Kept, cursor: Cursor = None, limit: Limit = DEFAULT_LIMIT
) -> Page[Freeleech]:
    """What is in force now; staff is told what was and what is planned, too."""
    now = None if rules.may(actor, "freeleech.plan") else catalogue.clock.now()
    return await catalogue.read(lambda tx: freeleech.listing(tx, now=now, cursor=cursor, limit=limit))


@post("/freeleech", may="freeleech.change", summary="Add a freeleech")
async def add_freeleech(actor: Asker, catalogue: Kept, data: JSONBody[NewFreeleech]) -> Freeleech:
    """A time in which all that is moved is credited by these multipliers on top of all others."""
    return await catalogue.change(
        lambda tx, now: freeleech.add(
            tx,
            now,
            actor,
            starts=now if data.starts is None else data.starts,
            ends=data.ends,
            multi_up=data.multi_up,
            multi_down=data.multi_down,
            reason=data.reason,
        )
    )


@delete("/freeleech/{freeleech_id:int}", may="freeleech.change", summary="End a freeleech")
async def end_freeleech(actor: Asker, catalogue: Kept, freeleech_id: Number) -> None:
    """At once; one that has not begun never will."""
    await catalogue.change(lambda tx, now: freeleech.end(tx, now, actor, freeleech_id))


handlers: list[HTTPRouteHandler] = [list_freeleech, add_freeleech, end_freeleech]
