"""What the records say a live key should hold; the live store is brought up to this and nothing else."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, Select, String, cast, select

from holdfast.catalogue.model import SHARE
from holdfast.catalogue.store.announce_keys import ANNOUNCE_KEY
from holdfast.catalogue.store.freeleech import WINDOW
from holdfast.catalogue.store.members import PASSKEY
from holdfast.catalogue.store.uploads import INFO_HASH
from holdfast.catalogue.store.whitelist import PREFIX
from holdfast.catalogue.tables import announce_key, freeleech, info_hash, member, passkey, upload, whitelist


@dataclass(frozen=True, slots=True)
class Passholder:
    """What a tracker needs to know of the member behind a passkey."""

    user_id: int
    enabled: bool
    can_leech: bool
    share_up: int = SHARE
    share_down: int = SHARE


@dataclass(frozen=True, slots=True)
class Keyed:
    """What a key stands in for: a passkey, for one upload alone."""

    passkey: str
    upload_id: int


@dataclass(frozen=True, slots=True)
class Announced:
    """What a tracker needs to know of an announced hash: its upload, and the hash that names its keys."""

    upload_id: int
    canonical: str
    share_up: int = SHARE
    share_down: int = SHARE


@dataclass(frozen=True, slots=True)
class Removed:
    """What whoever still announces a removed upload is told for a while."""

    reason: str
    at: float


@dataclass(frozen=True, slots=True)
class Window:
    """A time in which everything is credited by other shares."""

    starts: float
    ends: float
    share_up: int
    share_down: int


# What a key should hold; None: the key must not be there.
Truth = Passholder | Keyed | Announced | Removed | Window | str | None
Thing = tuple[str, str]


def of(tx: Connection, things: Iterable[Thing]) -> dict[Thing, Truth]:
    """The truth about each thing; a thing the records do not know must not be in the live store either."""
    wanted: dict[str, list[str]] = {}
    for kind, key in things:
        wanted.setdefault(kind, []).append(key)
    found: dict[Thing, Truth] = {}
    for kind, keys in wanted.items():
        known = READERS[kind](tx, keys)
        found.update({(kind, key): known.get(key) for key in keys})
    return found


def after(tx: Connection, kind: str, last: str, limit: int) -> list[Thing]:
    """The next things of a kind, standing or gone, in the order of their keys."""
    column = COLUMNS[kind]
    query = select(column).where(column > last).order_by(column).limit(limit)
    return [(kind, key) for key in tx.execute(query).scalars()]


def _passkeys(tx: Connection, keys: Sequence[str]) -> dict[str, Truth]:
    query = (
        select(
            passkey.c.passkey,
            member.c.id,
            member.c.enabled,
            member.c.may_leech,
            member.c.multi_up,
            member.c.multi_down,
        )
        .join(member, member.c.id == passkey.c.member_id)
        .where(passkey.c.passkey.in_(keys), passkey.c.retired.is_(None))
    )
    return {key: Passholder(*facts) for key, *facts in tx.execute(query)}


def _announce_keys(tx: Connection, keys: Sequence[str]) -> dict[str, Truth]:
    query = (
        select(announce_key.c.announce_key, announce_key.c.passkey, announce_key.c.upload_id)
        .join(passkey, passkey.c.passkey == announce_key.c.passkey)
        .join(upload, upload.c.id == announce_key.c.upload_id)
        .where(
            announce_key.c.announce_key.in_(keys),
            passkey.c.retired.is_(None),
            upload.c.removed_at.is_(None),
        )
    )
    return {key: Keyed(*facts) for key, *facts in tx.execute(query)}


def _info_hashes(tx: Connection, keys: Sequence[str]) -> dict[str, Truth]:
    every = info_hash.alias("every")
    same = select(every.c.info_hash).where(every.c.upload_id == info_hash.c.upload_id)
    canonical = same.order_by(every.c.version).limit(1)
    query: Select[Any] = (
        select(
            info_hash.c.info_hash,
            upload.c.id,
            upload.c.removed_at,
            upload.c.removed_reason,
            upload.c.multi_up,
            upload.c.multi_down,
            canonical.scalar_subquery().label("canonical"),
        )
        .join(upload, upload.c.id == info_hash.c.upload_id)
        .where(info_hash.c.info_hash.in_(keys))
    )
    return {row.info_hash: _announced(row) for row in tx.execute(query)}


def _announced(row: Row[Any]) -> Truth:
    if row.removed_at is not None:
        return Removed(row.removed_reason, row.removed_at)
    return Announced(row.id, row.canonical, row.multi_up, row.multi_down)


def _prefixes(tx: Connection, keys: Sequence[str]) -> dict[str, Truth]:
    query = select(whitelist.c.prefix, whitelist.c.name)
    rows = tx.execute(query.where(whitelist.c.prefix.in_(keys), whitelist.c.retired.is_(None)))
    return {row.prefix: row.name for row in rows}


def _windows(tx: Connection, keys: Sequence[str]) -> dict[str, Truth]:
    query = select(freeleech).where(cast(freeleech.c.id, String).in_(keys), freeleech.c.retired.is_(None))
    return {
        str(row.id): Window(row.starts, row.ends, row.multi_up, row.multi_down) for row in tx.execute(query)
    }


READERS: dict[str, Callable[[Connection, Sequence[str]], dict[str, Truth]]] = {
    PASSKEY: _passkeys,
    ANNOUNCE_KEY: _announce_keys,
    INFO_HASH: _info_hashes,
    PREFIX: _prefixes,
    WINDOW: _windows,
}
KINDS = tuple(READERS)
COLUMNS: dict[str, ColumnElement[str]] = {
    PASSKEY: passkey.c.passkey,
    ANNOUNCE_KEY: announce_key.c.announce_key,
    INFO_HASH: info_hash.c.info_hash,
    PREFIX: whitelist.c.prefix,
    WINDOW: cast(freeleech.c.id, String),
}
