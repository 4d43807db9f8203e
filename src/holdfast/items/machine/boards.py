"""What everybody may read of a project, in the forms that third-party boards and scripts know."""

import gzip
from collections.abc import Awaitable, Callable, Mapping
from typing import Final

import msgspec

from holdfast.clock import Clock
from holdfast.items.machine.answers import JSON, NOTHING, Answer
from holdfast.items.model import Project, State
from holdfast.items.store import done
from holdfast.items.store.figures import Figures
from holdfast.store.live import LiveStore
from holdfast.store.records import Records
from holdfast.wire.volunteers import Look, Sight

FRESH: Final = 10.0
"""Seconds for which an answer serves everybody who asks."""
MAY_KEEP: Final = ((b"content-encoding", b"gzip"), (b"cache-control", b"public, max-age=60"))
Made = Callable[[Figures], Awaitable[Mapping[str, object]]]


class Boards:
    def __init__(self, records: Records, live: LiveStore, clock: Clock) -> None:
        self._records = records
        self._live = live
        self._clock = clock
        self._made: dict[tuple[int, Sight], tuple[float, Answer]] = {}

    async def show(self, project: Project, look: Look) -> Answer:
        if project.state is State.DRAFT:
            return NOTHING
        figures = Figures(self._live, project.prefix)
        if look.sight is Sight.ITEM:
            return await self._item(project, figures, look.item)
        key, now = (project.id, look.sight), self._clock.steady()
        until, answer = self._made.get(key, (0.0, NOTHING))
        if now >= until:
            said = msgspec.json.encode(await MADE[look.sight](figures))
            answer = Answer(200, gzip.compress(said, mtime=0), JSON, MAY_KEEP)
            self._made[key] = now + FRESH, answer
        return answer

    async def _item(self, project: Project, figures: Figures, item: str) -> Answer:
        where, holder = await figures.item(item)
        if where is None:
            known = await self._records.read(lambda tx: done.known(tx, project.id, [item]))
            where = "done" if known else None
        status = {"status": where} | ({"downloader": holder} if holder else {})
        return Answer(200, msgspec.json.encode(status), JSON)


MADE: Final[Mapping[Sight, Made]] = {
    Sight.STATS: Figures.stats,
    Sight.CHARTS: Figures.charts,
    Sight.VERSIONS: Figures.versions,
}
