"""Scrapes: how many have an upload, without taking part in it."""

from collections.abc import Sequence
from typing import Final, Protocol

import structlog

from holdfast.catalogue.keys import CANONICAL, INFO_HASH
from holdfast.errors import UnavailableError
from holdfast.store.live import LiveReplyError, LiveStore, Reply
from holdfast.store.live.interface import Command
from holdfast.tracker import strangers
from holdfast.tracker.desk import AWAY, Own
from holdfast.tracker.keys import TORRENT
from holdfast.tracker.mishaps import Mishaps, Refusable

Counts = tuple[int, int, int, int]
NOBODY: Final[Counts] = (0, 0, 0, 0)
FIELDS: Final = ("enabled", "seeders", "snatches", "leechers", "partial")
log = structlog.get_logger()


class ScrapeCaller(Refusable, Protocol):
    def scraped(self, counts: list[Counts | None]) -> None:
        """Of each hash asked for, in order, seeders, snatches, leechers and who of these wants more.

        None where there is no upload.
        """
        ...


class Scraper:
    def __init__(self, live: LiveStore, own: Own, mishaps: Mishaps, *, is_open: bool = False) -> None:
        self._is_open = is_open
        self._live = live
        self._own = own
        self._mishaps = mishaps

    def scrape_soon(self, info_hashes: Sequence[bytes], caller: ScrapeCaller) -> None:
        self._own(self._scrape(info_hashes, caller))

    async def _scrape(self, info_hashes: Sequence[bytes], caller: ScrapeCaller) -> None:
        try:
            counts = await self.counts(info_hashes)
        except (UnavailableError, LiveReplyError) as error:
            log.warning("not scraped", reason=str(error))
            caller.refused(AWAY)
        except Exception:  # noqa: BLE001 - logged, counted and answered there
            self._mishaps.answer(caller)
        else:
            caller.scraped(counts)

    async def counts(self, info_hashes: Sequence[bytes]) -> list[Counts | None]:
        """None for a hash that means no upload, or a removed one."""
        layout = self._live.layout
        hexes = [info_hash.hex() for info_hash in info_hashes]
        ids = await self._ask([("GET", INFO_HASH.name(layout, info_hash=each)) for each in hexes])
        found = {
            place: int(each) for place, each in enumerate(ids) if isinstance(each, bytes) and each.isdigit()
        }
        canonical = await self._ask(
            [("GET", CANONICAL.name(layout, torrent_id=number)) for number in found.values()]
        )
        names = {
            place: name.decode() if isinstance(name, bytes) else hexes[place]
            for place, name in zip(found, canonical, strict=True)
        }
        if self._is_open:
            strange = {place: strangers.name(each) for place, each in enumerate(info_hashes)}
            names = strange | names
        swarms = await self._ask(
            [("HMGET", TORRENT.name(layout, info_hash=name), *FIELDS) for name in names.values()]
        )
        counts = dict(zip(names, map(_counts, swarms), strict=True))
        return [counts.get(place) for place in range(len(hexes))]

    async def _ask(self, commands: Sequence[Command]) -> list[Reply]:
        replies = await self._live.batch(commands, repeat=True) if commands else []
        for reply in replies:
            if isinstance(reply, LiveReplyError):
                raise reply
        return replies


def _counts(reply: Reply) -> Counts | None:
    if not isinstance(reply, list):
        return NOBODY
    enabled, *counts = reply
    if enabled == b"0":
        return None
    seeders, snatches, leechers, partial = (
        int(each) if isinstance(each, bytes) and each.isdigit() else 0 for each in counts
    )
    return seeders, snatches, leechers, max(0, leechers - partial)
