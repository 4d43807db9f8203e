"""What every door needs to read the catalogue and to change it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from sqlalchemy import Connection

from holdfast.catalogue.service.follow import Follower
from holdfast.clock import Clock
from holdfast.store.records import Records

T = TypeVar("T")


@dataclass(frozen=True)
class Catalogue:
    """The records with their follower, and the settings by which the catalogue is kept."""

    records: Records
    follower: Follower
    clock: Clock
    tracker_url: str
    torrent_limit: int
    upload_award: bool
    sinks: tuple[str, ...] = ()
    tracker_udp_url: str | None = None
    announce_keys: bool = False

    async def read(self, work: Callable[[Connection], T]) -> T:
        return await self.records.read(work)

    async def change(self, work: Callable[[Connection, float], T]) -> T:
        """Change the records and bring the live store along, before anybody is told that it is done."""
        now = self.clock.now()
        result = await self.records.write(lambda tx: work(tx, now))
        await self.follower.follow_soon()
        return result

    def announce_url(self, passkey: str) -> str:
        return f"{self.tracker_url}/{passkey}/announce"

    def announce_urls(self, passkey: str) -> list[str]:
        """Every address that a member's torrents name, in the order in which clients shall try them."""
        places = [place for place in (self.tracker_udp_url, self.tracker_url) if place is not None]
        return [f"{place}/{passkey}/announce" for place in places]
