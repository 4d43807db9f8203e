"""Reports to the staff about what looks like cheating; nobody is ever banned by a machine."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from sqlalchemy import Connection, Row, delete, insert, select, update

from holdfast.catalogue.model import Actor, MemberRef, Page, UploadRef
from holdfast.catalogue.service import lent
from holdfast.errors import ConflictError, NotFoundError
from holdfast.tracker.tables import report, swarm_share, swarm_window

NAMED = 5


class Kind(StrEnum):
    SPEED = "speed"
    BALANCE = "balance"
    LEAK = "leak"


class Verdict(StrEnum):
    CHEATING = "cheating"
    MISTAKE = "mistake"
    UNCLEAR = "unclear"


@dataclass(frozen=True, slots=True)
class Suspicion:
    """Something that staff should look at; `worst` is what the worst report of its kind has most of."""

    kind: Kind
    member_id: int | None
    upload_id: int
    worst: int
    details: dict[str, Any]

    @property
    def about(self) -> str:
        return f"{self.kind}:{self.member_id or 0}:{self.upload_id}"


@dataclass(frozen=True, slots=True)
class Settlement:
    at: float
    by: MemberRef | None
    verdict: Verdict
    note: str


@dataclass(frozen=True, slots=True)
class Report:
    """`worst` is bytes a second for `speed`, bytes too many for `balance`, the last time for `leak`; details
    are of that time."""

    id: int
    kind: Kind
    member: MemberRef | None
    upload: UploadRef | None
    first: float
    last: float
    count: int
    worst: int
    details: dict[str, Any]
    settled: Settlement | None


@dataclass(frozen=True, slots=True)
class Window:
    """What moved in an upload's swarm since a time."""

    upload_id: int
    since: float
    uploaded: int
    downloaded: int


def enter(tx: Connection, now: float, suspicions: Sequence[Suspicion]) -> None:
    """Open a report for each, or count it to the open one; those about strangers are left out."""
    members = lent.members(tx, {one.member_id for one in suspicions if one.member_id is not None})
    uploads = lent.uploads(tx, {one.upload_id for one in suspicions})
    for one in suspicions:
        if one.upload_id in uploads and (one.member_id is None or one.member_id in members):
            _enter(tx, now, one)


def listing(
    tx: Connection, *, settled: bool | None = None, cursor: str | None = None, limit: int = 50
) -> Page[Report]:
    """The newest first; `settled` None shows open and settled ones together."""
    query = select(report)
    if settled is not None:
        query = query.where(report.c.settled.is_not(None) if settled else report.c.settled.is_(None))
    page = lent.paged(tx, query, report.c.id, cursor, limit, lambda row: row)
    return Page(_read(tx, page.items), page.next)


def settle(tx: Connection, now: float, actor: Actor, report_id: int, verdict: Verdict, note: str) -> Report:
    """Staff has looked at it; what is seen after that opens a new report."""
    query = select(report).where(report.c.id == report_id)
    row = tx.execute(query.with_for_update()).one_or_none()
    if row is None:
        raise NotFoundError(f"There is no report {report_id}.")
    if row.settled is not None:
        raise ConflictError(f"Report {report_id} was settled already.")
    values = {"settled": now, "settled_by": actor.member_id, "verdict": verdict, "note": note}
    tx.execute(update(report).where(report.c.id == report_id).values(values))
    (after,) = _read(tx, [tx.execute(query).one()])
    name = after.member.name if after.member else ""
    told = {"kind": row.kind, "verdict": verdict, "note": note}
    lent.audit(tx, now, actor, "report.settle", "report", report_id, name, None, told)
    lent.tell(tx, now, actor.request_id, "report.settled", "system", {"id": report_id})
    return after


# Windows --------------------------------------------------------------------------------------------------


def due(tx: Connection, before: float, limit: int) -> list[Window]:
    """The windows that were opened before then."""
    query = select(swarm_window).where(swarm_window.c.since <= before).order_by(swarm_window.c.since)
    rows = tx.execute(query.limit(limit))
    return [Window(row.upload_id, row.since, row.uploaded, row.downloaded) for row in rows]


def close(tx: Connection, windows: Collection[Window]) -> list[tuple[Window, list[tuple[int, int]]]]:
    """Close windows; returns those that nobody has closed meanwhile, with who uploaded most there."""
    closed = []
    for one in windows:
        here = (swarm_window.c.upload_id == one.upload_id) & (swarm_window.c.since == one.since)
        gone = delete(swarm_window).where(here).returning(*swarm_window.c)
        row = tx.execute(gone).one_or_none()
        if row is None:
            continue
        window = Window(row.upload_id, row.since, row.uploaded, row.downloaded)
        shares = swarm_share.c.upload_id == one.upload_id
        most = select(swarm_share.c.member_id, swarm_share.c.uploaded).where(shares)
        most = most.order_by(swarm_share.c.uploaded.desc(), swarm_share.c.member_id).limit(NAMED)
        closed.append((window, [(found.member_id, found.uploaded) for found in tx.execute(most)]))
        tx.execute(delete(swarm_share).where(shares))
    return closed


def _enter(tx: Connection, now: float, one: Suspicion) -> None:
    is_open = (report.c.about == one.about) & report.c.settled.is_(None)
    row = tx.execute(select(report.c.id, report.c.worst).where(is_open).with_for_update()).one_or_none()
    if row is not None:
        worse = {"worst": one.worst, "details": one.details} if one.worst > row.worst else {}
        values = {"last": now, "times": report.c.times + 1} | worse
        tx.execute(update(report).where(report.c.id == row.id).values(values))
        return
    new = {"kind": one.kind, "about": one.about, "member_id": one.member_id, "upload_id": one.upload_id}
    values = {"first": now, "last": now, "times": 1, "worst": one.worst, "details": one.details}
    made = tx.execute(insert(report).values(new | values).returning(report.c.id)).scalar_one()
    lent.tell(tx, now, "", "report.opened", "system", {"id": made})


def _read(tx: Connection, rows: Sequence[Row[Any]]) -> list[Report]:
    people = {who for row in rows for who in (row.member_id, row.settled_by) if who is not None}
    members = lent.members(tx, people)
    uploads = lent.uploads(tx, {row.upload_id for row in rows if row.upload_id is not None})
    return [
        Report(
            id=row.id,
            kind=Kind(row.kind),
            member=members.get(row.member_id),
            upload=uploads.get(row.upload_id),
            first=row.first,
            last=row.last,
            count=row.times,
            worst=row.worst,
            details=row.details,
            settled=None
            if row.settled is None
            else Settlement(row.settled, members.get(row.settled_by), Verdict(row.verdict), row.note),
        )
        for row in rows
    ]
