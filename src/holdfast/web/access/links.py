"""One-time links and passwords: the only code that reads or writes their tables."""

from sqlalchemy import Connection, delete, insert, or_, select, update

from holdfast.catalogue.model import Actor
from holdfast.catalogue.rules import name_key
from holdfast.catalogue.store import audit, members
from holdfast.catalogue.tables import member
from holdfast.errors import ConflictError, NotFoundError, RefusedError
from holdfast.store.records.upsert import upsert
from holdfast.web.access import rules
from holdfast.web.access.model import Credentials, Link, Purpose
from holdfast.web.access.tables import one_time_link, password

GONE = "This link was used already or is too old; ask an operator for a new one."


def make_link(tx: Connection, now: float, actor: Actor, secret: str, member_id: int | None) -> float:
    """A link for a member, or for the first operator (None); earlier ones end. Returns when it expires."""
    expires = now + rules.LINK_LIFETIME
    earlier = one_time_link.c.member_id == member_id if member_id else one_time_link.c.member_id.is_(None)
    unused = one_time_link.c.used_at.is_(None)
    tx.execute(delete(one_time_link).where(or_(one_time_link.c.expires <= now, earlier & unused)))
    purpose = Purpose.SIGN_IN if member_id else Purpose.FIRST_OPERATOR
    values = {"digest": rules.digest(secret), "purpose": purpose, "member_id": member_id}
    tx.execute(insert(one_time_link).values(**values, created=now, expires=expires))
    name = members.get(tx, member_id).name if member_id else ""
    audit.record(tx, now, actor, "link.make", "member", member_id or "", name, None, {"purpose": purpose})
    return expires


def look(tx: Connection, now: float, secret: str) -> Link:
    """What a link is for; looking does not use it up."""
    query = (
        select(one_time_link, member.c.name, password.c.member_id.label("has_password"))
        .outerjoin(member, member.c.id == one_time_link.c.member_id)
        .outerjoin(password, password.c.member_id == one_time_link.c.member_id)
        .where(one_time_link.c.digest == rules.digest(secret))
    )
    row = tx.execute(query).one_or_none()
    if row is None or row.used_at is not None or row.expires <= now:
        raise NotFoundError(GONE)
    return Link(Purpose(row.purpose), row.member_id, row.name, row.expires, row.has_password is not None)


def use(tx: Connection, now: float, secret: str) -> None:
    """Use a link up. Of all who try at once, exactly one gets past this."""
    query = update(one_time_link).where(
        one_time_link.c.digest == rules.digest(secret),
        one_time_link.c.used_at.is_(None),
        one_time_link.c.expires > now,
    )
    if tx.execute(query.values(used_at=now)).rowcount != 1:
        raise NotFoundError(GONE)


def become_first_operator(tx: Connection, now: float, actor: Actor, name: str, hashed: str) -> int:
    if members.operators(tx):
        raise ConflictError("There is an operator already; ask for a sign-in link of your own.")
    # Every other link of this kind ends with this one, also those that are being used at this moment.
    first = one_time_link.c.purpose == Purpose.FIRST_OPERATOR
    tx.execute(update(one_time_link).where(first, one_time_link.c.used_at.is_(None)).values(used_at=now))
    added, _ = members.add(tx, now, actor, name=name, roles=("operator",), email=None, may_leech=True)
    keep_password(tx, now, added.id, hashed)
    return added.id


def credentials(tx: Connection, name: str) -> Credentials | None:
    query = (
        select(member.c.id, member.c.name, member.c.enabled, password.c.password)
        .outerjoin(password, password.c.member_id == member.c.id)
        .where(member.c.name_key == name_key(name))
    )
    row = tx.execute(query).one_or_none()
    return None if row is None else Credentials(row.id, row.name, row.enabled, row.password)


def keep_password(tx: Connection, now: float, member_id: int, hashed: str) -> None:
    upsert(tx, password, {"member_id": member_id}, {"password": hashed, "changed": now})


def enabled(tx: Connection, member_id: int) -> None:
    """Checked where a session is opened, in the transaction that opens it."""
    if not tx.execute(select(member.c.enabled).where(member.c.id == member_id)).scalar_one():
        raise RefusedError("Your account is disabled; ask an operator.")
