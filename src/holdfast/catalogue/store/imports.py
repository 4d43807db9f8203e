"""Members who come from another tracker with their passkeys: a batch is entered as a whole, or not at all.

Whoever is here already under the same name and passkey is known, and left as he is: so a batch may be sent
again, and a file whose import was cut off may be imported again from its beginning.
"""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from typing import Any

from sqlalchemy import Connection, insert, select
from sqlalchemy.exc import IntegrityError

from holdfast.catalogue import rules
from holdfast.catalogue.model import Actor, Preferences
from holdfast.catalogue.store import audit, events
from holdfast.catalogue.store.members import PASSKEY
from holdfast.catalogue.tables import member, member_role, passkey
from holdfast.errors import ConflictError, InvalidError
from holdfast.store.records import outbox
from holdfast.store.records.numbers import count_on

LARGEST_ID = 2**31 - 1
"""Members who join later count on from here, and trackers know numbers of 32 bits."""
LATEST = 253_370_764_800.0
"""The year 9999 in seconds: what comes after it no calendar of ours can show."""
MOST_NAMES = 1000
"""Of one name, told apart by numbers."""


class Fate(StrEnum):
    """What becomes of a line."""

    ADDED = "added"
    KNOWN = "known"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Newcomer:
    """A member as another tracker knew him; `line` is where he stands in its list."""

    line: int
    name: str
    passkey: str
    id: int | None = None
    email: str | None = None
    uploaded: int = 0
    downloaded: int = 0
    enabled: bool = True
    may_leech: bool = True
    joined: float | None = None
    roles: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Outcome:
    line: int
    fate: Fate
    name: str
    id: int | None = None
    why: str = ""


@dataclass(frozen=True, slots=True)
class Terms:
    """How a list is taken."""

    keep_ids: bool = False
    mend_names: bool = False
    dry_run: bool = False


def take(
    tx: Connection, now: float, actor: Actor, newcomers: Sequence[Newcomer], terms: Terms
) -> list[Outcome]:
    """Enter all of them, unless one is refused; the outcomes say why, line by line."""
    outcomes = _Sieve(tx, newcomers, terms).sift()
    if terms.dry_run or any(outcome.fate is Fate.REFUSED for outcome in outcomes):
        return outcomes
    both = zip(newcomers, outcomes, strict=True)
    new = [replace(one, name=outcome.name) for one, outcome in both if outcome.fate is Fate.ADDED]
    if not new:
        return outcomes
    try:
        with tx.begin_nested():
            ids = _enter(tx, now, new, keep_ids=terms.keep_ids)
    except IntegrityError as error:
        raise ConflictError(
            "Members were changed by somebody else meanwhile; run the import again, which adds nobody twice."
        ) from error
    outbox.note(tx, now, actor.request_id, [(PASSKEY, key) for key in ids])
    counts = {"added": len(new), "known": len(outcomes) - len(new)}
    after = {**counts, "first_id": min(ids.values()), "last_id": max(ids.values())}
    audit.record(tx, now, actor, "member.import", "member", "", f"{len(new)} members", None, after)
    events.note(tx, now, actor.request_id, "member.imported", "members", counts)
    both = zip(newcomers, outcomes, strict=True)
    return [replace(outcome, id=ids.get(one.passkey, outcome.id)) for one, outcome in both]


