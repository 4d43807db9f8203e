"""Notices: an inbox for each member, and the deliveries that carry them further."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
from sqlalchemy import Connection, Row, delete, func, insert, not_, or_, select, update

from holdfast.catalogue import rules
from holdfast.catalogue.model import Delivery, DeliveryState, Notice, NoticeRole, Page, Preferences
from holdfast.catalogue.store import events
from holdfast.catalogue.store.pages import paged
from holdfast.catalogue.tables import delivery, member, notice
from holdfast.errors import NotFoundError

EMAIL = "email"
WEBHOOK = "webhook"


@dataclass(frozen=True, slots=True)
class Due:
    """A delivery whose time has come."""

    notice_id: int
    sink: str
    attempts: int
    kind: str
    subject: str
    body: str
    created: float
    member_id: int
    member_name: str
    email: str | None


def send(
    tx: Connection,
    now: float,
    member_id: int,
    kind: str,
    role: NoticeRole,
    subject: str,
    body: str,
    *,
    sinks: Sequence[str] = (),
    request_id: str = "",
) -> int | None:
    """Write a notice in the transaction that causes it; None when the member wants it nowhere.

    `sinks` are the further ways that the operator has set up; the member's preferences choose among them.
    """
    found = tx.execute(
        select(member.c.preferences, member.c.email, member.c.enabled).where(member.c.id == member_id)
    ).one()
    if not found.enabled:
        return None
    wanted = rules.wanted_sinks(msgspec.convert(found.preferences, Preferences), role)
    carried = [WEBHOOK] if wanted.webhook and WEBHOOK in sinks else []
    if wanted.email and EMAIL in sinks and found.email:
        carried.append(EMAIL)
    if not wanted.page and not carried:
        return None
    values = {"member_id": member_id, "kind": kind, "role": role, "subject": subject, "body": body}
    query = insert(notice).values(**values, created=now, on_page=wanted.page).returning(notice.c.id)
    notice_id = int(tx.execute(query).scalar_one())
    for sink in carried:
        row = {"notice_id": notice_id, "sink": sink, "state": DeliveryState.PENDING, "next_at": now}
        tx.execute(insert(delivery).values(**row, attempts=0))
    events.note(tx, now, request_id, "notice.added", "notices", {"id": notice_id}, member_id)
    return notice_id


def listing(
    tx: Connection, member_id: int, *, unread: bool = False, cursor: str | None = None, limit: int = 50
) -> Page[Notice]:
    query = select(notice).where(notice.c.member_id == member_id, notice.c.on_page)
    if unread:
        query = query.where(notice.c.read_at.is_(None))
    page = paged(tx, query, notice.c.id, cursor, limit, lambda row: row)
    return Page(_with_deliveries(tx, page.items), page.next)


def unread(tx: Connection, member_id: int) -> int:
    query = select(func.count()).where(
        notice.c.member_id == member_id, notice.c.on_page, notice.c.read_at.is_(None)
    )
    return tx.execute(query).scalar_one()


def mark_read(tx: Connection, now: float, member_id: int, notice_id: int) -> Notice:
    mine = (notice.c.id == notice_id) & (notice.c.member_id == member_id) & notice.c.on_page
    tx.execute(update(notice).where(mine, notice.c.read_at.is_(None)).values(read_at=now))
    row = tx.execute(select(notice).where(mine)).one_or_none()
    if row is None:
        raise NotFoundError(f"There is no notice {notice_id} in this inbox.")
    return _with_deliveries(tx, [row])[0]


def mark_all_read(tx: Connection, now: float, member_id: int) -> int:
    query = update(notice).where(
        notice.c.member_id == member_id, notice.c.on_page, notice.c.read_at.is_(None)
    )
    return tx.execute(query.values(read_at=now)).rowcount


def due(tx: Connection, now: float, limit: int) -> list[Due]:
    query = (
        select(delivery, notice, member.c.name, member.c.email)
        .join(notice, notice.c.id == delivery.c.notice_id)
        .join(member, member.c.id == notice.c.member_id)
        .where(delivery.c.state == DeliveryState.PENDING, delivery.c.next_at <= now)
        .order_by(delivery.c.next_at, delivery.c.notice_id)
        .limit(limit)
    )
    return [
        Due(
            row.notice_id,
            row.sink,
            row.attempts,
            row.kind,
            row.subject,
            row.body,
            row.created,
            row.member_id,
            row.name,
            row.email,
        )
        for row in tx.execute(query)
    ]


def claim(tx: Connection, one: Due, until: float) -> bool:
    """Take a delivery for one attempt; False when another process has taken it.

    The attempt is counted before it is made: a process that dies in the middle has tried.
    """
    query = update(delivery).where(
        delivery.c.notice_id == one.notice_id,
        delivery.c.sink == one.sink,
        delivery.c.state == DeliveryState.PENDING,
        delivery.c.attempts == one.attempts,
    )
    return tx.execute(query.values(attempts=one.attempts + 1, next_at=until)).rowcount == 1


def settle(
    tx: Connection, one: Due, state: DeliveryState, *, error: str | None = None, next_at: float = 0.0
) -> None:
    """Say how the attempt ended. What was sent stays sent; a failure counts unless somebody tried since."""
    query = update(delivery).where(delivery.c.notice_id == one.notice_id, delivery.c.sink == one.sink)
    if state is not DeliveryState.SENT:
        query = query.where(
            delivery.c.state == DeliveryState.PENDING, delivery.c.attempts == one.attempts + 1
        )
    tx.execute(query.values(state=state, error=error, next_at=next_at))


def forget(tx: Connection, before: float) -> int:
    """Drop what is older than the operator keeps and was read, or can never be for it is on no page."""
    finished = or_(notice.c.read_at.is_not(None), not_(notice.c.on_page))
    return tx.execute(delete(notice).where(notice.c.created < before, finished)).rowcount


def _with_deliveries(tx: Connection, rows: list[Row[Any]]) -> list[Notice]:
    carried: dict[int, list[Delivery]] = {row.id: [] for row in rows}
    found = tx.execute(select(delivery).where(delivery.c.notice_id.in_(carried)).order_by(delivery.c.sink))
    for one in found:
        state = DeliveryState(one.state)
        carried[one.notice_id].append(Delivery(one.sink, state, one.attempts, one.error))
    return [
        Notice(
            row.id,
            row.kind,
            NoticeRole(row.role),
            row.subject,
            row.body,
            row.created,
            row.read_at,
            tuple(carried[row.id]),
        )
        for row in rows
    ]
