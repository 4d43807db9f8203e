"""Insert, or do something else where the row is there: in one statement, in each database's own words."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, Table
from sqlalchemy.dialects import postgresql, sqlite


def upsert(tx: Connection, table: Table, key: dict[str, Any], values: dict[str, Any]) -> None:
    query = _insert(tx, table).values(**key, **values)
    tx.execute(query.on_conflict_do_update(index_elements=list(key), set_=values))


def add_missing(tx: Connection, table: Table, rows: Sequence[dict[str, Any]]) -> None:
    """Insert the rows that are not there yet."""
    if rows:
        tx.execute(_insert(tx, table).on_conflict_do_nothing(), rows)


def add_up(
    tx: Connection, table: Table, key: Sequence[str], rows: Sequence[dict[str, Any]], sums: Sequence[str]
) -> None:
    """Insert rows, or add what they count to those that are there."""
    if rows:
        query = _insert(tx, table)
        added = {name: table.c[name] + query.excluded[name] for name in sums}
        tx.execute(query.on_conflict_do_update(index_elements=list(key), set_=added), rows)


def _insert(tx: Connection, table: Table) -> postgresql.Insert | sqlite.Insert:
    dialect = postgresql if tx.dialect.name == "postgresql" else sqlite
    return dialect.insert(table)  # type: ignore[no-any-return]
