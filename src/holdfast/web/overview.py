"""The overview: the five verbs of Holdfast at a glance, and what happened last."""

from typing import Literal

import msgspec
import structlog
from litestar import get
from litestar.di import NamedDependency
from litestar.handlers import HTTPRouteHandler
from sqlalchemy import Connection

from holdfast.catalogue.model import Actor, Upload
from holdfast.catalogue.store import members, notices, uploads
from holdfast.errors import UnavailableError
from holdfast.items.store import leaders
from holdfast.store.live import LiveReplyError
from holdfast.tracker import swarm
from holdfast.web.door import Web

log = structlog.get_logger()
RECENT = 5


class Figure(msgspec.Struct, frozen=True):
    label: str
    value: int | str


class Verb(msgspec.Struct, frozen=True):
    """One of the five things Holdfast does, and how far it is."""

    verb: Literal["save", "spread", "share", "count", "keep"]
    title: str
    state: Literal["ready", "coming"]
    figures: list[Figure]
    note: str


class Counts(msgspec.Struct, frozen=True):
    members: int
    uploads: int
    size: int
    removed: int
    unread: int


class Recent(msgspec.Struct, frozen=True):
    uploads: list[Upload]


class Overview(msgspec.Struct, frozen=True):
    community: str
    verbs: list[Verb]
    counts: Counts
    recent: Recent


@get("/overview", may="overview.read", summary="Show the system at a glance", tags=["system"])
async def overview(actor: NamedDependency[Actor], web: NamedDependency[Web]) -> Overview:
    counts, recent, spreading = await web.records.read(lambda tx: _read(tx, actor))
    verbs = _verbs(counts, spreading, await _swarming(web))
    return Overview(web.settings.community, verbs, counts, Recent(recent))


def _read(tx: Connection, actor: Actor) -> tuple[Counts, list[Upload], list[Figure]]:
    unread = notices.unread(tx, actor.member_id) if actor.member_id is not None else 0
    counts = Counts(members=members.count(tx), unread=unread, **uploads.totals(tx))
    active, done = leaders.totals(tx)
    spreading = [Figure("active projects", active), Figure("items done", done)]
    return counts, uploads.listing(tx, limit=RECENT).items, spreading


async def _swarming(web: Web) -> list[Figure]:
    """How many take part now; nothing while the live store is away, for the rest can be told all the same."""
    try:
        totals = await swarm.totals(web.live, web.clock.now())
    except (UnavailableError, LiveReplyError) as error:
        log.warning("swarms not counted", reason=str(error))
        return []
    return [Figure("seeders", totals.seeders), Figure("leechers", totals.leechers)]


def _verbs(counts: Counts, spreading: list[Figure], swarming: list[Figure]) -> list[Verb]:
    held = Figure("bytes", counts.size)
    shared = [*swarming, held] if swarming else [Figure("uploads", counts.uploads), held]
    return [
        Verb("save", "Save", "coming", [], "Archive a site while it is still there."),
        Verb("spread", "Spread", "ready", spreading, "Cut a project into items that volunteers claim."),
        Verb("share", "Share", "ready", shared, "Uploads that members seed and fetch."),
        Verb("count", "Count", "coming", [], "Who holds what, and where."),
        Verb("keep", "Keep", "coming", [Figure("removed", counts.removed)],
             "Notice early when an upload loses its seeders."),
    ]  # fmt: skip


handlers: list[HTTPRouteHandler] = [overview]
