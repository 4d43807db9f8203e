"""The outbox: what in the live store has fallen behind the records, one row for each thing.

A row names a thing, never its new value: whoever brings the live store up reads the value as it is
then. So rows may be worked off twice, late, or by two processes at once, and the last writer is right.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sqlalchemy import Column, Connection, Double, Index, String, Table, Text, delete, func, insert, select

from holdfast.store.records.metadata import Id, metadata

outbox = Table(
    "outbox",
    metadata,
    Column("id", Id, primary_key=True),
    Column("kind", String(16), nullable=False),
    Column("key", Text, nullable=False),
    Column("created", Double, nullable=False),
    Column("request_id", String(64), nullable=False, default=""),
    sqlite_autoincrement=True,
)
Index("ix_outbox_kind_key", outbox.c.kind, outbox.c.key)


@dataclass(frozen=True, slots=True)
class Behind:
    """A thing that the live store must be brought up to."""

    id: int
    kind: str
    key: str
    created: float
    request_id: str

    @property
    def thing(self) -> tuple[str, str]:
        return self.kind, self.key


def note(tx: Connection, now: float, request_id: str, things: Iterable[tuple[str, str]]) -> None:
    """Say, in the transaction that changes them, which things the live store must follow."""
    rows = [{"kind": kind, "key": key, "created": now, "request_id": request_id} for kind, key in things]
    if rows:
        tx.execute(insert(outbox), rows)


def oldest(tx: Connection, limit: int) -> list[Behind]:
    rows = tx.execute(select(outbox).order_by(outbox.c.id).limit(limit))
    return [Behind(row.id, row.kind, row.key, row.created, row.request_id) for row in rows]


def done(tx: Connection, ids: Sequence[int]) -> None:
    tx.execute(delete(outbox).where(outbox.c.id.in_(ids)))


def waiting(tx: Connection) -> tuple[int, float | None]:
    """How many rows wait, and since when the oldest does."""
    count, since = tx.execute(select(func.count(), func.min(outbox.c.created)).select_from(outbox)).one()
    return count, since