class _Sieve:
    """Tells those who can be added from those who are here already and those who cannot be taken."""

    def __init__(self, tx: Connection, newcomers: Sequence[Newcomer], terms: Terms) -> None:
        self._tx = tx
        self._newcomers = newcomers
        self._terms = terms
        # Databases are asked only for what can be in them.
        self._owners = self._owners_of(one.passkey for one in newcomers if rules.is_passkey(one.passkey))
        self._asked = {rules.name_key(_fit(one.name)) for one in newcomers}
        self._names = self._taken_names(self._asked)

    def sift(self) -> list[Outcome]:
        return [self._fate(one) for one in self._newcomers]

    def _fate(self, one: Newcomer) -> Outcome:
        try:
            rules.passkey(one.passkey)
            if (owner := self._owners.get(one.passkey)) is not None:
                return self._known(one, *owner)
            name = self._free_name(one.name)
            _check(one)
        except InvalidError as error:
            return Outcome(one.line, Fate.REFUSED, one.name, why=str(error))
        self._names.add(rules.name_key(name))
        self._owners[one.passkey] = (None, name)
        return Outcome(one.line, Fate.ADDED, name)

    def _known(self, one: Newcomer, owner_id: int | None, owner: str) -> Outcome:
        """The owner of the passkey, if he is the same by name; it may have been told apart by a number."""
        wanted = {one.name}
        if self._terms.mend_names:
            fit, number = _fit(one.name), owner.rpartition("-")[2]
            wanted |= {fit, rules.next_name(fit, int(number) if number.isdecimal() else 0)}
        if rules.name_key(owner) not in map(rules.name_key, wanted):
            raise InvalidError(f"This passkey is that of {owner} already.")
        return Outcome(one.line, Fate.KNOWN, owner, owner_id)

    def _free_name(self, name: str) -> str:
        if self._terms.mend_names:
            fit = _fit(name)
            names = [fit, *(rules.next_name(fit, number) for number in range(2, MOST_NAMES))]
        else:
            names = [rules.member_name(name)]
        free = next((each for each in names if self._is_free(rules.name_key(each))), None)
        if free is None:
            raise InvalidError(
                f"There is a member named {name} already, in whatever case, with another passkey."
            )
        return free

    def _is_free(self, key: str) -> bool:
        return key not in self._names and (key in self._asked or not self._taken_names({key}))

    def _owners_of(self, keys: Iterable[str]) -> dict[str, tuple[int | None, str]]:
        """Those of retired passkeys too: they are nobody else's."""
        query = select(passkey.c.passkey, member.c.id, member.c.name).join(
            member, member.c.id == passkey.c.member_id
        )
        rows = self._tx.execute(query.where(passkey.c.passkey.in_(sorted(keys))))
        return {row.passkey: (row.id, row.name) for row in rows}

    def _taken_names(self, keys: Iterable[str]) -> set[str]:
        query = select(member.c.name_key).where(member.c.name_key.in_(sorted(keys)))
        return set(self._tx.execute(query).scalars())


def _fit(name: str) -> str:
    try:
        return rules.member_name(name)
    except InvalidError:
        return rules.mended_name(name)


def _check(one: Newcomer) -> None:
    if one.email is not None:
        rules.email_address(one.email)
    for what, count in (("uploaded", one.uploaded), ("downloaded", one.downloaded)):
        if not 0 <= count <= rules.MOST_BYTES:
            raise InvalidError(f"The column {what} must be a number of bytes from 0 to {rules.MOST_BYTES}.")
    if one.id is not None and not 1 <= one.id <= LARGEST_ID:
        raise InvalidError(f"A member's number is from 1 to {LARGEST_ID}.")
    if one.joined is not None and not 0 <= one.joined < LATEST:
        raise InvalidError("A member has joined between 1970 and 9999.")
    rules.roles_of(one.roles)


def _enter(tx: Connection, now: float, new: Sequence[Newcomer], *, keep_ids: bool) -> dict[str, int]:
    """The numbers that they got, by passkey: their own where they are wanted and free."""
    ids = _free_ids(tx, new) if keep_ids else {}
    kept = [one for one in new if one.passkey in ids]
    if kept:
        tx.execute(insert(member), [_row(now, one) | {"id": ids[one.passkey]} for one in kept])
        count_on(tx, member)
    others = [one for one in new if one.passkey not in ids]
    if others:
        query = insert(member).returning(member.c.id, sort_by_parameter_order=True)
        given = tx.execute(query, [_row(now, one) for one in others]).scalars()
        ids |= {one.passkey: number for one, number in zip(others, given, strict=True)}
    tx.execute(insert(passkey), [{"passkey": key, "member_id": ids[key], "created": now} for key in ids])
    held = [(ids[one.passkey], role) for one in new for role in rules.roles_of(one.roles)]
    tx.execute(insert(member_role), [{"member_id": number, "role": role} for number, role in held])
    return ids


def _free_ids(tx: Connection, new: Sequence[Newcomer]) -> dict[str, int]:
    wanted = sorted({one.id for one in new if one.id is not None})
    taken = set(tx.execute(select(member.c.id).where(member.c.id.in_(wanted))).scalars())
    ids: dict[str, int] = {}
    for one in new:
        if one.id is not None and one.id not in taken:
            taken.add(one.id)
            ids[one.passkey] = one.id
    return ids


def _row(now: float, one: Newcomer) -> dict[str, Any]:
    return {
        "name": one.name,
        "name_key": rules.name_key(one.name),
        "enabled": one.enabled,
        "may_leech": one.may_leech,
        "uploaded": one.uploaded,
        "downloaded": one.downloaded,
        "joined": now if one.joined is None else one.joined,
        "email": one.email,
        "preferences": asdict(Preferences()),
    }
