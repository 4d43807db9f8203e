"""The records carried to another database, whole and in one transaction; the old ones stay as they were."""

import asyncio
from collections.abc import Callable, Iterator

import sqlalchemy as sa
from sqlalchemy import Connection, MetaData, Table

from holdfast.clock import Clock
from holdfast.errors import ConflictError, HoldfastError
from holdfast.settings import Settings
from holdfast.store.records import Records
from holdfast.store.records.migrate import HEAD, migrate, revision
from holdfast.stores import records_of
from holdfast.supervise.folder import claim_folder
from holdfast.supervise.model import Say

ROWS, LARGE_ROWS = 500, 16
VERSION_TABLE = "alembic_version"
BORN_WITH = frozenset({"category"})
"""Tables into which the migrations themselves put rows."""

Tell = Callable[[str, int], None]
"""Told each table and how many rows it has."""


async def move_from(here: Settings, there: Settings, clock: Clock, say: Say, tell: Tell) -> None:
    """Under the lock of the data folder, so that nothing is written to the old records meanwhile."""
    with await claim_folder(here.data, clock, say):
        async with records_of(here) as source, records_of(there) as target:
            await asyncio.to_thread(move, source, target, tell)


def move(source: Records, target: Records, tell: Tell) -> None:
    """Fill an empty database; nothing of it is seen by others before all of it is there."""
    if source.engine.url == target.engine.url:
        raise ConflictError("The records are there already; name another database.")
    if source.read_now(revision) != HEAD:
        raise ConflictError(f"The records are not at schema {HEAD}; run `holdfast migrate` first.")
    migrate(target)
    source.read_now(lambda theirs: target.write_now(lambda ours: _copy_all(theirs, ours, tell)))


def _copy_all(theirs: Connection, ours: Connection, tell: Tell) -> None:
    seen, made = MetaData(), MetaData()
    seen.reflect(theirs)
    made.reflect(ours)
    tables = [table for table in made.sorted_tables if table.name != VERSION_TABLE]
    _require_empty(ours, tables)
    for table in tables:
        count = _copy(theirs, ours, seen.tables[table.name], table)
        _count_on(ours, table)
        tell(table.name, count)


def _require_empty(ours: Connection, tables: list[Table]) -> None:
    for table in reversed(tables):
        if table.name in BORN_WITH:
            continue
        if ours.execute(sa.select(sa.exists().select_from(table))).scalar_one():
            raise ConflictError(
                f"The database to move to has records already (table {table.name}); name an empty one."
            )
    for table in tables:
        if table.name in BORN_WITH:
            ours.execute(sa.delete(table))


def _copy(theirs: Connection, ours: Connection, seen: Table, made: Table) -> int:
    count = 0
    for rows in _batches(theirs, seen):
        ours.execute(sa.insert(made), rows)
        count += len(rows)
    there = ours.execute(sa.select(sa.func.count()).select_from(made)).scalar_one()
    if there != count:
        raise HoldfastError(
            f"Only {there} of {count} rows of {made.name} arrived, so nothing was moved; please report this."
        )
    return count


def _batches(theirs: Connection, table: Table) -> Iterator[list[dict[str, object]]]:
    large = any(isinstance(column.type, sa.LargeBinary) for column in table.columns)
    query = sa.select(table).order_by(*table.primary_key.columns)
    with theirs.execution_options(yield_per=LARGE_ROWS if large else ROWS).execute(query) as found:
        for rows in found.mappings().partitions():
            yield [dict(row) for row in rows]


def _count_on(ours: Connection, table: Table) -> None:
    """PostgreSQL gives out ids from a sequence, which knows nothing of rows that brought theirs along."""
    if ours.dialect.name != "postgresql" or "id" not in table.columns:
        return
    sequence = ours.execute(
        sa.text("SELECT pg_get_serial_sequence(:table, 'id')"), {"table": table.name}
    ).scalar_one()
    if sequence is not None:
        highest = ours.execute(sa.select(sa.func.max(table.columns.id))).scalar_one()
        if highest is not None:
            ours.execute(
                sa.text("SELECT setval(CAST(:sequence AS regclass), :highest)"),
                {"sequence": sequence, "highest": highest},
            )
