"""What is done leaves the live store for the records, each line once: memory is for what is open.

A line is entered in the transaction that moves the position behind it; the live store forgets it afterwards.
Whoever dies in between leaves lines that the records have already, and the next pass only forgets them.
"""

from collections.abc import Sequence

import msgspec
import structlog

from holdfast.items.model import Episode, Line, Project, Verdict
from holdfast.items.store import done
from holdfast.items.store.archive import Archive
from holdfast.items.store.live import Bench
from holdfast.store.live import LiveStore
from holdfast.store.records import Records

log = structlog.get_logger()
AT_ONCE = 500
LONGEST_SHOWN = 200


class _Report(msgspec.Struct):
    items: list[str]
    by: str
    at: float
    bytes: dict[str, int]
    verdicts: str


class _Story(msgspec.Struct):
    item: str
    at: float
    what: str
    by: str
    ip: str
    why: str


class Drain:
    """Several may work at once: of two, one finds that the other was there first."""

    def __init__(self, records: Records, live: LiveStore, archive: Archive) -> None:
        self._records = records
        self._live = live
        self._archive = archive

    async def drain(self, project: Project) -> int:
        """Everything that is there now; returns how many lines that were."""
        bench, moved = Bench(self._live, project.prefix), 0
        while lines := await self._log(project, bench):
            moved += lines
        while lines := await self._story(project, bench):
            moved += lines
        return moved

    async def read(self, project: Project) -> tuple[int, list[Line]]:
        """The oldest lines that the records do not have, and where they begin."""
        first, raw = await self._new(project, Bench(self._live, project.prefix), done.LOG)
        return first, [_line(each) for each in raw]

    async def enter(self, project: Project, first: int, lines: Sequence[Line]) -> bool:
        """False where somebody else has entered them."""
        archive = self._archive
        return await self._records.write(lambda tx: done.take_log(tx, project, first, lines, archive))

    async def _log(self, project: Project, bench: Bench) -> int:
        first, lines = await self.read(project)
        if lines:
            await self.enter(project, first, lines)
            await bench.forget(done.LOG, first, len(lines), _counted(lines))
        return len(lines)

    async def _story(self, project: Project, bench: Bench) -> int:
        first, raw = await self._new(project, bench, done.STORY)
        episodes = [_episode(each) for each in raw]
        if episodes:
            await self._records.write(lambda tx: done.take_story(tx, project, first, episodes))
            await bench.forget(done.STORY, first, len(episodes), [])
        return len(episodes)

    async def _new(self, project: Project, bench: Bench, which: str) -> tuple[int, list[bytes]]:
        """The lines that the records do not have; those that they have are forgotten on the way."""
        first, raw = await bench.tail(which, AT_ONCE)
        had = await self._records.read(lambda tx: done.position(tx, project.id, which))
        if had < first:
            log.error("lines of a log are gone", project=project.slug, list=which, count=first - had)
            await self._records.write(lambda tx: done.skip_to(tx, project.id, which, first))
        old, new = raw[: max(had - first, 0)], raw[max(had - first, 0) :]
        if old:
            finished = _counted([_line(each) for each in old]) if which == done.LOG else []
            await bench.forget(which, first, len(old), finished)
        return first + len(old), new


def _counted(lines: Sequence[Line]) -> list[str]:
    return [item for line in lines for item in line.counted]


def _line(raw: bytes) -> Line:
    """Other programs write to the list, too: what cannot be read is kept as it is, and finishes nothing."""
    try:
        said = msgspec.json.decode(raw, type=_Report)
        letters = zip(said.items, said.verdicts, strict=True)
        counted = tuple(item for item, letter in letters if letter == Verdict.COUNTED)
    except ValueError as error:
        log.error("no line of ours", line=raw[:LONGEST_SHOWN], reason=str(error))  # noqa: TRY400 - it says all
        return Line(raw.replace(b"\n", b" "), 0.0, "", (), 0)
    return Line(raw, said.at, said.by, counted, sum(said.bytes.values()))


def _episode(raw: bytes) -> Episode:
    try:
        said = msgspec.json.decode(raw, type=_Story)
    except ValueError as error:
        log.error("no line of ours", line=raw[:LONGEST_SHOWN], reason=str(error))  # noqa: TRY400 - it says all
        return Episode("", 0.0, "unreadable", "", "", repr(raw[:LONGEST_SHOWN]))
    return Episode(said.item, said.at, said.what, said.by, said.ip, said.why)
