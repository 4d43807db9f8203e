"""Clerks that work in other processes, and end there without a word."""

import asyncio
from typing import Any, cast

from holdfast.clock import SystemClock
from holdfast.store.live import Arg, LiveStore, Reply, open_live
from holdfast.store.records import open_records
from holdfast.store.records.engine import RecordsAddress
from holdfast.tracker.model import Limits
from holdfast.tracker.service.collect import Collector
from holdfast.tracker.store.books import House
from tests.system.catalogue.work import LastStep


class LiveUntil:
    """A live store where the process may end before each call and after it."""

    def __init__(self, live: LiveStore, last: LastStep) -> None:
        self._live = live
        self._last = last

    def __getattr__(self, name: str) -> Any:
        return getattr(self._live, name)

    async def call(self, *command: Arg, repeat: bool = False) -> Reply:
        self._last.take()
        reply = await self._live.call(*command, repeat=repeat)
        self._last.take()
        return reply

    async def function(self, *asked: Any, repeat: bool = False) -> Reply:
        self._last.take()
        reply = await self._live.function(*asked, repeat=repeat)
        self._last.take()
        return reply


def collect_until(address: RecordsAddress, live: str, limits: Limits, last: int) -> int:
    """Walk once over all marks, and end at the step of that number; 0: at none."""
    return asyncio.run(_collect_until(address, live, limits, LastStep(last)))


async def _collect_until(address: RecordsAddress, live: str, limits: Limits, last: LastStep) -> int:
    async with open_records(address, wait=60.0) as records, open_live(live, clock=SystemClock()) as store:
        last.watch(records)
        stepped = cast("LiveStore", LiveUntil(store, last))
        return await Collector(records, stepped, SystemClock(), House(limits)).collect()
