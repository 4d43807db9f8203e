"""Slowing down whoever guesses: failed sign-ins are counted for each name and each address."""

import hashlib
import math
from collections import OrderedDict
from dataclasses import dataclass, field

from holdfast.clock import Clock
from holdfast.errors import UnavailableError
from holdfast.store.live.interface import Command, LiveStore, Reply
from holdfast.web.access.keys import ATTEMPTS
from holdfast.web.problems import ThrottledError
from holdfast.wire.forwarded import neighbourhood

REMEMBERED = 10_000


@dataclass
class Counts:
    """The counts of this process alone, while the live store is away; the oldest make room."""

    clock: Clock
    window: float
    most: int = REMEMBERED
    _counts: OrderedDict[str, tuple[int, float]] = field(default_factory=OrderedDict)

    def add(self, key: str, amount: int) -> tuple[int, float]:
        now = self.clock.steady()
        count, ends = self._counts.get(key, (0, now + self.window))
        if ends <= now:
            count, ends = 0, now + self.window
        self._counts[key] = (count + amount, ends)
        if len(self._counts) > self.most:
            self._counts.popitem(last=False)
        return count + amount, ends - now


class Throttle:
    """An attempt is counted before it is judged, so that many at once cannot slip through."""

    def __init__(self, live: LiveStore, clock: Clock, *, attempts: int, window: float) -> None:
        self._live = live
        self._attempts = attempts
        self._window = math.ceil(window)
        self._own = Counts(clock, window)

    async def attempt(self, name: str, address: str | None) -> None:
        """Count one, or refuse it if there were too many."""
        waits = [left for count, left in await self._add(name, address, 1) if count > self._attempts]
        if waits:
            seconds = max(1, math.ceil(max(waits)))
            raise ThrottledError(
                f"Too many sign-ins have failed for this name or address; try again in {_spoken(seconds)}.",
                retry_after=seconds,
            )

    async def forgive(self, name: str, address: str | None) -> None:
        await self._add(name, address, -1)

    async def _add(self, name: str, address: str | None, amount: int) -> list[tuple[int, float]]:
        whom = {"name": name}
        if address is not None:
            whom["address"] = neighbourhood(address)
        keys = [
            ATTEMPTS.name(self._live.layout, kind=kind, who=hashlib.sha256(text.encode()).hexdigest()[:32])
            for kind, text in whom.items()
        ]
        try:
            replies = await self._live.batch(
                [command for key in keys for command in self._count(key, amount)]
            )
        except UnavailableError:
            return [self._own.add(key, amount) for key in keys]
        return [
            _counted(replies[at], replies[at + 2]) or self._own.add(keys[at // 3], amount)
            for at in range(0, len(replies), 3)
        ]

    def _count(self, key: str, amount: int) -> list[Command]:
        # NX: the window begins at the first failure and later ones do not push its end away.
        return [("INCRBY", key, amount), ("EXPIRE", key, self._window, "NX"), ("TTL", key)]


def _counted(count: Reply, ttl: Reply) -> tuple[int, float] | None:
    """None when the store is there but takes no writes."""
    if isinstance(count, int) and isinstance(ttl, int):
        return count, float(max(ttl, 1))
    return None


def _spoken(seconds: int) -> str:
    return f"{seconds} seconds" if seconds < 120 else f"{math.ceil(seconds / 60)} minutes"
