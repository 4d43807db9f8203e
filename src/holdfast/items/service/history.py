"""What is known of one item, wherever that lies: who has it, who had it, and the report that finished it."""

from dataclasses import dataclass

import msgspec

from holdfast.items.model import Episode, Holder, Project
from holdfast.items.store import done
from holdfast.items.store.archive import Archive
from holdfast.items.store.claims import holder_of
from holdfast.items.store.live import Bench
from holdfast.store.live import LiveStore
from holdfast.store.records import Records


@dataclass(frozen=True, slots=True)
class History:
    item: str
    where: str | None
    """todo, out, done or failed; None for an item that the project does not know."""
    holder: Holder | None
    attempts: tuple[Episode, ...]
    """Claims that ended without a report, the oldest first."""
    report: dict[str, object] | None
    """The report that finished it, as the log has it."""
    line: int | None
    """Which line of the log that is; its file may lie on another machine."""


async def history(
    records: Records, live: LiveStore, archive: Archive, project: Project, item: str
) -> History:
    where, held = await Bench(live, project.prefix).place(item)
    attempts = await records.read(lambda tx: done.episodes(tx, project.id, item))
    line = await records.read(lambda tx: done.line_of(tx, project.id, item))
    report = None
    if line is not None:
        found = await records.read(lambda tx: done.pieces(tx, project.id, line, line))
        report = next((msgspec.json.decode(raw) for raw in archive.lines(found, line)), None)
    holder = holder_of(held) if held else None
    return History(item, where or ("done" if line is not None else None), holder, attempts, report, line)
