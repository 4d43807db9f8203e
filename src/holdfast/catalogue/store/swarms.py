"""What swarms do to members and uploads: credits, counts, completions, and the events that tell of them."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, Row, bindparam, case, or_, select, update

from holdfast.catalogue.store import events
from holdfast.catalogue.tables import member, upload


@dataclass(frozen=True, slots=True)
class Credit:
    """What a member moved since he was last credited."""

    member_id: int
    uploaded: int
    downloaded: int


@dataclass(frozen=True, slots=True)
class Counts:
    """How many are in an upload's swarm."""

    seeders: int
    leechers: int


def credit(tx: Connection, now: float, due: Sequence[Credit]) -> None:
    """Add to what members moved, always in one order: two who credit at once must not wait for each other."""
    rows = [
        {"who": one.member_id, "up": one.uploaded, "down": one.downloaded}
        for one in sorted(due, key=lambda one: one.member_id)
    ]
    if rows:
        later = case((member.c.last_seen > now, member.c.last_seen), else_=now)
        query = update(member).where(member.c.id == bindparam("who"))
        tx.execute(
            query.values(
                uploaded=member.c.uploaded + bindparam("up"),
                downloaded=member.c.downloaded + bindparam("down"),
                last_seen=later,
            ),
            rows,
        )


def changed(
    tx: Connection, now: float, counts: Mapping[int, Counts], completed: Mapping[int, int] | None = None
) -> None:
    """Swarms have these counts now, and so many more members have completed the uploads."""
    completed = completed or {}
    touched = select(upload).where(upload.c.id.in_({*counts, *completed})).order_by(upload.c.id)
    rows = []
    for row in tx.execute(touched.with_for_update(key_share=True)).all():
        after = counts.get(row.id, Counts(row.seeders, row.leechers))
        more = completed.get(row.id, 0)
        seeded = row.seeders > 0 or after.seeders > 0
        if seeded or more or (row.seeders, row.leechers) != (after.seeders, after.leechers):
            rows.append(
                {
                    "which": row.id,
                    "s": after.seeders,
                    "l": after.leechers,
                    "c": row.completed + more,
                    "at": now if seeded else row.last_action,
                }
            )
            _tell(tx, now, row, after, more)
    if rows:
        query = update(upload).where(upload.c.id == bindparam("which"))
        tx.execute(
            query.values(
                seeders=bindparam("s"),
                leechers=bindparam("l"),
                completed=bindparam("c"),
                last_action=bindparam("at"),
            ),
            rows,
        )


def members_after(tx: Connection, after: int, limit: int) -> list[int]:
    """The next members, by number."""
    query = select(member.c.id).where(member.c.id > after).order_by(member.c.id).limit(limit)
    return list(tx.execute(query).scalars())


def populated(tx: Connection, after: int, limit: int) -> dict[int, Counts]:
    """The next uploads, by number, in whose swarms the records believe somebody to be."""
    query = (
        select(upload.c.id, upload.c.seeders, upload.c.leechers)
        .where(upload.c.id > after, or_(upload.c.seeders > 0, upload.c.leechers > 0))
        .order_by(upload.c.id)
        .limit(limit)
    )
    return {row.id: Counts(row.seeders, row.leechers) for row in tx.execute(query)}


def counts(tx: Connection, ids: Collection[int]) -> dict[int, Counts]:
    """What the records believe of these swarms; a number that is no upload's is left out."""
    query = select(upload.c.id, upload.c.seeders, upload.c.leechers).where(upload.c.id.in_(ids))
    return {row.id: Counts(row.seeders, row.leechers) for row in tx.execute(query)}


def still_seeded(tx: Connection, now: float, ids: Sequence[int]) -> None:
    """These have been seen to be seeded."""
    query = update(upload).where(upload.c.id.in_(ids), upload.c.seeders > 0)
    tx.execute(query.values(last_action=now))


def _tell(tx: Connection, now: float, before: Row[tuple[int, ...]], after: Counts, more: int) -> None:
    if (before.seeders, before.leechers, 0) == (after.seeders, after.leechers, more):
        return
    data = {
        "id": before.id,
        "seeders": after.seeders,
        "leechers": after.leechers,
        "completed": before.completed + more,
    }
    events.note(tx, now, "", "swarm.changed", "uploads", data)
    if (before.seeders > 0) != (after.seeders > 0):
        event = "swarm.seeded" if after.seeders else "swarm.unseeded"
        events.note(tx, now, "", event, "uploads", {"id": before.id})
