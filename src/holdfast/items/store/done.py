"""What the records know of items: which are finished, what else befell them, and what volunteers did."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, date, datetime

from sqlalchemy import Connection, func, insert, select

from holdfast.items.model import Episode, Line, Piece, Project
from holdfast.items.store.archive import Archive
from holdfast.items.tables import drain, item_done, item_story, log_piece, volunteer_day
from holdfast.store.records.upsert import add_missing, add_up, upsert

LOG, STORY = "log", "x:story"


def position(tx: Connection, project_id: int, which: str, *, lock: bool = False) -> int:
    """How many lines of a list the records have."""
    query = select(drain.c.lines).where(drain.c.project_id == project_id, drain.c.list == which)
    return tx.execute(query.with_for_update() if lock else query).scalar_one_or_none() or 0


def take_log(tx: Connection, project: Project, first: int, lines: Sequence[Line], archive: Archive) -> bool:
    """Enter these lines, unless somebody else was there first; all of it stands, or nothing."""
    if position(tx, project.id, LOG, lock=True) != first:
        return False
    with archive.held(project.slug):
        _file(tx, project, first, lines, archive)
    _finish(tx, project.id, first, lines)
    _tally(tx, project.id, lines)
    _move(tx, project.id, LOG, first + len(lines))
    return True


def take_story(tx: Connection, project: Project, first: int, episodes: Sequence[Episode]) -> bool:
    if position(tx, project.id, STORY, lock=True) != first:
        return False
    rows = [asdict(each) | {"project_id": project.id} for each in episodes]
    tx.execute(insert(item_story), rows)
    _move(tx, project.id, STORY, first + len(rows))
    return True


def skip_to(tx: Connection, project_id: int, which: str, lines: int) -> None:
    """The live store says that lines are gone which the records never had: go on behind them."""
    if position(tx, project_id, which) < lines:
        _move(tx, project_id, which, lines)


def known(tx: Connection, project_id: int, items: Sequence[str]) -> set[str]:
    """Which of the items are finished."""
    here = (item_done.c.project_id == project_id) & item_done.c.item.in_(items)
    return set(tx.execute(select(item_done.c.item).where(here)).scalars())


def pieces(tx: Connection, project_id: int, first: int, last: int) -> list[Piece]:
    """Where the lines from `first` to `last` lie."""
    query = (
        select(log_piece)
        .where(log_piece.c.project_id == project_id)
        .where(log_piece.c.first <= last, log_piece.c.first + log_piece.c.lines > first)
        .order_by(log_piece.c.first)
    )
    return [Piece(row.first, row.lines, row.file, row.start, row.end) for row in tx.execute(query)]


def line_of(tx: Connection, project_id: int, item: str) -> int | None:
    """The line of the log that finished an item."""
    query = select(item_done.c.line).where(item_done.c.project_id == project_id, item_done.c.item == item)
    return tx.execute(query).scalar_one_or_none()


def episodes(tx: Connection, project_id: int, item: str) -> tuple[Episode, ...]:
    """The claims of an item that ended without a report, the oldest first."""
    here = (item_story.c.project_id == project_id) & (item_story.c.item == item)
    rows = tx.execute(select(item_story).where(here).order_by(item_story.c.id))
    return tuple(Episode(row.item, row.at, row.what, row.name, row.address, row.why) for row in rows)


def _file(tx: Connection, project: Project, first: int, lines: Sequence[Line], archive: Archive) -> None:
    since, until = min(line.at for line in lines), max(line.at for line in lines)
    file = archive.file_of(project.slug, datetime.fromtimestamp(until, UTC).strftime("%Y-%m"))
    start = tx.execute(select(func.max(log_piece.c.end)).where(log_piece.c.file == file)).scalar() or 0
    end = archive.append(file, start, [line.raw for line in lines])
    piece = Piece(first, len(lines), file, start, end)
    times = {"project_id": project.id, "since": since, "until": until}
    tx.execute(insert(log_piece).values(**asdict(piece), **times))


def _finish(tx: Connection, project_id: int, first: int, lines: Sequence[Line]) -> None:
    rows = [
        {"project_id": project_id, "item": item, "line": first + place}
        for place, line in enumerate(lines)
        for item in line.counted
    ]
    add_missing(tx, item_done, rows)


def _tally(tx: Connection, project_id: int, lines: Sequence[Line]) -> None:
    items: Counter[tuple[date, str]] = Counter()
    total: Counter[tuple[date, str]] = Counter()
    for line in lines:
        if line.counted:
            key = datetime.fromtimestamp(line.at, UTC).date(), line.name
            items[key] += len(line.counted)
            total[key] += line.total
    rows = [
        {"project_id": project_id, "day": day, "name": name, "items": many, "bytes": total[day, name]}
        for (day, name), many in sorted(items.items())
    ]
    add_up(tx, volunteer_day, ("project_id", "day", "name"), rows, ("items", "bytes"))


def _move(tx: Connection, project_id: int, which: str, lines: int) -> None:
    upsert(tx, drain, {"project_id": project_id, "list": which}, {"lines": lines})
