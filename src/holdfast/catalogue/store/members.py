"""Members: who they are, what they may do, and the passkey by which their clients are known."""

import secrets
from collections.abc import Collection
from dataclasses import asdict
from typing import Any

import msgspec
from sqlalchemy import Connection, Row, Select, delete, func, insert, select, update
from sqlalchemy.exc import IntegrityError

from holdfast.catalogue import rules
from holdfast.catalogue.model import SHARE, Actor, Member, MemberRef, Page, Preferences, Role
from holdfast.catalogue.store import announce_keys, audit, events
from holdfast.catalogue.store.pages import paged
from holdfast.catalogue.tables import member, member_role, passkey, points
from holdfast.errors import ConflictError, NotFoundError
from holdfast.store.records import outbox

PASSKEY = "passkey"
LARGEST_ID = 2**63 - 1


def add(
    tx: Connection,
    now: float,
    actor: Actor,
    *,
    name: str,
    roles: tuple[str, ...] = (),
    email: str | None = None,
    may_leech: bool = True,
) -> tuple[Member, str]:
    """A new member and the passkey of his clients."""
    values = {
        "name": rules.member_name(name),
        "name_key": rules.name_key(name),
        "enabled": True,
        "may_leech": may_leech,
        "uploaded": 0,
        "downloaded": 0,
        "joined": now,
        "email": rules.email_address(email) if email else None,
        "preferences": asdict(Preferences()),
    }
    try:
        with tx.begin_nested():
            member_id = tx.execute(insert(member).values(values).returning(member.c.id)).scalar_one()
    except IntegrityError as error:
        raise ConflictError(f"There is a member named {name} already; choose another name.") from error
    _set_roles(tx, member_id, rules.roles_of(roles))
    key = _new_passkey(tx, now, actor, member_id)
    added = get(tx, member_id)
    audit.record(tx, now, actor, "member.add", "member", member_id, name, None, _audited(added))
    events.note(tx, now, actor.request_id, "member.added", "members", {"id": member_id})
    return added, key


def get(tx: Connection, who: int | str) -> Member:
    """A member by id or by name; digits alone are always an id, for no name is."""
    row = tx.execute(_named(_members(), who)).one_or_none()
    if row is None:
        raise NotFoundError(f"There is no member {who}; `holdfast member list` shows all.")
    return _with_roles(tx, [row])[0]


def listing(
    tx: Connection,
    *,
    cursor: str | None = None,
    limit: int = 50,
    q: str | None = None,
    role: Role | None = None,
    enabled: bool | None = None,
) -> Page[Member]:
    """Members in the order in which they joined."""
    query = _members()
    if q:
        query = query.where(member.c.name_key.contains(rules.name_key(q), autoescape=True))
    if role is not None:
        query = query.where(
            member.c.id.in_(select(member_role.c.member_id).where(member_role.c.role == role))
        )
    if enabled is not None:
        query = query.where(member.c.enabled == enabled)
    page = paged(tx, query, member.c.id, cursor, limit, lambda row: row, newest_first=False)
    return Page(list(_with_roles(tx, page.items)), page.next)


def refs(tx: Connection, ids: Collection[int]) -> dict[int, MemberRef]:
    rows = tx.execute(select(member.c.id, member.c.name).where(member.c.id.in_(ids)))
    return {row.id: MemberRef(row.id, row.name) for row in rows}


def change(
    tx: Connection,
    now: float,
    actor: Actor,
    who: int | str,
    *,
    enabled: bool | None = None,
    may_leech: bool | None = None,
    roles: tuple[str, ...] | None = None,
    email: str | None = None,
    preferences: Preferences | None = None,
    multi_up: float | None = None,
    multi_down: float | None = None,
    reason: str | None = None,
) -> Member:
    """Change what is not None; an empty e-mail address removes it. The reason is that of the multipliers."""
    if enabled is False or roles is not None:
        _lock_operators(tx)
    before = _locked(tx, who)
    values: dict[str, Any] = dict(rules.shares(multi_up, multi_down, reason))
    if enabled is not None:
        values["enabled"] = enabled
    if may_leech is not None:
        values["may_leech"] = may_leech
    if email is not None:
        values["email"] = rules.email_address(email) if email else None
    if preferences is not None:
        values["preferences"] = asdict(preferences)
    if values:
        tx.execute(update(member).where(member.c.id == before.id).values(values))
    if roles is not None:
        _set_roles(tx, before.id, rules.roles_of(roles))
    after = get(tx, before.id)
    if after == before:
        return after
    _keep_an_operator(tx, before, after)
    old, new = audit.difference(_audited(before), _audited(after))
    if reason is not None:
        new["reason"] = rules.line("reason", reason, 500)
    audit.record(tx, now, actor, "member.change", "member", after.id, after.name, old, new)
    outbox.note(tx, now, actor.request_id, [(PASSKEY, passkey_of(tx, after.id))])
    events.note(tx, now, actor.request_id, "member.changed", "members", {"id": after.id})
    return after


