"""Participations as people look at them, and what staff frees a member of."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from sqlalchemy import ColumnElement, Connection, Row, and_, insert, not_, or_, select, tuple_, update

from holdfast.catalogue.model import Actor, Member, MemberRef, Page, UploadRef
from holdfast.catalogue.service import lent
from holdfast.errors import NotFoundError
from holdfast.tracker import rules
from holdfast.tracker.model import Limits, Participation
from holdfast.tracker.store.books import HELD, of_pairs
from holdfast.tracker.store.marks import Pair
from holdfast.tracker.tables import participation

State: TypeAlias = Literal["seeding", "leeching", "complete", "incomplete", "hnr", "owing"]
HERE = participation.c
STATES = {
    "seeding": HERE.seeding > 0,
    "leeching": HERE.leeching > 0,
    "complete": HERE.complete,
    "incomplete": not_(HERE.complete),
    "hnr": HERE.hnr.is_not(None),
}


@dataclass(frozen=True, slots=True)
class Shown:
    """How a member stands on an upload; `hnr` tells since when he is listed, times are seconds."""

    seeding: int
    leeching: int
    complete: bool
    snatched: float | None
    time: int
    uploaded: int
    downloaded: int
    hnr: float | None
    exempt: bool
    time_owed: int
    hnr_at_risk: bool


@dataclass(frozen=True, slots=True)
class Taken(Shown):
    """An upload that a member took part in."""

    upload: UploadRef


@dataclass(frozen=True, slots=True)
class Participant(Shown):
    """A member who took part in an upload."""

    member: MemberRef


def of_member(
    tx: Connection,
    limits: Limits,
    member_id: int,
    *,
    state: State | None = None,
    cursor: str | None = None,
    limit: int = 50,
) -> Page[Taken]:
    """The newest uploads first."""
    query = select(participation).where(HERE.member_id == member_id)
    if state is not None:
        query = query.where(_owing(limits) if state == "owing" else STATES[state])
    page = lent.paged(tx, query, HERE.upload_id, cursor, limit, lambda row: row)
    uploads = lent.uploads(tx, {row.upload_id for row in page.items})
    taken = [Taken(upload=uploads[row.upload_id], **_shown(row, limits)) for row in page.items]
    return Page(taken, page.next)


def of_upload(
    tx: Connection, limits: Limits, upload_id: int, *, cursor: str | None = None, limit: int = 50
) -> Page[Participant]:
    """In the order in which the members joined the community."""
    lent.upload(tx, upload_id)
    query = select(participation).where(HERE.upload_id == upload_id)
    page = lent.paged(tx, query, HERE.member_id, cursor, limit, lambda row: row, newest_first=False)
    members = lent.members(tx, {row.member_id for row in page.items})
    those = [Participant(member=members[row.member_id], **_shown(row, limits)) for row in page.items]
    return Page(those, page.next)


def exempt(
    tx: Connection,
    now: float,
    actor: Actor,
    limits: Limits,
    member: Member,
    upload_id: int,
    *,
    on: bool,
    reason: str,
) -> Taken:
    """Free a member of what he owes an upload, or take that back; the live store is told afterwards."""
    pair = (member.id, upload_id)
    before = of_pairs(tx, [pair]).get(pair)
    if before is None:
        raise NotFoundError(f"{member.name} never took part in upload {upload_id}.")
    values = {"exempt": on, "exempt_told": False, "last_change": now} | ({"hnr": None} if on else {})
    tx.execute(update(participation).where(_here(pair)).values(values))
    old = {"upload": upload_id, "exempt": before.exempt}
    new = {"upload": upload_id, "exempt": on, "reason": reason}
    lent.audit(tx, now, actor, "participation.exempt", "member", member.id, member.name, old, new)
    row = tx.execute(select(participation).where(_here(pair))).one()
    return Taken(upload=lent.uploads(tx, {upload_id})[upload_id], **_shown(row, limits))


def untold(tx: Connection, limit: int) -> dict[Pair, bool]:
    """Exemptions, granted or taken back, of which the live store has not been told."""
    query = select(HERE.member_id, HERE.upload_id, HERE.exempt).where(HERE.exempt_told.is_(False))
    rows = tx.execute(query.limit(limit))
    return {(row.member_id, row.upload_id): row.exempt for row in rows}


def told(tx: Connection, pair: Pair, *, on: bool) -> None:
    """The live store has been told of this, which may be true no more."""
    tx.execute(update(participation).where(_here(pair), HERE.exempt.is_(on)).values(exempt_told=True))


def tell_again(tx: Connection) -> None:
    """The live store may have lost what it was told."""
    tx.execute(update(participation).where(HERE.exempt).values(exempt_told=False))


def present(tx: Connection, after: Pair, limit: int) -> dict[Pair, tuple[int, int]]:
    """The next members whom the records believe to take part in uploads, with their clients of each kind."""
    key = tuple_(HERE.member_id, HERE.upload_id)
    query = (
        select(HERE.member_id, HERE.upload_id, HERE.seeding, HERE.leeching)
        .where(key > after, or_(HERE.seeding > 0, HERE.leeching > 0))
        .order_by(HERE.member_id, HERE.upload_id)
        .limit(limit)
    )
    return {(row.member_id, row.upload_id): (row.seeding, row.leeching) for row in tx.execute(query)}


def present_on(tx: Connection, uploads: Collection[int]) -> list[Pair]:
    """The members who take part in these uploads now, as far as the records know."""
    query = select(HERE.member_id, HERE.upload_id).where(
        HERE.upload_id.in_(uploads), or_(HERE.seeding > 0, HERE.leeching > 0)
    )
    return [(row.member_id, row.upload_id) for row in tx.execute(query)]


def _owing(limits: Limits) -> ColumnElement[bool]:
    """As `rules.time_owed` has it: listed, or to be listed should he leave now."""
    owing = [not_(HERE.exempt), HERE.downloaded >= limits.hnr_bytes, HERE.time < limits.hnr_seconds]
    return and_(*owing, *([not_(HERE.complete)] if limits.hnr_clear_on_complete else []))


def _here(pair: Pair) -> ColumnElement[bool]:
    return and_(HERE.member_id == pair[0], HERE.upload_id == pair[1])


def _shown(row: Row[Any], limits: Limits) -> dict[str, Any]:
    held = {name: getattr(row, name) for name in HELD}
    owed = rules.time_owed(Participation(**held), limits)
    return held | {"time_owed": owed, "hnr_at_risk": owed > 0 and row.hnr is None}


@dataclass(frozen=True, slots=True)
class Formerly:
    """How a member stood on an upload at another tracker."""

    member_id: int
    upload_id: int
    complete: bool = False
    hnr: bool = False


def take_over(tx: Connection, now: float, actor: Actor, former: Collection[Formerly]) -> tuple[int, int]:
    """Enter standings of which nothing is known here; returns how many, and how many are about strangers."""
    members = lent.members(tx, {one.member_id for one in former})
    uploads = lent.uploads(tx, {one.upload_id for one in former})
    ours = {
        (one.member_id, one.upload_id): one
        for one in former
        if one.member_id in members and one.upload_id in uploads
    }
    known = of_pairs(tx, ours)
    new = [
        {
            "member_id": who,
            "upload_id": what,
            "complete": one.complete,
            "snatched": now if one.complete else None,
            "hnr": now if one.hnr else None,
            "first_seen": now,
            "last_change": now,
        }
        for (who, what), one in sorted(ours.items())
        if (who, what) not in known
    ]
    if new:
        tx.execute(insert(participation), new)
        after = {"added": len(new), "known": len(known)}
        title = f"{len(new)} participations"
        lent.audit(tx, now, actor, "participation.import", "participation", "", title, None, after)
    strangers = sum((one.member_id, one.upload_id) not in ours for one in former)
    return len(new), strangers
