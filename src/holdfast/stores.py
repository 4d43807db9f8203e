"""Opens both stores as the settings name them, brought up to date, for the life of one part."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from holdfast.clock import Clock
from holdfast.settings import Settings
from holdfast.store.live import LiveStore
from holdfast.store.records import Records, open_records
from holdfast.store.records.engine import records_address
from holdfast.store.records.migrate import migrate
from holdfast.where import live_of


@dataclass(frozen=True)
class Stores:
    records: Records
    live: LiveStore


@asynccontextmanager
async def open_stores(settings: Settings, clock: Clock, part: str) -> AsyncIterator[Stores]:
    async with records_of(settings) as records, live_of(settings, clock, part) as live:
        await asyncio.to_thread(migrate, records)
        yield Stores(records, live)


def records_of(settings: Settings) -> Records:
    address = records_address(settings.records.address.reveal(), settings.data)
    return open_records(address, pool=settings.records.pool, wait=settings.records.wait)
