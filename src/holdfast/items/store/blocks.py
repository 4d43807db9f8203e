"""Blocks in the records. One that is lifted ends now; the clerk forgets it once the live store has, too."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, delete, insert, or_, select, update

from holdfast.catalogue.model import Actor, Page
from holdfast.catalogue.service import lent
from holdfast.errors import InvalidError, NotFoundError
from holdfast.items import rules
from holdfast.items.model import Block, Project
from holdfast.items.tables import block


def add(
    tx: Connection,
    now: float,
    actor: Actor,
    project: Project | None,
    whom: str,
    reason: str,
    until: float | None,
) -> Block:
    if until is not None and until <= now:
        raise InvalidError("A block ends in the future; leave its end out for one that stays.")
    row = {
        "project_id": project.id if project else None,
        "whom": rules.whom(whom),
        "reason": rules.reason(reason),
        "at": now,
        "until": until,
        "by": actor.name,
    }
    key = tx.execute(insert(block).values(row)).inserted_primary_key
    added = _get(tx, now, key[0] if key else 0)
    _tell(tx, now, actor, "block.add", added, None, asdict(added))
    return added


def lift(tx: Connection, now: float, actor: Actor, number: int) -> None:
    ended = _get(tx, now, number)
    tx.execute(update(block).where(block.c.id == number).values(until=now))
    _tell(tx, now, actor, "block.lift", ended, asdict(ended), None)


def every(tx: Connection) -> list[Block]:
    """Also those that have ended a moment ago."""
    return [_block(row) for row in tx.execute(select(block).order_by(block.c.id))]


def forget(tx: Connection, ended: Sequence[int]) -> None:
    tx.execute(delete(block).where(block.c.id.in_(ended)))


def listing(
    tx: Connection, now: float, project: Project | None, *, cursor: str | None = None, limit: int = 50
) -> Page[Block]:
    """Those that hold: all, or those that concern a project."""
    query = select(block).where(_holds(now))
    if project is not None:
        query = query.where(or_(block.c.project_id == project.id, block.c.project_id.is_(None)))
    return lent.paged(tx, query, block.c.id, cursor, limit, _block)


def _holds(now: float) -> ColumnElement[bool]:
    return or_(block.c.until.is_(None), block.c.until > now)


def _get(tx: Connection, now: float, number: int) -> Block:
    row = tx.execute(select(block).where(block.c.id == number, _holds(now)).with_for_update()).one_or_none()
    if row is None:
        raise NotFoundError(f"There is no block {number}; `holdfast items blocks` shows all.")
    return _block(row)


def _block(row: Row[Any]) -> Block:
    return Block(**row._asdict())


def _tell(
    tx: Connection,
    now: float,
    actor: Actor,
    action: str,
    one: Block,
    before: dict[str, Any] | None,
    after: dict[str, Any] | None,
) -> None:
    lent.audit(tx, now, actor, action, "block", one.id, one.whom, before, after)
    lent.tell(tx, now, actor.request_id, "blocks.changed", "projects", {})
