"""A house with members and uploads whose clients announce, and clerks that bring the records up to it."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from typing import Any, TypeVar

import sqlalchemy as sa

from holdfast.catalogue import tables
from holdfast.clock import SystemClock
from holdfast.store.live import LiveStore, open_live
from holdfast.store.records import Records
from holdfast.tracker.model import Limits
from holdfast.tracker.service.collect import Collector
from holdfast.tracker.store.books import House
from holdfast.tracker.tables import participation
from holdfast.wire.announce import Event
from tests.catalogue.ground import Ground
from tests.clocks import StillClock
from tests.servers import RunningServer
from tests.system.tracker.live_swarm import LiveSwarm, make_request

T = TypeVar("T")
LIMITS = Limits(interval=300, min_interval=0, timeout=900, hnr_seconds=1000, hnr_bytes=50, peers_per_upload=0)


class Bookkeeping:
    """Some members and uploads, numbered from 1, with one worker that takes their announces."""

    def __init__(self, records: Records, server: RunningServer, worker: LiveSwarm, clock: StillClock) -> None:
        self.records = records
        self.server = server
        self.worker = worker
        self.clock = clock
        self.ground = Ground(records, clock)
        self._chance = 0

    def furnish(self, members: int, uploads: int) -> None:
        added = [self.ground.member(f"member{number}") for number in range(1, members + 1)]
        for number in range(1, uploads + 1):
            self.ground.upload(added[0], f"upload {number}")
        self.ground.forget_outbox()

    def announce(self, tid: int, uid: int, peer: int, **said: Any) -> None:
        self._chance += 1
        self.worker.announce([make_request(tid, uid, peer, **said)], int(self.clock.now()), self._chance)

    def leave(self, tid: int, uid: int, peer: int, **said: Any) -> None:
        self.announce(tid, uid, peer, event=Event.STOPPED, **said)

    def collector(self, live: LiveStore, records: Any = None) -> Collector:
        return Collector(records or self.records, live, self.clock, House(self.worker.limits))

    def collect(self) -> int:
        """One walk of a clerk."""
        return self.with_live(lambda live: self.collector(live).collect())

    def with_live(self, work: Callable[[LiveStore], Awaitable[T]]) -> T:
        async def run() -> T:
            async with open_live(self.server.address, clock=SystemClock()) as live:
                return await work(live)

        return asyncio.run(run())

    # What the records say -----------------------------------------------------------------------------

    def member(self, uid: int) -> tuple[int, int]:
        query = sa.select(tables.member.c.uploaded, tables.member.c.downloaded)
        return tuple(self._one(query.where(tables.member.c.id == uid)))

    def upload(self, tid: int) -> tuple[int, int, int]:
        columns = (tables.upload.c.seeders, tables.upload.c.leechers, tables.upload.c.completed)
        return tuple(self._one(sa.select(*columns).where(tables.upload.c.id == tid)))

    def last_action(self, tid: int) -> float | None:
        at: float | None
        (at,) = self._one(sa.select(tables.upload.c.last_action).where(tables.upload.c.id == tid))
        return at

    def standing(self, uid: int, tid: int) -> Any:
        query = sa.select(participation)
        here = (participation.c.member_id == uid) & (participation.c.upload_id == tid)
        return self.ground.ask(lambda tx: tx.execute(query.where(here)).one_or_none())

    def marks(self) -> set[str]:
        return {each.decode() for each in self.server.ask("HKEYS", "t:x:dirty")}

    def _one(self, query: sa.Select[Any]) -> Any:
        return self.ground.ask(lambda tx: tx.execute(query).one())


@contextmanager
def bookkeeping(
    records: Records, server: RunningServer, clock: StillClock, **rules: Any
) -> Iterator[Bookkeeping]:
    with closing(LiveSwarm(server, replace(LIMITS, **rules))) as worker:
        yield Bookkeeping(records, server, worker, clock)
