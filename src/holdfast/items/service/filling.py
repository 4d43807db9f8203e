"""Filling a queue: in steps so short that no claim waits for them, nothing twice in a project's life."""

from collections.abc import Sequence

from holdfast.items.model import Project
from holdfast.items.store import done
from holdfast.items.store.live import Bench
from holdfast.store.live import LiveStore
from holdfast.store.records import Records

AT_ONCE = 500


class Filling:
    def __init__(self, records: Records, live: LiveStore, project: Project) -> None:
        self._records = records
        self._bench = Bench(live, project.prefix)
        self._project = project

    async def fill(self, queue: str, items: Sequence[str]) -> list[str]:
        """Add what is new to the project; answers with that."""
        added: list[str] = []
        for start in range(0, len(items), AT_ONCE):
            new = await self._new(items[start : start + AT_ONCE])
            if new:
                added += await self._bench.add(queue, new)
        return added

    async def would_add(self, items: Sequence[str]) -> list[str]:
        found: list[str] = []
        for start in range(0, len(items), AT_ONCE):
            found += await self._new(items[start : start + AT_ONCE])
        return found

    async def _new(self, items: Sequence[str]) -> list[str]:
        """In this order, an item on its way from the live store to the records is seen in one of them."""
        here = await self._bench.check(items)
        project_id = self._project.id
        finished = await self._records.read(lambda tx: done.known(tx, project_id, here)) if here else set()
        return [item for item in here if item not in finished]
