"""Categories: what kind of thing an upload is, and how many points it is worth."""

from typing import Any

from sqlalchemy import Connection, Row, insert, select, update
from sqlalchemy.exc import IntegrityError

from holdfast.catalogue import rules
from holdfast.catalogue.model import Actor, Category
from holdfast.catalogue.store import audit
from holdfast.catalogue.tables import category
from holdfast.errors import ConflictError, NotFoundError

TAKEN = "There is a category named {} already; choose another name."


def add(tx: Connection, now: float, actor: Actor, *, name: str, points: int) -> Category:
    values = _values(name, points)
    try:
        with tx.begin_nested():
            row = tx.execute(insert(category).values(values).returning(category)).one()
    except IntegrityError as error:
        raise ConflictError(TAKEN.format(name)) from error
    after = {"name": row.name, "points": row.points}
    audit.record(tx, now, actor, "category.add", "category", row.id, row.name, None, after)
    return _category(row)


def change(
    tx: Connection, now: float, actor: Actor, category_id: int, *, name: str | None, points: int | None
) -> Category:
    # So that the audit tells what was before, and not what was before somebody else's change.
    tx.execute(select(category.c.id).where(category.c.id == category_id).with_for_update(key_share=True))
    before = get(tx, category_id)
    values = _values(name or before.name, before.points if points is None else points)
    try:
        with tx.begin_nested():
            tx.execute(update(category).where(category.c.id == category_id).values(values))
    except IntegrityError as error:
        raise ConflictError(TAKEN.format(name)) from error
    after = get(tx, category_id)
    if after != before:
        old = {"name": before.name, "points": before.points}
        new = {"name": after.name, "points": after.points}
        audit.record(tx, now, actor, "category.change", "category", category_id, after.name, old, new)
    return after


def get(tx: Connection, category_id: int) -> Category:
    row = tx.execute(select(category).where(category.c.id == category_id)).one_or_none()
    if row is None:
        raise NotFoundError(f"There is no category {category_id}; `holdfast upload categories` shows all.")
    return _category(row)


def named(tx: Connection, name: str) -> Category:
    row = tx.execute(select(category).where(category.c.name_key == rules.name_key(name))).one_or_none()
    if row is None:
        known = ", ".join(one.name for one in listing(tx))
        raise NotFoundError(f"There is no category “{name[:64]}”; there are: {known}.")
    return _category(row)


def listing(tx: Connection) -> list[Category]:
    return [_category(row) for row in tx.execute(select(category).order_by(category.c.name_key))]


def _values(name: str, points: int) -> dict[str, Any]:
    clean = rules.line("name of a category", name, 64)
    return {"name": clean, "name_key": rules.name_key(clean), "points": rules.points_value(points)}


def _category(row: Row[Any]) -> Category:
    return Category(row.id, row.name, row.points)
