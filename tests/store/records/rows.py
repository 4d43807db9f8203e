"""The smallest work that can be done on records: a row with a name."""

from collections.abc import Callable

from sqlalchemy import Connection, insert, select

from holdfast.catalogue.tables import category
from holdfast.store.records import Records


def adding(name: str) -> Callable[[Connection], str]:
    """Work that writes one row; a name may be written once."""

    def add(tx: Connection) -> str:
        tx.execute(insert(category).values(name=name, name_key=name, points=0))
        return name

    return add


def names(tx: Connection) -> list[str]:
    found = tx.execute(select(category.c.name).where(category.c.name != "General").order_by(category.c.id))
    return list(found.scalars())


def kept(records: Records) -> list[str]:
    """What somebody else sees who reads now."""
    return records.read_now(names)
