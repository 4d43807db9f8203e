"""How many items volunteers discovered, and how often somebody sent a form with some."""

from holdfast.items import keys
from holdfast.store.live import LiveStore


class Finds:
    def __init__(self, live: LiveStore, slug: str) -> None:
        self._live = live
        self._slug = slug

    async def count(self, received: int, added: int, refused: int) -> None:
        key = keys.name(keys.FED, self._live.layout, self._slug)
        counted = {"received": received, "added": added, "refused": refused}
        await self._live.batch([("HINCRBY", key, name, many) for name, many in counted.items() if many])

    async def forms(self, address: str, window: int) -> int:
        """How many came from there in this window, this one with them."""
        key = keys.name(keys.RESCUES, self._live.layout, self._slug, address=address)
        count, _ = await self._live.batch([("INCR", key), ("EXPIRE", key, window, "NX")])
        return count if isinstance(count, int) else 0
