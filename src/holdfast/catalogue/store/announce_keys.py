"""Announce keys: what stands in for a member's passkey in the torrent of one upload."""

import secrets

from sqlalchemy import ColumnElement, Connection, insert, select
from sqlalchemy.exc import IntegrityError

from holdfast.catalogue.model import Actor, Member, Upload
from holdfast.catalogue.store import audit
from holdfast.catalogue.tables import announce_key, passkey
from holdfast.store.records import outbox

ANNOUNCE_KEY = "announce_key"


def of(tx: Connection, owner: Member, one: Upload) -> str | None:
    """The key that a member has for an upload, if his passkey was not rotated since."""
    query = (
        select(announce_key.c.announce_key)
        .join(passkey, passkey.c.passkey == announce_key.c.passkey)
        .where(
            passkey.c.member_id == owner.id,
            passkey.c.retired.is_(None),
            announce_key.c.upload_id == one.id,
        )
    )
    return tx.execute(query).scalar_one_or_none()


def make(tx: Connection, now: float, actor: Actor, owner: Member, one: Upload) -> str:
    """A key, or the one that somebody has made just before."""
    key = secrets.token_hex(16)
    held = select(passkey.c.passkey).where(passkey.c.member_id == owner.id, passkey.c.retired.is_(None))
    values = {
        "announce_key": key,
        "passkey": tx.execute(held).scalar_one(),
        "upload_id": one.id,
        "created": now,
    }
    try:
        with tx.begin_nested():
            tx.execute(insert(announce_key).values(values))
    except IntegrityError:
        made = of(tx, owner, one)
        if made is None:
            raise
        return made
    audit.record(tx, now, actor, "announce_key.add", "upload", one.id, one.name, None, {"member": owner.name})
    outbox.note(tx, now, actor.request_id, [(ANNOUNCE_KEY, key)])
    return key


def passkey_retired(tx: Connection, now: float, actor: Actor, key: str) -> None:
    """All keys that hang on a passkey go with it."""
    _note(tx, now, actor, announce_key.c.passkey == key)


def upload_removed(tx: Connection, now: float, actor: Actor, upload_id: int) -> None:
    """Nobody announces a removed upload."""
    _note(tx, now, actor, announce_key.c.upload_id == upload_id)


def _note(tx: Connection, now: float, actor: Actor, which: ColumnElement[bool]) -> None:
    keys = tx.execute(select(announce_key.c.announce_key).where(which)).scalars()
    outbox.note(tx, now, actor.request_id, [(ANNOUNCE_KEY, key) for key in keys])
