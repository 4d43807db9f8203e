"""Listings by cursor: the next page begins after the last id seen, however much changed in between."""

from collections.abc import Callable
from typing import Any, TypeVar

from sqlalchemy import Column, Connection, Row, Select

from holdfast.catalogue.model import Page
from holdfast.paging import decode_cursor, encode_cursor

T = TypeVar("T")


def paged(
    tx: Connection,
    query: Select[Any],
    key: Column[int],
    cursor: str | None,
    limit: int,
    make: Callable[[Row[Any]], T],
    *,
    newest_first: bool = True,
) -> Page[T]:
    """One page of `query` in the order of `key`; one row more is read, to know whether another follows."""
    if cursor is not None:
        (last,) = decode_cursor(cursor, int)
        query = query.where(key < last if newest_first else key > last)
    rows = tx.execute(query.order_by(key.desc() if newest_first else key).limit(limit + 1)).all()
    shown = rows[:limit]
    following = encode_cursor(getattr(shown[-1], key.key)) if len(rows) > limit else None
    return Page([make(row) for row in shown], following)
