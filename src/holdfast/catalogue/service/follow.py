"""The live store follows the records: at once when told, at the next sweep when not, wholly after a loss.

Why this converges, with any number of followers: a row leaves the outbox only after a look at the records,
made after the write to the live store, has shown that what was written is still true; whoever finds that
it wrote something untrue writes a new row, for another may have settled the old one before the late write.
So the last write of a thing is true, or its row is there, or its writer is about to look.
"""

import asyncio
from contextlib import suppress

import structlog
from sqlalchemy import Connection

from holdfast.catalogue.keys import NUDGE
from holdfast.catalogue.store import mirror, truth
from holdfast.catalogue.store.events import EVENT
from holdfast.catalogue.store.truth import Thing, Truth
from holdfast.errors import UnavailableError
from holdfast.store.live import Gap, LiveReplyError, LiveStore
from holdfast.store.records import Records, outbox

log = structlog.get_logger()
AT_ONCE = 500
TELL_REMOVED = 604_800.0


class Follower:
    """Brings the live store up to the records; every process that writes records has one."""

    def __init__(self, records: Records, live: LiveStore, tell_removed: float = TELL_REMOVED) -> None:
        self._records = records
        self._live = live
        self._tell_removed = tell_removed
        self._turn = asyncio.Lock()
        self._asked = 0
        self._answered = 0

    async def follow(self) -> int:
        """Work off what is in the outbox now; returns how many rows that were.

        Callers that come while a pass runs share the next one: it begins after all of them committed.
        """
        self._asked += 1
        mine = self._asked
        async with self._turn:
            if self._answered >= mine:
                return 0
            covered = self._asked
            followed = await self._pass()
            self._answered = covered
            return followed

    async def follow_soon(self) -> None:
        """`follow`, for a door that has committed and must answer even while the live store is away."""
        try:
            await self.follow()
        except (UnavailableError, LiveReplyError) as error:
            log.warning("the live store will follow later", reason=str(error))

    async def rebuild(self) -> int:
        """Write all that the records know, standing or gone: for a live store that may have forgotten."""
        written = 0
        for kind in truth.KINDS:
            last = ""
            while things := await self._next(kind, last):
                await self._write_true(things)
                written += len(things)
                last = things[-1][1]
        return written

    async def _next(self, kind: str, last: str) -> list[Thing]:
        return await self._records.read(lambda tx: truth.after(tx, kind, last, AT_ONCE))

    async def _write_true(self, things: list[Thing]) -> None:
        """Write, look again, and write again whatever changed in between."""
        written: dict[Thing, Truth] = {}
        while stale := await self._stale(things, written):
            await mirror.write(self._live, stale, tell_removed=self._tell_removed)
            written |= stale

    async def _stale(self, things: list[Thing], written: dict[Thing, Truth]) -> dict[Thing, Truth]:
        now = await self._records.read(lambda tx: truth.of(tx, things))
        return {
            thing: value for thing, value in now.items() if thing not in written or written[thing] != value
        }

    async def _pass(self) -> int:
        followed = 0
        while rows := await self._records.read(lambda tx: outbox.oldest(tx, AT_ONCE)):
            settled = await self._bring_over(rows)
            followed += settled
            if settled == len(rows) < AT_ONCE:
                break
        return followed

    async def _bring_over(self, rows: list[outbox.Behind]) -> int:
        things = {row.thing for row in rows if row.kind != EVENT}
        written = await self._records.read(lambda tx: truth.of(tx, things))
        await mirror.write(self._live, written, tell_removed=self._tell_removed)
        await mirror.tell(self._live, [row for row in rows if row.kind == EVENT])

        def settle(tx: Connection) -> int:
            now = truth.of(tx, things)
            late = [row for row in rows if row.kind != EVENT and now[row.thing] != written[row.thing]]
            outbox.done(tx, [row.id for row in rows])
            for row in late:
                outbox.note(tx, row.created, row.request_id, [row.thing])
            return len(rows) - len(late)

        settled = await self._records.write(settle)
        for row in rows:
            log.debug("followed", kind=row.kind, request_id=row.request_id)
        return settled


async def keep_following(follower: Follower, live: LiveStore, sweep: float) -> None:
    """Follow until cancelled: after each nudge, and every `sweep` seconds even if nobody nudges."""
    wake = asyncio.Event()
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(_hear(follower, live, wake), name="hear-nudges")
        while True:
            await follower.follow_soon()
            with suppress(TimeoutError):
                async with asyncio.timeout(sweep):
                    await wake.wait()
            wake.clear()


async def _hear(follower: Follower, live: LiveStore, wake: asyncio.Event) -> None:
    """After a gap the store may have been restarted or replaced, and have lost what it had acknowledged.

    It listens before it rebuilds, so that no loss falls between the two.
    """
    while True:
        try:
            async with live.subscribe([NUDGE.name(live.layout)]) as heard:
                await rebuilt(follower)
                async for message in heard:
                    if isinstance(message, Gap):
                        await rebuilt(follower)
                    wake.set()
        except UnavailableError as error:
            log.warning("nudges are not heard yet", reason=str(error))


async def rebuilt(follower: Follower) -> None:
    """Rebuild as soon as both stores answer.

    Every process with a follower does so when it starts: the one before it may have been killed between a
    late write and the look that would have found it untrue.
    """
    while True:
        try:
            log.info("live keys rebuilt", written=await follower.rebuild())
        except (UnavailableError, LiveReplyError) as error:
            log.warning("live keys not rebuilt yet", reason=str(error))
            await asyncio.sleep(1)
        else:
            return
