"""The records follow the swarms: what the live store has marked is entered, and the marks are settled.

Why this converges, with any number of clerks that may die anywhere: a mark goes only when what it stands for
was entered as it was read after the mark, and no step has renewed the mark since. What is entered twice
changes nothing, for the records remember what they have seen; and whoever read before another entered enters
nothing (`store/books.py`), so that his mark stays for the next time.
"""

import asyncio
import math
from collections.abc import Mapping, Sequence

import structlog
from sqlalchemy import Connection

from holdfast.clock import Clock
from holdfast.errors import UnavailableError
from holdfast.store.live import LiveReplyError, LiveStore
from holdfast.store.records import Records
from holdfast.tracker.service.exempt import tell_exemptions
from holdfast.tracker.store import books, feeds, marks, participations
from holdfast.tracker.store.books import House
from holdfast.tracker.store.marks import Mark

log = structlog.get_logger()
HEARD_EVERY = 10.0


class Collector:
    """Brings the records up to the live store."""

    def __init__(self, records: Records, live: LiveStore, clock: Clock, house: House) -> None:
        self._records = records
        self._live = live
        self._clock = clock
        self._house = house

    async def collect(self) -> int:
        """Bring over all that is marked now; returns how many marks were settled."""
        settled = 0
        async for marked in marks.pages(self._live):
            settled += await self._bring_over(marked)
        return settled

    async def look(self, things: Sequence[Mark]) -> None:
        """Bring these over though nothing has marked them."""
        for some in marks.in_parts(things, marks.AT_ONCE):
            await self._bring_over(dict.fromkeys(some, b""))

    async def hear(self) -> bool:
        """Note that the live store was heard; True when it is not the one that was heard last."""
        era = await marks.era(self._live)
        now = self._clock.now()

        def note(tx: Connection) -> bool:
            lost = feeds.heard(tx, now, era)
            if lost:
                participations.tell_again(tx)
            return lost

        return await self._records.write(note)

    async def tell_exemptions(self) -> None:
        await tell_exemptions(self._records, self._live)

    async def _bring_over(self, marked: Mapping[Mark, bytes]) -> int:
        # In this order: what was seen before must be older than what is seen now, and the mark older still.
        before = await self._records.read(lambda tx: books.seen(tx, marked))
        live = await marks.look(self._live, list(marked))
        now = self._clock.now()
        done = await self._records.write(lambda tx: books.enter(tx, now, self._house, before, live))
        return await marks.settle(self._live, {mark: marked[mark] for mark in done})


async def keep_collecting(collector: Collector, clock: Clock, every: float, lost: asyncio.Event) -> None:
    """Until cancelled; `lost` is set when the live store was lost."""
    heard = -math.inf
    while True:
        try:
            settled = await collector.collect()
            if clock.steady() - heard >= HEARD_EVERY:
                if await collector.hear():
                    log.warning("the live store was lost and counts from zero")
                    lost.set()
                await collector.tell_exemptions()
                heard = clock.steady()
        except (UnavailableError, LiveReplyError) as error:
            log.warning("swarms not brought over", reason=str(error))
        else:
            if settled:
                log.debug("swarms brought over", settled=settled)
        await clock.sleep(every)
