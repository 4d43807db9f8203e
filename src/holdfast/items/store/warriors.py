"""Warriors that run now: numbers, and what each last said of itself."""

from holdfast.items import keys
from holdfast.items.store.live import LIBRARY
from holdfast.store.live import LiveStore
from holdfast.wire.errands import Warrior

SEEN = LIBRARY.function("warrior")
REMEMBERED = 900


class Warriors:
    def __init__(self, live: LiveStore) -> None:
        self._live = live
        self._ids = keys.WARRIORS.name(live.layout)

    async def number(self) -> int:
        given = await self._live.call("INCR", self._ids)
        return given if isinstance(given, int) else 0

    async def seen(self, warrior: Warrior, address: str, agent: str, now: float) -> None:
        instance = keys.WARRIOR.name(self._live.layout, number=warrior.number)
        fields = {
            "downloader": warrior.downloader,
            "selected_project": warrior.project,
            "lat_lng": warrior.lat_lng,
            "address": address,
            "agent": agent,
            "at": f"{now:.3f}",
        }
        flat = [word for pair in fields.items() for word in pair]
        await self._live.function(
            SEEN, (instance, self._ids), (REMEMBERED, warrior.number, *flat), repeat=True
        )
