"""Who did how much: sums over the days of volunteers' work."""

from datetime import date

from sqlalchemy import Connection, func, select

from holdfast.catalogue.model import Page
from holdfast.items.model import Leader, State, Work
from holdfast.items.tables import project, volunteer_day
from holdfast.paging import decode_cursor, encode_cursor

ITEMS, BYTES = func.sum(volunteer_day.c["items"]), func.sum(volunteer_day.c.bytes)


def listing(
    tx: Connection,
    project_id: int,
    since: date | None,
    *,
    q: str = "",
    name: str | None = None,
    cursor: str | None = None,
    limit: int = 50,
) -> Page[Leader]:
    """Whoever carried most comes first; from a day on, or of all time. A search leaves everybody's rank."""
    place = 0 if cursor is None else decode_cursor(cursor, int)[0]
    order = (BYTES.desc(), volunteer_day.c.name)
    query = (
        select(func.row_number().over(order_by=order).label("rank"), volunteer_day.c.name, ITEMS, BYTES)
        .where(volunteer_day.c.project_id == project_id)
        .group_by(volunteer_day.c.name)
    )
    if since is not None:
        query = query.where(volunteer_day.c.day >= since)
    ranked = query.subquery()
    found = select(ranked).order_by(ranked.c.rank)
    if name is not None:
        found = found.where(ranked.c.name == name)
    if q:
        found = found.where(ranked.c.name.icontains(q, autoescape=True))
    rows = tx.execute(found.offset(place).limit(limit + 1)).all()
    shown = [Leader(int(rank), name, int(items), int(total)) for rank, name, items, total in rows[:limit]]
    return Page(shown, encode_cursor(place + limit) if len(rows) > limit else None)


def totals(tx: Connection) -> tuple[int, int]:
    """How many projects give out work, and how many items were done in all of them."""
    active = select(func.count()).select_from(project).where(project.c.state == State.ACTIVE)
    done = select(func.coalesce(ITEMS, 0))
    return int(tx.execute(active).scalar_one()), int(tx.execute(done).scalar_one())


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
