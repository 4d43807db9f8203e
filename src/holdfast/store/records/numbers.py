"""Automatic numbers go on behind those that were given by hand, in whatever database."""

from sqlalchemy import Connection, Table, func, select


def count_on(tx: Connection, table: Table) -> None:
    """To be called after rows were given an `id`: PostgreSQL hands out the next one without looking."""
    if tx.dialect.name == "postgresql":
        sequence = func.pg_get_serial_sequence(table.name, "id")
        last = select(func.max(table.c.id)).scalar_subquery()
        tx.execute(select(func.setval(sequence, func.greatest(last, func.nextval(sequence)))))
