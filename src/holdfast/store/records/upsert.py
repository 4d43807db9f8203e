"""Insert or update in one statement, in the words that each database has for it."""

from typing import Any

from sqlalchemy import Connection, Table
from sqlalchemy.dialects import postgresql, sqlite


def upsert(tx: Connection, table: Table, key: dict[str, Any], values: dict[str, Any]) -> None:
    insert = postgresql.insert if tx.dialect.name == "postgresql" else sqlite.insert
    query = insert(table).values(**key, **values)
    tx.execute(query.on_conflict_do_update(index_elements=list(key), set_=values))
