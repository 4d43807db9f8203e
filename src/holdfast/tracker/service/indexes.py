"""Indexes and totals are made again from what they index, a page at a time, while everybody goes on."""

from collections.abc import AsyncIterator, Sequence

from holdfast.catalogue.keys import CANONICAL
from holdfast.store.live import LiveStore
from holdfast.tracker.keys import DIRTY, INDEX
from holdfast.tracker.store.marks import LIBRARY

INDEXES = ("seeders", "leechers", "snatches")
REINDEX = LIBRARY.function("index")
TOTAL = LIBRARY.function("total")
AT_ONCE = 200


async def rebuild_indexes(live: LiveStore) -> int:
    """Give every torrent its places in the indexes, and make the totals anew; returns how many were wrong."""
    keys, mended = (DIRTY.name(live.layout),), 0
    page: list[str] = []
    async for name in live.scan(CANONICAL.glob(live.layout)):
        page.append((CANONICAL.parse(live.layout, name) or {}).get("torrent_id", ""))
        if len(page) == AT_ONCE:
            mended += _number(await live.function(REINDEX, keys, page, repeat=True))
            page = []
    if page:
        mended += _number(await live.function(REINDEX, keys, page, repeat=True))
    return mended + await mend(live)


async def mend(live: LiveStore) -> int:
    """Put right what is in the indexes, and the totals; returns how many places were wrong."""
    keys, mended = (DIRTY.name(live.layout),), 0
    async for ids in indexed(live, INDEXES):
        mended += _number(await live.function(REINDEX, keys, ids, repeat=True))
    await live.function(TOTAL, keys, repeat=True)
    return mended


async def indexed(live: LiveStore, indexes: Sequence[str]) -> AsyncIterator[list[str]]:
    """The torrents that stand in the indexes, page by page."""
    for index in indexes:
        name, cursor = INDEX.name(live.layout, count=index), b"0"
        while True:
            reply = await live.call("ZSCAN", name, cursor, "COUNT", AT_ONCE, repeat=True)
            cursor, found = reply  # type: ignore[misc, assignment]
            words = [each.decode(errors="replace") for each in found[::2]]  # type: ignore[index, union-attr]
            if words:
                yield words
            if cursor == b"0":
                break


def _number(reply: object) -> int:
    return reply if isinstance(reply, int) else 0
