"""What the marks stand for, entered into the records: every byte and every snatch once.

A thing is entered only if nobody has entered it since before it was read from the live store: of two
readings the later one is entered last, and what was counted before is never counted again.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from sqlalchemy import Connection, bindparam, select, tuple_, update

from holdfast.catalogue.model import NoticeRole
from holdfast.catalogue.service import lent
from holdfast.store.records.upsert import add_missing, add_up
from holdfast.tracker import rules
from holdfast.tracker.model import Limits, Participation, Seen, Standing, Swarm, Tally
from holdfast.tracker.store.marks import Mark, Pair, member_of, pair_of, upload_of
from holdfast.tracker.tables import live_seen, participation, swarm_share, swarm_window

HELD = ("seeding", "leeching", "complete", "snatched", "time", "uploaded", "downloaded", "hnr", "exempt")
SEEN = ("born", "uploaded", "downloaded", "time", "hnr", "version")


@dataclass(frozen=True, slots=True)
class House:
    """The rules by which members are judged, and the further ways in which they are told."""

    limits: Limits
    sinks: tuple[str, ...] = ()


def seen(tx: Connection, marks: Iterable[Mark]) -> dict[Mark, Seen]:
    """What was last entered for each mark."""
    found = {mark: Seen() for mark in marks}
    for row in tx.execute(select(live_seen).where(live_seen.c.thing.in_(found))):
        found[row.thing] = Seen(**{name: getattr(row, name) for name in SEEN})
    return found


def enter(
    tx: Connection, now: float, house: House, before: Mapping[Mark, Seen], live: Mapping[Mark, Tally]
) -> set[Mark]:
    """Enter what the live store holds; returns the marks that are done with, strangers among them."""
    known = _known(tx, live)
    ours = _unchanged(tx, {mark: before[mark] for mark in live if mark in known})
    now_seen = {mark: rules.seen_now(before[mark], live[mark]) for mark in ours}
    moved = {mark: rules.moved(before[mark], live[mark]) for mark in ours}
    completed = _enter_standings(tx, now, house, before, {mark: live[mark] for mark in ours})
    _credit(tx, now, moved)
    _enter_counts(tx, now, {mark: live[mark] for mark in ours}, completed)
    _widen_windows(tx, now, moved)
    _remember(tx, now_seen)
    return ours | (live.keys() - known)


def _known(tx: Connection, marks: Iterable[Mark]) -> set[Mark]:
    """The marks about members and uploads that are in the catalogue; a site may have others of its own."""
    about = {mark: _about(mark) for mark in marks}
    members = lent.members(tx, {who for who, _ in about.values() if who is not None})
    uploads = lent.uploads(tx, {what for _, what in about.values() if what is not None})
    return {
        mark
        for mark, (who, what) in about.items()
        if (who, what) != (None, None)
        and (who is None or who in members)
        and (what is None or what in uploads)
    }


def _about(mark: Mark) -> tuple[int | None, int | None]:
    return pair_of(mark) or (member_of(mark), upload_of(mark))


def _unchanged(tx: Connection, before: Mapping[Mark, Seen]) -> set[Mark]:
    """Lock what is to be entered, and keep what nobody has entered since it was read."""
    if not before:
        return set()
    blank = asdict(Seen())
    new = [blank | {"thing": mark} for mark in sorted(before) if before[mark].version == 0]
    add_missing(tx, live_seen, new)
    query = select(live_seen.c.thing, live_seen.c.version).where(live_seen.c.thing.in_(before))
    rows = tx.execute(query.order_by(live_seen.c.thing).with_for_update())
    return {row.thing for row in rows if before[row.thing].version == row.version}


def _remember(tx: Connection, now_seen: Mapping[Mark, Seen]) -> None:
    rows = [{"which": mark} | _to(one) for mark, one in now_seen.items()]
    if rows:
        query = update(live_seen).where(live_seen.c.thing == bindparam("which"))
        tx.execute(query.values({name: bindparam(f"to_{name}") for name in SEEN}), rows)


def _credit(tx: Connection, now: float, moved: Mapping[Mark, Tally]) -> None:
    due = [
        lent.Credit(who, more.uploaded, more.downloaded)
        for mark, more in moved.items()
        if (who := member_of(mark)) is not None and (more.uploaded or more.downloaded)
    ]
    lent.credit(tx, now, due)


def _enter_counts(
    tx: Connection, now: float, live: Mapping[Mark, Tally], completed: Mapping[int, int]
) -> None:
    counts = {
        what: lent.Counts(one.seeders, one.leechers)
        for mark, one in live.items()
        if (what := upload_of(mark)) is not None and isinstance(one, Swarm)
    }
    lent.changed(tx, now, counts, completed)


def _widen_windows(tx: Connection, now: float, moved: Mapping[Mark, Tally]) -> None:
    """The balance of a swarm is kept from the first byte that moves after the last judgement."""
    windows = [
        {"upload_id": what, "since": now, "uploaded": more.uploaded, "downloaded": more.downloaded}
        for mark, more in sorted(moved.items())
        if (what := upload_of(mark)) is not None and (more.uploaded or more.downloaded)
    ]
    add_up(tx, swarm_window, ("upload_id",), windows, ("uploaded", "downloaded"))
    shares = [
        {"upload_id": pair[1], "member_id": pair[0], "uploaded": more.uploaded}
        for mark, more in sorted(moved.items())
        if (pair := pair_of(mark)) is not None and more.uploaded
    ]
    add_up(tx, swarm_share, ("upload_id", "member_id"), shares, ("uploaded",))


# Standings ------------------------------------------------------------------------------------------------


def _enter_standings(
    tx: Connection, now: float, house: House, seen_before: Mapping[Mark, Seen], live: Mapping[Mark, Tally]
) -> Counter[int]:
    """Participations; returns how many members have completed each upload for the first time."""
    standings = {
        pair: (seen_before[mark], one)
        for mark, one in live.items()
        if (pair := pair_of(mark)) is not None and isinstance(one, Standing)
    }
    blank = asdict(Participation()) | {"first_seen": now, "last_change": now}
    new = [blank | {"member_id": who, "upload_id": what} for who, what in sorted(standings)]
    add_missing(tx, participation, new)
    before = of_pairs(tx, standings)
    after = {
        pair: rules.follow(before[pair], was, one, house.limits.hnr_seconds)
        for pair, (was, one) in standings.items()
    }
    _write(tx, now, before, after)
    listed = [pair for pair, one in after.items() if one.hnr is not None and before[pair].hnr is None]
    _tell_listed(tx, now, house, {pair: after[pair] for pair in listed})
    return Counter(
        pair[1] for pair, one in after.items() if one.snatched is not None and before[pair].snatched is None
    )


def of_pairs(tx: Connection, pairs: Iterable[Pair]) -> dict[Pair, Participation]:
    key = tuple_(participation.c.member_id, participation.c.upload_id)
    query = select(participation).where(key.in_(sorted(pairs)))
    rows = tx.execute(query.order_by(participation.c.member_id, participation.c.upload_id).with_for_update())
    return {
        (row.member_id, row.upload_id): Participation(**{name: getattr(row, name) for name in HELD})
        for row in rows
    }


def _write(
    tx: Connection, now: float, before: Mapping[Pair, Participation], after: Mapping[Pair, Participation]
) -> None:
    changed = [
        {"who": who, "what": what, "at": now} | _to(one)
        for (who, what), one in sorted(after.items())
        if before[who, what] != one
    ]
    if changed:
        query = update(participation).where(
            participation.c.member_id == bindparam("who"), participation.c.upload_id == bindparam("what")
        )
        values: dict[str, Any] = {name: bindparam(f"to_{name}") for name in HELD}
        tx.execute(query.values(values | {"last_change": bindparam("at")}), changed)


def _to(one: Seen | Participation) -> dict[str, Any]:
    return {f"to_{name}": value for name, value in asdict(one).items()}


def _tell_listed(tx: Connection, now: float, house: House, listed: Mapping[Pair, Participation]) -> None:
    uploads = lent.uploads(tx, {what for _, what in listed}) if listed else {}
    for (who, what), one in sorted(listed.items()):
        owed, name = rules.time_owed(one, house.limits), uploads[what].name
        lent.notify(
            tx,
            now,
            who,
            "hit_and_run",
            NoticeRole.MEMBER,
            f"You left “{name}” too early",
            f"You downloaded upload {what}, “{name}”, and left before you had seeded it for long enough. "
            f"It is on your list of hit-and-runs until you have seeded it for another {_hours(owed)}: start "
            "your client again, or ask the staff if you cannot.",
            sinks=house.sinks,
        )


def _hours(seconds: int) -> str:
    hours = max(1, -(-seconds // 3600))
    return "hour" if hours == 1 else f"{hours} hours"
