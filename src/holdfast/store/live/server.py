"""What is asked of each server by itself: the keys it holds, and how it is."""

from collections.abc import AsyncIterator

from holdfast.store.live import replies
from holdfast.store.live.conversation import pack
from holdfast.store.live.errors import LiveReplyError, LiveStoreAway
from holdfast.store.live.health import ServerHealth, read_info
from holdfast.store.live.interface import Reply
from holdfast.store.live.link import Link

HEALTH = pack(("INFO", "everything")) + pack(("CONFIG", "GET", "notify-keyspace-events"))


async def keys_of(link: Link, pattern: str, page: int) -> AsyncIterator[str]:
    """Raises LiveStoreAway when the server is lost on the way: a restarted one walks in another order."""
    cursor, generation = b"0", 0
    while True:
        reply = await link.ask(pack(("SCAN", cursor, "MATCH", pattern, "COUNT", page)), 1)
        cursor, found = _page(reply[0])
        generation = generation or link.generation
        if generation != link.generation:
            raise LiveStoreAway("The live store was lost during a scan, which is incomplete; scan again.")
        for key in found:
            yield key.decode("utf-8", "surrogateescape")
        if cursor == b"0":
            return


def _page(reply: Reply) -> tuple[bytes, list[bytes]]:
    cursor, found = replies.items(reply)
    return replies.raw(cursor), [replies.raw(key) for key in replies.items(found)]


async def health_of(link: Link) -> ServerHealth:
    said, config = await link.ask(HEALTH, 2, repeat=True)
    allowed = None if isinstance(config, LiveReplyError) else replies.mapping(config)
    return read_info(link.name, replies.text(said), allowed)
