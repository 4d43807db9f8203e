"""The walk that finds what no mark tells: a live store that was lost, or records restored from a copy.

What differs is marked, and nothing more: the collector enters it as it enters everything.
"""

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import suppress

import structlog

from holdfast.catalogue.keys import NUDGE
from holdfast.catalogue.service import lent
from holdfast.clock import Clock
from holdfast.errors import UnavailableError
from holdfast.store.live import Gap, LiveReplyError, LiveStore
from holdfast.store.records import Records
from holdfast.tracker import rules
from holdfast.tracker.model import Seen, Standing, Swarm
from holdfast.tracker.service.indexes import indexed, mend
from holdfast.tracker.store import books, marks, participations
from holdfast.tracker.store.marks import Mark, Pair, named

log = structlog.get_logger()
AT_ONCE = 500
AGAIN = 5.0
"""Seconds after which a walk that failed is tried again."""


class Patrol:
    def __init__(self, records: Records, live: LiveStore, clock: Clock) -> None:
        self._records = records
        self._live = live
        self._clock = clock

    async def walk(self) -> int:
        """Compare swarms that either store believes to be populated, and totals; returns how many differ."""
        found = [
            await self._known_swarms(),
            await self._indexed_swarms(),
            await self._known_members(),
            await self._known_totals(),
        ]
        await mend(self._live)
        return sum(found)

    async def _known_swarms(self) -> int:
        last, found = 0, 0
        while known := await self._populated(last):
            last = max(known)
            found += await self._compare(known)
        return found

    async def _indexed_swarms(self) -> int:
        """Every swarm that the live store has stands in each index, whatever the records believe."""
        found = 0
        async for ids in indexed(self._live, ("seeders",)):
            some = {int(each) for each in ids if each.isdigit() and len(each) < 19}
            known = await self._records.read(lambda tx, some=some: lent.counts(tx, some))  # type: ignore[misc]
            found += await self._compare(known)
        return found

    async def _compare(self, known: Mapping[int, lent.Counts]) -> int:
        seen = await marks.look(self._live, [named(upload=each) for each in known])
        live = {
            each: lent.Counts(one.seeders, one.leechers)
            for each in known
            if isinstance(one := seen[named(upload=each)], Swarm)
        }
        await marks.mark(self._live, [named(upload=each) for each in known if live[each] != known[each]])
        now, seeded = self._clock.now(), sorted(each for each in known if live[each].seeders)
        if seeded:
            await self._records.write(lambda tx: lent.still_seeded(tx, now, seeded))
        return sum(live[each] != known[each] for each in known)

    async def _known_members(self) -> int:
        last, found = (0, 0), 0
        while known := await self._present(last):
            last = max(known)
            things = {named(member=who, upload=what): counts for (who, what), counts in known.items()}
            found += await self._mark_changed(things)
        return found

    async def _known_totals(self) -> int:
        last, found = 0, 0
        while members := await self._members(last):
            last = members[-1]
            seen = await self._totals_seen(members)
            live = await marks.look(self._live, list(seen))
            moved = {mark: rules.moved(was, live[mark]) for mark, was in seen.items()}
            behind = [mark for mark, more in moved.items() if more.uploaded or more.downloaded]
            await marks.mark(self._live, behind)
            found += len(behind)
        return found

    async def _mark_changed(self, known: Mapping[Mark, tuple[int, int]]) -> int:
        seen = await marks.look(self._live, list(known))
        changed = [
            mark
            for mark, one in seen.items()
            if isinstance(one, Standing) and (one.seeding, one.leeching) != known[mark]
        ]
        await marks.mark(self._live, changed)
        return len(changed)

    async def _populated(self, after: int) -> dict[int, lent.Counts]:
        return await self._records.read(lambda tx: lent.populated(tx, after, AT_ONCE))

    async def _members(self, after: int) -> list[int]:
        return await self._records.read(lambda tx: lent.members_after(tx, after, AT_ONCE))

    async def _totals_seen(self, members: Sequence[int]) -> dict[Mark, Seen]:
        totals = [named(member=each) for each in members]
        return await self._records.read(lambda tx: books.seen(tx, totals))

    async def _present(self, after: Pair) -> dict[Pair, tuple[int, int]]:
        return await self._records.read(lambda tx: participations.present(tx, after, AT_ONCE))


async def keep_patrolling(patrol: Patrol, live: LiveStore, lost: asyncio.Event, every: float) -> None:
    """Until cancelled: at the start, every so often, and when the live store may have lost something."""
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(_hear_gaps(live, lost))
        while True:
            lost.clear()
            pause = every
            try:
                found = await patrol.walk()
            except (UnavailableError, LiveReplyError) as error:
                log.warning("swarms not compared", reason=str(error))
                pause = min(every, AGAIN)
            else:
                log.info("swarms compared with the records", differing=found)
            with suppress(TimeoutError):
                async with asyncio.timeout(pause):
                    await lost.wait()


async def _hear_gaps(live: LiveStore, lost: asyncio.Event) -> None:
    """After a gap the store may have been replaced by one that knows less."""
    while True:
        try:
            async with live.subscribe([NUDGE.name(live.layout)]) as heard:
                async for message in heard:
                    if isinstance(message, Gap):
                        lost.set()
        except UnavailableError as error:
            log.warning("gaps are not heard yet", reason=str(error))
