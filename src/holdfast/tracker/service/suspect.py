"""What looks like cheating is reported to the staff: impossible speeds, swarms that gave what nobody took."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import structlog
from sqlalchemy import Connection

from holdfast.clock import Clock
from holdfast.errors import UnavailableError
from holdfast.store.live import LiveReplyError, LiveStore
from holdfast.store.records import Records
from holdfast.tracker import rules
from holdfast.tracker.keys import SUSPICIONS
from holdfast.tracker.service.collect import Collector
from holdfast.tracker.store import feeds, participations, reports
from holdfast.tracker.store.marks import named
from holdfast.tracker.store.reports import Kind, Suspicion, Window

log = structlog.get_logger()
AT_ONCE = 200
EVERY = 10.0
Entry: TypeAlias = tuple[str, Mapping[str, str]]


class Inspector:
    """Reads the suspicions that the live store noted, and judges the balance of swarms."""

    def __init__(
        self, records: Records, live: LiveStore, clock: Clock, collector: Collector, window: float, slack: int
    ) -> None:
        self._records = records
        self._live = live
        self._clock = clock
        self._collector = collector
        self._window = window
        self._slack = slack

    async def read_suspicions(self) -> int:
        """Enter every suspicion once; returns how many there were."""
        count = 0
        while entries := await self._next():
            count += len(entries)
        return count

    async def judge(self) -> int:
        """Close the windows that are over, and report what does not agree; returns how many were closed."""
        count, before = 0, self._clock.now() - self._window
        while due := await self._records.read(lambda tx: reports.due(tx, before, AT_ONCE)):
            count += await self._close(due)
        return count

    async def _next(self) -> list[Entry]:
        position = await self._records.read(lambda tx: feeds.position(tx, feeds.SUSPICIONS))
        name, after = SUSPICIONS.name(self._live.layout), f"({position}" if position else "-"
        found = await self._live.call("XRANGE", name, after, "+", "COUNT", AT_ONCE, repeat=True)
        entries = [_entry(one) for one in found] if isinstance(found, list) else []
        if entries:
            suspicions = [one for _, said in entries if (one := _read(said)) is not None]
            now, last = self._clock.now(), entries[-1][0]

            def enter(tx: Connection) -> None:
                if feeds.move(tx, now, feeds.SUSPICIONS, position, last):
                    reports.enter(tx, now, suspicions)

            await self._records.write(enter)
        return entries

    async def _close(self, due: Sequence[Window]) -> int:
        # Those who have stayed all the while were not looked at since they came.
        uploads = {one.upload_id for one in due}
        there = await self._records.read(lambda tx: participations.present_on(tx, uploads))
        await self._collector.look([named(member=who, upload=what) for who, what in there])
        now = self._clock.now()

        def close(tx: Connection) -> int:
            closed = reports.close(tx, due)
            found = [
                _unbalanced(window, most)
                for window, most in closed
                if not rules.balanced(window.uploaded, window.downloaded, self._slack)
            ]
            reports.enter(tx, now, found)
            return len(closed)

        return await self._records.write(close)


async def keep_inspecting(inspector: Inspector, clock: Clock) -> None:
    """Until cancelled."""
    while True:
        try:
            await inspector.read_suspicions()
            await inspector.judge()
        except (UnavailableError, LiveReplyError) as error:
            log.warning("suspicions not read", reason=str(error))
        await clock.sleep(EVERY)


def _entry(reply: Any) -> Entry:
    number, flat = reply
    words = [word.decode(errors="replace") for word in flat]
    return number.decode(), dict(zip(words[::2], words[1::2], strict=True))


def _read(said: Mapping[str, str]) -> Suspicion | None:
    """None where another program wrote what we cannot read."""
    try:
        return _leaked(said) if said.get("kind") == Kind.LEAK else _too_fast(said)
    except (KeyError, ValueError):
        log.warning("suspicion not readable", said=dict(said))
        return None


def _leaked(said: Mapping[str, str]) -> Suspicion:
    at = int(said["at"])
    details = {"ip": said["ip"], "at": at, "peer_id": said.get("pid")}
    return Suspicion(Kind.LEAK, int(said["uid"]), int(said["tid"]), at, details)


def _too_fast(said: Mapping[str, str]) -> Suspicion:
    up, down, seconds, at = (int(said[name]) for name in ("up", "down", "seconds", "at"))
    who, what = int(said["uid"]), int(said["tid"])
    details = {"uploaded": up, "downloaded": down, "seconds": seconds, "at": at, "peer_id": said.get("pid")}
    return Suspicion(Kind.SPEED, who, what, max(up, down) // max(seconds, 1), details)


def _unbalanced(window: Window, most: Sequence[tuple[int, int]]) -> Suspicion:
    details = {
        "since": window.since,
        "uploaded": window.uploaded,
        "downloaded": window.downloaded,
        "members": [{"id": who, "uploaded": uploaded} for who, uploaded in most],
    }
    excess = window.uploaded - window.downloaded
    return Suspicion(Kind.BALANCE, most[0][0] if most else None, window.upload_id, excess, details)
