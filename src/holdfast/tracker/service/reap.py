"""Peers whose time has run out leave their swarms: at the store's word, and by the deadlines always.

Notifications may be off, lost or doubled; deadlines may be late. Both only say where to look: the step that
removes a peer asks the keys themselves, and does nothing the second time.
"""

from collections.abc import Sequence

import structlog

from holdfast.clock import Clock
from holdfast.errors import UnavailableError
from holdfast.store.live import Gap, LiveReplyError, LiveStore, Message
from holdfast.tracker.desk import HOLD_TO_ACCOUNT, REAP
from holdfast.tracker.keys import DEADLINES, OWING, TIMEOUT
from holdfast.tracker.model import Limits

log = structlog.get_logger()
AT_ONCE = 200
SWEEP = 5.0


class Reaper:
    def __init__(self, live: LiveStore, clock: Clock, limits: Limits) -> None:
        self._live = live
        self._clock = clock
        self._packed = limits.packed()
        self._keys = (DEADLINES.name(live.layout),)

    async def sweep(self) -> int:
        """Look at every peer whose deadline has passed; returns how many had gone."""
        gone = 0
        name = DEADLINES.name(self._live.layout)
        while due := await self._due(name):
            gone += await self.reap(due)
        return gone

    async def reap(self, peers: Sequence[str]) -> int:
        """Remove those of the peers, each TORRENT_ID:PEER_ID, whose timeout has run out."""
        answer = await self._live.function(
            REAP, self._keys, (int(self._clock.now()), self._packed, *peers), repeat=True
        )
        return answer if isinstance(answer, int) else 0

    async def hold_to_account(self) -> int:
        """Judge the members whose time of grace is over; returns how many those were."""
        judged = 0
        name = OWING.name(self._live.layout)
        while due := await self._due(name):
            answer = await self._live.function(
                HOLD_TO_ACCOUNT, self._keys, (int(self._clock.now()), self._packed, *due), repeat=True
            )
            judged += answer if isinstance(answer, int) else 0
        return judged

    async def _due(self, name: str) -> list[str]:
        now = int(self._clock.now())
        due = await self._live.call("ZRANGE", name, "-inf", now, "BYSCORE", "LIMIT", 0, AT_ONCE, repeat=True)
        return [each.decode() for each in due if isinstance(each, bytes)] if isinstance(due, list) else []


async def keep_sweeping(reaper: Reaper, clock: Clock) -> None:
    """Until cancelled."""
    while True:
        try:
            await reaper.sweep()
            await reaper.hold_to_account()
        except (UnavailableError, LiveReplyError) as error:
            log.warning("peers not reaped", reason=str(error))
        await clock.sleep(SWEEP)


async def keep_hearing(reaper: Reaper, live: LiveStore, clock: Clock, db: int) -> None:
    """Reap at the store's word; until cancelled. What is not heard is found by the sweep."""
    prefix = f"__keyspace@{db}__:"
    while True:
        try:
            async with live.subscribe(patterns=[prefix + TIMEOUT.glob(live.layout)]) as heard:
                async for message in heard:
                    await _hear(reaper, live, message, prefix)
        except UnavailableError as error:
            log.warning("the store's word is not heard yet", reason=str(error))
            await clock.sleep(SWEEP)


async def _hear(reaper: Reaper, live: LiveStore, message: Message | Gap, prefix: str) -> None:
    if isinstance(message, Gap) or message.data != b"expired":
        return
    parts = TIMEOUT.parse(live.layout, message.channel.removeprefix(prefix))
    if parts is None:
        return
    try:
        await reaper.reap([f"{parts['torrent_id']}:{parts['peer_id']}"])
    except (UnavailableError, LiveReplyError) as error:
        # The deadlines say it again.
        log.info("a peer is left to the sweep", reason=str(error))
