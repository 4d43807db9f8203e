"""What the records are fed from the live store: where each feed was left, and since when it has no gap."""

from sqlalchemy import Connection, Row, select, update

from holdfast.store.records.upsert import add_missing
from holdfast.tracker.tables import feed

ANNOUNCES = "announces"
"""Its position is the era of the live store; whoever judges by what was not announced asks for its gaps."""
SUSPICIONS = "suspicions"
LONGEST_SILENCE = 600.0
"""Seconds without a look at the marks that make a gap."""


def position(tx: Connection, name: str) -> str:
    return tx.execute(select(feed.c.position).where(feed.c.name == name)).scalar_one_or_none() or ""


def move(tx: Connection, now: float, name: str, before: str, after: str) -> bool:
    """Take the feed further; False when somebody else has."""
    one = _locked(tx, now, name)
    if one.position != before:
        return False
    tx.execute(update(feed).where(feed.c.name == name).values(position=after, last_heard=now))
    return True


def heard(tx: Connection, now: float, era: str) -> bool:
    """Note that announces are heard; True when the live store is not the one that was heard last."""
    one = _locked(tx, now, ANNOUNCES)
    lost = bool(one.position) and one.position != era
    whole = not lost and now - one.last_heard <= LONGEST_SILENCE
    values = {"position": era, "last_heard": now} | ({} if whole else {"whole_since": now})
    tx.execute(update(feed).where(feed.c.name == ANNOUNCES).values(values))
    return lost


def whole_since(tx: Connection, name: str = ANNOUNCES) -> tuple[float, float] | None:
    """Since when, and until when, the feed was heard without a gap; None when it never was."""
    query = select(feed.c.whole_since, feed.c.last_heard).where(feed.c.name == name)
    row = tx.execute(query).one_or_none()
    return None if row is None else (row.whole_since, row.last_heard)


def _locked(tx: Connection, now: float, name: str) -> Row[tuple[object, ...]]:
    blank = {"name": name, "position": "", "last_heard": now, "whole_since": now}
    add_missing(tx, feed, [blank])
    return tx.execute(select(feed).where(feed.c.name == name).with_for_update()).one()
