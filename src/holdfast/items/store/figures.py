"""What the live store counts of a project, read for boards; nothing here changes anything."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from holdfast.items import keys
from holdfast.items.store.live import Bench
from holdfast.store.live import LiveStore, Reply
from holdfast.store.live.interface import Command
from holdfast.store.live.keys import KeyName

POINT = "%Y%m%d%H%M"
AT_ONCE = 500
MOST_VERSIONS = 50
MOST_POINTS = 400


@dataclass(frozen=True, slots=True)
class Series:
    """Sums at times, each as a pair, the oldest first."""

    items: list[tuple[int, int]]
    bytes: list[tuple[int, int]]


class Figures:
    def __init__(self, live: LiveStore, slug: str) -> None:
        self._live = live
        self._slug = slug
        self._bench = Bench(live, slug)

    async def stats(self) -> dict[str, object]:
        domains, total, count = await self._hashes(keys.DOMAINS, keys.BYTES, keys.COUNT)
        where = await self._bench.counts()
        return {
            "domain_bytes": domains,
            "downloader_bytes": total,
            "downloader_count": count,
            "downloaders": list(total),
            "total_items_done": where.done,
            "total_items_out": where.out,
            "total_items": where.done + where.out + where.todo,
            "total_bytes": sum(domains.values()),
            "counts": {"todo": where.todo, "out": where.out, "done": where.done},
        }

    async def domains(self) -> dict[str, int]:
        (found,) = await self._hashes(keys.DOMAINS)
        return found

    async def versions_in_use(self) -> dict[str, int]:
        """Versions of scripts, and how many volunteers' last report named each."""
        reply = await self._live.call("HGETALL", self._name(keys.VERSION), repeat=True)
        return dict(Counter(_pairs(reply).values()).most_common(MOST_VERSIONS))

    async def charts(self) -> dict[str, object]:
        """Pairs of a time and a sum, the oldest first."""
        (total,) = await self._hashes(keys.BYTES)
        series = ["total_items", "total_bytes", *[f"downloader_bytes:{name}" for name in total]]
        items, sums, *each = [_points(one) for one in await self._texts(series)]
        return {
            "items_done_chart": items,
            "bytes_done_chart": sums,
            "downloader_chart": dict(zip(total, each, strict=True)),
        }

    async def series(self, volunteer: str | None, since: float | None, until: float | None) -> Series:
        """The project's sums, or one volunteer's, thinned to what can be told apart in a drawing."""
        names = ["total_items", "total_bytes"] if volunteer is None else [f"downloader_bytes:{volunteer}"]
        found = [_points(one, since, until, MOST_POINTS) for one in await self._texts(names)]
        return Series(found[0] if volunteer is None else [], found[-1])

    async def versions(self) -> dict[str, object]:
        reply = await self._live.call("HGETALL", self._name(keys.VERSION), repeat=True)
        return {
            "downloader_version": _pairs(reply),
            "current_version": None,
            "current_version_update_message": None,
        }

    async def item(self, item: str) -> tuple[str | None, str]:
        """Where an item is in the live store, and who has it while somebody does."""
        where, held = await self._bench.place(item)
        return where, held.partition(" ")[2]

    async def _hashes(self, *names: KeyName) -> list[dict[str, int]]:
        replies = await self._live.batch([("HGETALL", self._name(name)) for name in names], repeat=True)
        return [{name: int(count) for name, count in _pairs(reply).items()} for reply in replies]

    async def _texts(self, series: Sequence[str]) -> list[Reply]:
        found: list[Reply] = []
        for start in range(0, len(series), AT_ONCE):
            part = series[start : start + AT_ONCE]
            asked: list[Command] = [("GET", self._name(keys.POINTS, series=one)) for one in part]
            found += await self._live.batch(asked, repeat=True)
        return found

    def _name(self, key: KeyName, **parts: str) -> str:
        return keys.name(key, self._live.layout, self._slug, **parts)


def _pairs(reply: Reply) -> dict[str, str]:
    flat = [each.decode() for each in reply if isinstance(each, bytes)] if isinstance(reply, list) else []
    return dict(zip(flat[::2], flat[1::2], strict=True))


def _points(
    reply: Reply, since: float | None = None, until: float | None = None, most: int | None = None
) -> list[tuple[int, int]]:
    """`YYYYMMDDHHMM=hex `, one behind the other; the last one before the span says where it began."""
    words = reply.decode().split() if isinstance(reply, bytes) else []
    first = 0 if since is None else max(0, bisect_right(words, f"{_stamp(since)}=g") - 1)
    last = len(words) if until is None else bisect_right(words, f"{_stamp(until)}=g")
    found = words[first:last]
    if most is not None and len(found) > most:
        found = [found[at * (len(found) - 1) // (most - 1)] for at in range(most)]
    pairs = [word.partition("=") for word in found]
    return [(_time(stamp), int(total, 16)) for stamp, _, total in pairs]


def _stamp(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).strftime(POINT)


def _time(stamp: str) -> int:
    return int(datetime.strptime(stamp, POINT).replace(tzinfo=UTC).timestamp())
