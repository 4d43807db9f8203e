"""The tracker as a whole through the web door: its totals, its busiest swarms, and its workers."""

from typing import Annotated

import msgspec
from litestar import get, post
from litestar.di import NamedDependency
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromQuery, QueryParameter

from holdfast.api import Asker, Kept, Live
from holdfast.catalogue.model import UploadRef
from holdfast.catalogue.service import lent
from holdfast.heartbeat import Heartbeat, beating
from holdfast.observe.merge import sums
from holdfast.tracker import swarm
from holdfast.tracker.model import Limits
from holdfast.tracker.service.reap import Reaper
from holdfast.tracker.swarm import Counts, Order, Totals

PART = "tracker"
BUSIEST = 20
MOST = 100
Most = Annotated[int, QueryParameter(ge=1, le=MOST, description="How many swarms to show at most.")]


class Swarm(msgspec.Struct, frozen=True):
    upload: UploadRef
    counts: Counts


class Worker(msgspec.Struct, frozen=True):
    """A process that serves announces; `beat` is how many seconds ago it was last heard."""

    name: str
    instance: str
    pid: int
    since: float
    beat: float
    resident_bytes: int
    cpu_seconds: float


class Tally(msgspec.Struct, frozen=True):
    name: str
    count: int


class Tracker(msgspec.Struct, frozen=True):
    """`at` tells when this was; two of these give the rates between them.

    What clients and refusals there were the workers have counted since they started.
    """

    at: float
    totals: Totals
    busiest: list[Swarm]
    workers: list[Worker]
    clients: list[Tally]
    refusals: list[Tally]


class Reaped(msgspec.Struct, frozen=True):
    gone: int
    """Peers who had fallen silent and left their swarms by this."""
    judged: int
    """Members whose time of grace was over."""


@get("/tracker", may="tracker.read", summary="Show the tracker at a glance")
async def show_tracker(
    catalogue: Kept, live: Live, by: FromQuery[Order] = "leechers", limit: Most = BUSIEST
) -> Tracker:
    now = catalogue.clock.now()
    busiest = await swarm.busiest(live, by, limit)
    counts = await swarm.counts(live, busiest)
    named = await catalogue.read(lambda tx: lent.uploads(tx, busiest))
    workers = [each for each in await beating(live) if each.part.partition("-")[0] == PART]
    return Tracker(
        now,
        await swarm.totals(live, now),
        [Swarm(named[each], counts[each]) for each in busiest if each in named],
        [_worker(each, now) for each in workers],
        _tallies(workers, "holdfast_tracker_client_announces", "client"),
        _tallies(workers, "holdfast_tracker_failures", "reason"),
    )


@post("/tracker/reap", may="tracker.reap", status_code=200, summary="Look for peers who have fallen silent")
async def reap(actor: Asker, catalogue: Kept, live: Live, limits: NamedDependency[Limits]) -> Reaped:
    """The trackers do so all the time; this does it now, should they be down or doubted."""
    reaper = Reaper(live, catalogue.clock, limits)
    reaped = Reaped(await reaper.sweep(), await reaper.hold_to_account())
    told = msgspec.to_builtins(reaped)
    await catalogue.change(
        lambda tx, now: lent.audit(tx, now, actor, "tracker.reap", "tracker", "", PART, None, told)
    )
    return reaped


def _tallies(workers: list[Heartbeat], family: str, label: str) -> list[Tally]:
    """The most first."""
    found = sums([each.metrics for each in workers], family, label)
    most = sorted(found.items(), key=lambda one: (-one[1], one[0]))
    return [Tally(name, round(count)) for name, count in most if count]


def _worker(one: Heartbeat, now: float) -> Worker:
    return Worker(one.part, one.instance, one.pid, one.since, max(0.0, now - one.beat), one.resident, one.cpu)


handlers: list[HTTPRouteHandler] = [show_tracker, reap]