def seen(tx: Connection, now: float, member_id: int) -> None:
    tx.execute(update(member).where(member.c.id == member_id).values(last_seen=now))


def passkey_of(tx: Connection, member_id: int) -> str:
    query = select(passkey.c.passkey).where(passkey.c.member_id == member_id, passkey.c.retired.is_(None))
    return str(tx.execute(query).scalar_one())


def rotate(tx: Connection, now: float, actor: Actor, who: int | str) -> str:
    """A new passkey; the old one is refused as soon as the live store has followed, without any overlap."""
    owner = _locked(tx, who)
    old = passkey_of(tx, owner.id)
    tx.execute(update(passkey).where(passkey.c.passkey == old).values(retired=now))
    outbox.note(tx, now, actor.request_id, [(PASSKEY, old)])
    announce_keys.passkey_retired(tx, now, actor, old)
    key = _new_passkey(tx, now, actor, owner.id)
    audit.record(tx, now, actor, "passkey.rotate", "member", owner.id, owner.name)
    events.note(tx, now, actor.request_id, "member.changed", "members", {"id": owner.id})
    return key


def operators(tx: Connection) -> list[int]:
    """The members who can still run the place."""
    query = (
        select(member_role.c.member_id)
        .join(member, member.c.id == member_role.c.member_id)
        .where(member_role.c.role == Role.OPERATOR, member.c.enabled)
        .order_by(member.c.id)
    )
    return list(tx.execute(query).scalars())


def count(tx: Connection) -> int:
    return tx.execute(select(func.count()).select_from(member)).scalar_one()


def _members() -> Select[Any]:
    balance = select(func.coalesce(func.sum(points.c.amount), 0)).where(points.c.member_id == member.c.id)
    return select(member, balance.scalar_subquery().label("balance"))


def _named(query: Select[Any], who: int | str) -> Select[Any]:
    if isinstance(who, int) or who.isdecimal():
        return query.where(member.c.id == min(int(who), LARGEST_ID))
    return query.where(member.c.name_key == rules.name_key(who))


def _locked(tx: Connection, who: int | str) -> Member:
    """The member as he is, with nobody else changing him until this transaction ends.

    Others may go on referring to him meanwhile: two who change each other are both in the audit.
    """
    tx.execute(_named(select(member.c.id), who).with_for_update(key_share=True))
    return get(tx, who)


def _with_roles(tx: Connection, rows: list[Row[Any]]) -> list[Member]:
    held: dict[int, set[str]] = {row.id: set() for row in rows}
    for found in tx.execute(select(member_role).where(member_role.c.member_id.in_(held))):
        held[found.member_id].add(found.role)
    return [
        Member(
            id=row.id,
            name=row.name,
            enabled=row.enabled,
            may_leech=row.may_leech,
            roles=rules.roles_of(held[row.id]),
            points=int(row.balance),
            uploaded=row.uploaded,
            downloaded=row.downloaded,
            joined=row.joined,
            last_seen=row.last_seen,
            email=row.email,
            preferences=msgspec.convert(row.preferences, Preferences),
            multi_up=row.multi_up / SHARE,
            multi_down=row.multi_down / SHARE,
        )
        for row in rows
    ]


def _set_roles(tx: Connection, member_id: int, roles: tuple[Role, ...]) -> None:
    tx.execute(delete(member_role).where(member_role.c.member_id == member_id))
    tx.execute(insert(member_role), [{"member_id": member_id, "role": role} for role in roles])


def _new_passkey(tx: Connection, now: float, actor: Actor, member_id: int) -> str:
    # 128 bits from the system's source: as many as an info hash's collision resistance is worth guessing at.
    key = secrets.token_hex(16)
    tx.execute(insert(passkey).values(passkey=key, member_id=member_id, created=now))
    outbox.note(tx, now, actor.request_id, [(PASSKEY, key)])
    return key


def _lock_operators(tx: Connection) -> None:
    """Two operators who demote each other at once must not both succeed.

    Taken before any other lock and in one order, so that they queue up instead of running into a deadlock.
    """
    held = select(member_role.c.member_id).where(member_role.c.role == Role.OPERATOR)
    tx.execute(held.order_by(member_role.c.member_id).with_for_update())


def _keep_an_operator(tx: Connection, before: Member, after: Member) -> None:
    if Role.OPERATOR not in before.roles or (after.enabled and Role.OPERATOR in after.roles):
        return
    if not operators(tx):
        raise ConflictError(f"{before.name} is the last operator; make somebody else one first.")


def _audited(one: Member) -> dict[str, Any]:
    return {
        "enabled": one.enabled,
        "may_leech": one.may_leech,
        "roles": list(one.roles),
        "email": one.email,
        "preferences": asdict(one.preferences or Preferences()),
        "multi_up": one.multi_up,
        "multi_down": one.multi_down,
    }
