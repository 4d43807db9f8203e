"""Who did how much: sums over the days of volunteers' work."""

from datetime import date

from sqlalchemy import Connection, func, select

from holdfast.catalogue.model import Page
from holdfast.items.model import Leader, State, Work
from holdfast.items.tables import project, volunteer_day
from holdfast.paging import decode_cursor, encode_cursor

ITEMS, BYTES = func.sum(volunteer_day.c["items"]), func.sum(volunteer_day.c.bytes)


def listing(
    tx: Connection, project_id: int, since: date | None, *, cursor: str | None = None, limit: int = 50
) -> Page[Leader]:
    """Whoever carried most comes first; from a day on, or of all time."""
    place = 0 if cursor is None else decode_cursor(cursor, int)[0]
    query = (
        select(volunteer_day.c.name, ITEMS, BYTES)
        .where(volunteer_day.c.project_id == project_id)
        .group_by(volunteer_day.c.name)
    )
    if since is not None:
        query = query.where(volunteer_day.c.day >= since)
    rows = tx.execute(query.order_by(BYTES.desc(), volunteer_day.c.name).offset(place).limit(limit + 1)).all()
    shown = [
        Leader(place + rank, name, int(items), int(total))
        for rank, (name, items, total) in enumerate(rows[:limit], 1)
    ]
    return Page(shown, encode_cursor(place + limit) if len(rows) > limit else None)


def work_of(tx: Connection, name: str) -> list[Work]:
    """What one volunteer did for each project that is not a draft."""
    query = (
        select(project.c.slug, project.c.title, ITEMS, BYTES)
        .join(volunteer_day, project.c.id == volunteer_day.c.project_id)
        .where(volunteer_day.c.name == name, project.c.state != State.DRAFT)
        .group_by(project.c.slug, project.c.title)
        .order_by(BYTES.desc(), project.c.slug)
    )
    return [Work(slug, title, int(items), int(total)) for slug, title, items, total in tx.execute(query)]
