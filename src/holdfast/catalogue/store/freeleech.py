"""Freeleech: times in which everything is credited by other shares, and what was planned before."""

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from sqlalchemy import Connection, Row, insert, select, update

from holdfast.catalogue import rules
from holdfast.catalogue.model import SHARE, Actor, Freeleech, Page
from holdfast.catalogue.store import audit, events
from holdfast.catalogue.store.pages import paged
from holdfast.catalogue.tables import freeleech
from holdfast.errors import ConflictError, NotFoundError
from holdfast.store.records import outbox

WINDOW = "window"


def add(
    tx: Connection,
    now: float,
    actor: Actor,
    *,
    starts: float,
    ends: float,
    multi_up: float,
    multi_down: float,
    reason: str,
) -> Freeleech:
    starts, ends = rules.freeleech_time(now, starts, ends)
    values = {
        "starts": starts,
        "ends": ends,
        "multi_up": rules.share(multi_up),
        "multi_down": rules.share(multi_down),
        "reason": rules.line("reason", reason, 500),
    }
    added = _freeleech(tx.execute(insert(freeleech).values(values).returning(freeleech)).one())
    _tell(tx, now, actor, added, "freeleech.add", None, asdict(added))
    return added


def end(tx: Connection, now: float, actor: Actor, number: int) -> None:
    """At once; one that has not begun never will."""
    row = tx.execute(select(freeleech).where(freeleech.c.id == number).with_for_update()).one_or_none()
    if row is None:
        raise NotFoundError(f"There is no freeleech {number}; `holdfast freeleech list` shows all.")
    if row.retired is not None or row.ends <= now:
        raise ConflictError(f"Freeleech {number} is over already.")
    ends = max(row.starts, now)
    tx.execute(update(freeleech).where(freeleech.c.id == number).values(ends=ends, retired=now))
    _tell(tx, now, actor, _freeleech(row), "freeleech.end", {"ends": row.ends}, {"ends": ends})


def listing(
    tx: Connection, *, now: float | None = None, cursor: str | None = None, limit: int = 50
) -> Page[Freeleech]:
    """The newest first; with `now` those that are in force then, and no others."""
    query = select(freeleech)
    if now is not None:
        query = query.where(freeleech.c.starts <= now, freeleech.c.ends > now)
    return paged(tx, query, freeleech.c.id, cursor, limit, _freeleech)


def _tell(
    tx: Connection, now: float, actor: Actor, one: Freeleech, action: str, before: Any, after: dict[str, Any]
) -> None:
    audit.record(tx, now, actor, action, "freeleech", one.id, one.reason, before, after)
    outbox.note(tx, now, actor.request_id, [(WINDOW, str(number)) for number in [one.id, *_retire(tx, now)]])
    events.note(tx, now, actor.request_id, "freeleech.changed", "freeleech", {"id": one.id})


def _retire(tx: Connection, now: float) -> Iterable[int]:
    """Take down what was over, whenever somebody changes the plan: trackers need not read what is past."""
    over = update(freeleech).where(freeleech.c.ends <= now, freeleech.c.retired.is_(None))
    return tx.execute(over.values(retired=now).returning(freeleech.c.id)).scalars()


def _freeleech(row: Row[Any]) -> Freeleech:
    return Freeleech(row.id, row.starts, row.ends, row.multi_up / SHARE, row.multi_down / SHARE, row.reason)
