"""Points: an append-only ledger whose sum is the balance."""

from typing import Any

from sqlalchemy import Connection, Row, Select, func, insert, select

from holdfast.catalogue import rules
from holdfast.catalogue.model import Actor, Member, MemberRef, Page, PointsEntry
from holdfast.catalogue.store import audit, events
from holdfast.catalogue.store.pages import paged
from holdfast.catalogue.tables import member, points


def enter(
    tx: Connection,
    now: float,
    member_id: int,
    amount: int,
    reason: str,
    *,
    upload_id: int | None = None,
    by: int | None = None,
) -> int:
    """Write a row into the ledger on behalf of a change that has its own audit entry."""
    row = {"member_id": member_id, "at": now, "amount": amount, "reason": reason}
    query = insert(points).values(**row, upload_id=upload_id, by_id=by).returning(points.c.id)
    return int(tx.execute(query).scalar_one())


def give(tx: Connection, now: float, actor: Actor, who: Member, amount: int, reason: str) -> PointsEntry:
    """Give points, or take them when the amount is negative."""
    sentence = rules.line("reason", reason)
    entry = enter(tx, now, who.id, rules.points_amount(amount), sentence, by=actor.member_id)
    after = {"amount": amount, "reason": sentence}
    audit.record(tx, now, actor, "points.give", "member", who.id, who.name, None, after)
    events.note(tx, now, actor.request_id, "member.changed", "members", {"id": who.id})
    return _entry(tx.execute(_entries(who.id).where(points.c.id == entry)).one())


def balance(tx: Connection, member_id: int) -> int:
    query = select(func.coalesce(func.sum(points.c.amount), 0)).where(points.c.member_id == member_id)
    return int(tx.execute(query).scalar_one())


def of_upload(tx: Connection, upload_id: int) -> list[tuple[int, int]]:
    """What an upload has earned each member so far, in sum."""
    query = (
        select(points.c.member_id, func.sum(points.c.amount))
        .where(points.c.upload_id == upload_id)
        .group_by(points.c.member_id)
        .order_by(points.c.member_id)
    )
    return [(member_id, int(amount)) for member_id, amount in tx.execute(query)]


def listing(
    tx: Connection, member_id: int, *, cursor: str | None = None, limit: int = 50
) -> Page[PointsEntry]:
    return paged(tx, _entries(member_id), points.c.id, cursor, limit, _entry)


def _entries(member_id: int) -> Select[Any]:
    earlier = points.alias("earlier")
    balance_after = (
        select(func.sum(earlier.c.amount))
        .where(earlier.c.member_id == points.c.member_id, earlier.c.id <= points.c.id)
        .scalar_subquery()
    )
    return (
        select(points, member.c.name.label("by_name"), balance_after.label("balance_after"))
        .outerjoin(member, member.c.id == points.c.by_id)
        .where(points.c.member_id == member_id)
    )


def _entry(row: Row[Any]) -> PointsEntry:
    by = MemberRef(row.by_id, row.by_name) if row.by_id is not None else None
    return PointsEntry(row.id, row.at, row.amount, row.reason, row.upload_id, by, int(row.balance_after))
