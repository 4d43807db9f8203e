"""Scrapes: how many have an upload, without taking part in it."""

from collections.abc import Sequence
from typing import Protocol

from holdfast.catalogue.keys import INFO_HASH
from holdfast.errors import UnavailableError
from holdfast.store.live import LiveReplyError, LiveStore
from holdfast.tracker.desk import AWAY, Own
from holdfast.tracker.keys import CANONICAL, STATS, TORRENT
from holdfast.wire.announce import RefusedAnnounceError

Counts = tuple[int, int, int]
NOBODY: Counts = (0, 0, 0)


class ScrapeCaller(Protocol):
    def scraped(self, counts: list[Counts]) -> None:
        """Seeders, snatches and leechers of each hash asked for, in order."""
        ...

    def refused(self, reason: RefusedAnnounceError) -> None: ...


class Scraper:
    def __init__(self, live: LiveStore, own: Own) -> None:
        self._live = live
        self._own = own

    def scrape_soon(self, info_hashes: Sequence[bytes], caller: ScrapeCaller) -> None:
        self._own(self._scrape(info_hashes, caller))

    async def _scrape(self, info_hashes: Sequence[bytes], caller: ScrapeCaller) -> None:
        try:
            counts = await self.counts(info_hashes)
            await self._live.call("INCR", STATS.name(self._live.layout, what="scrapes"), repeat=True)
        except (UnavailableError, LiveReplyError):
            caller.refused(AWAY)
        else:
            caller.scraped(counts)

    async def counts(self, info_hashes: Sequence[bytes]) -> list[Counts]:
        """Nobody, for a hash that means no upload."""
        layout = self._live.layout
        hexes = [info_hash.hex() for info_hash in info_hashes]
        ids = await self._live.batch(
            [("GET", INFO_HASH.name(layout, info_hash=each)) for each in hexes], repeat=True
        )
        numbers = [int(each) if isinstance(each, bytes) else 0 for each in ids]
        names = await self._live.batch(
            [("GET", CANONICAL.name(layout, torrent_id=number)) for number in numbers], repeat=True
        )
        keys = [
            TORRENT.name(
                layout, torrent_id=number, info_hash=name.decode() if isinstance(name, bytes) else each
            )
            for number, name, each in zip(numbers, names, hexes, strict=True)
        ]
        found = await self._live.batch(
            [("HMGET", key, "seeders", "snatches", "leechers") for key in keys], repeat=True
        )
        return [_counts(each) if number else NOBODY for number, each in zip(numbers, found, strict=True)]


def _counts(reply: object) -> Counts:
    seeders, snatches, leechers = (int(each or 0) for each in reply) if isinstance(reply, list) else NOBODY
    return seeders, snatches, leechers
