"""Sessions and tokens: the only code that reads or writes their tables."""

from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    Select,
    Table,
    bindparam,
    delete,
    func,
    insert,
    null,
    select,
    update,
)

from holdfast.catalogue.model import Actor, Page, Role, Scope
from holdfast.catalogue.store import audit
from holdfast.catalogue.store.pages import paged
from holdfast.catalogue.tables import member, member_role
from holdfast.errors import NotFoundError
from holdfast.web.access import rules
from holdfast.web.access.model import Owner, Session, Token
from holdfast.web.access.tables import session, token


def _owner_by_digest(table: Table, scopes: ColumnElement[Any]) -> Select[Any]:
    """Read at every request, hence one statement, made once: whose it is, and what he may do now."""
    return (
        select(
            table.c.id,
            table.c.member_id,
            table.c.last_used,
            table.c.expires,
            scopes.label("scopes"),
            member.c.name,
            member.c.enabled,
            member_role.c.role,
        )
        .join(member, member.c.id == table.c.member_id)
        .join(member_role, member_role.c.member_id == member.c.id)
        .where(table.c.digest == bindparam("digest"))
    )


SESSION_OWNER = _owner_by_digest(session, null())
TOKEN_OWNER = _owner_by_digest(token, token.c.scopes)


def session_owner(tx: Connection, digest: str, now: float) -> Owner | None:
    return _owner(tx, SESSION_OWNER, digest, now)


def token_owner(tx: Connection, digest: str, now: float) -> Owner | None:
    return _owner(tx, TOKEN_OWNER, digest, now)


def _owner(tx: Connection, query: Select[Any], digest: str, now: float) -> Owner | None:
    rows = tx.execute(query, {"digest": digest}).all()
    if not rows or (rows[0].expires is not None and rows[0].expires <= now):
        return None
    first = rows[0]
    return Owner(
        secret_id=first.id,
        member_id=first.member_id,
        name=first.name,
        enabled=first.enabled,
        roles=frozenset(Role(row.role) for row in rows),
        scopes=frozenset(Scope) if first.scopes is None else frozenset(map(Scope, first.scopes)),
        last_used=first.last_used,
        expires=first.expires,
    )


def open_session(
    tx: Connection, now: float, actor: Actor, member_id: int, *, digest: str, lifetime: float, agent: str
) -> None:
    """A new session, never one that the client brought along; the oldest ones make room."""
    tx.execute(delete(session).where(session.c.expires <= now))
    values = {"digest": digest, "member_id": member_id, "created": now, "last_used": now}
    values |= {"expires": now + lifetime, "address": actor.address, "agent": agent[:200]}
    tx.execute(insert(session).values(values))
    kept = select(session.c.id).where(session.c.member_id == member_id)
    kept = kept.order_by(session.c.last_used.desc(), session.c.id.desc()).limit(rules.SESSIONS_MOST)
    tx.execute(delete(session).where(session.c.member_id == member_id, session.c.id.not_in(kept)))
    tx.execute(update(member).where(member.c.id == member_id).values(last_seen=now))
    audit.record(tx, now, actor, "session.open", "member", member_id, actor.name)


def note_session(tx: Connection, now: float, owner: Owner, lifetime: float) -> None:
    """Somebody came back: his session lives on from here."""
    tx.execute(
        update(session).where(session.c.id == owner.secret_id).values(last_used=now, expires=now + lifetime)
    )
    tx.execute(update(member).where(member.c.id == owner.member_id).values(last_seen=now))


def note_token(tx: Connection, now: float, owner: Owner) -> None:
    tx.execute(update(token).where(token.c.id == owner.secret_id).values(last_used=now))


def sessions(
    tx: Connection, now: float, member_id: int, current: int | None, cursor: str | None, limit: int
) -> Page[Session]:
    query = select(session).where(session.c.member_id == member_id, session.c.expires > now)
    return paged(tx, query, session.c.id, cursor, limit, lambda row: _session(row, current))


def close_session(tx: Connection, now: float, actor: Actor, session_id: int) -> None:
    gone = tx.execute(
        delete(session).where(session.c.id == session_id, session.c.member_id == actor.member_id)
    )
    if not gone.rowcount:
        raise NotFoundError("You have no such session; it may have ended already.")
    audit.record(tx, now, actor, "session.close", "member", str(actor.member_id), actor.name)


def forget_session(tx: Connection, digest: str) -> None:
    """The session that a client brought along ends when it signs in anew."""
    tx.execute(delete(session).where(session.c.digest == digest))


def close_sessions(tx: Connection, member_id: int, *, but: int | None = None) -> None:
    tx.execute(delete(session).where(session.c.member_id == member_id, session.c.id != (but or 0)))


def make_token(
    tx: Connection,
    now: float,
    actor: Actor,
    *,
    digest: str,
    name: str,
    scopes: tuple[Scope, ...],
    expires: float | None,
) -> Token:
    mine = token.c.member_id == actor.member_id
    rules.room_for_token(tx.execute(select(func.count()).select_from(token).where(mine)).scalar_one())
    values: dict[str, Any] = {
        "digest": digest,
        "member_id": actor.member_id,
        "name": name,
        "scopes": list(scopes),
    }
    values |= {"created": now, "expires": expires}
    token_id = tx.execute(insert(token).values(values).returning(token.c.id)).scalar_one()
    after = {"scopes": list(scopes), "expires": expires}
    audit.record(tx, now, actor, "token.make", "token", token_id, name, None, after)
    return Token(token_id, name, scopes, now, None, expires)


def tokens(tx: Connection, member_id: int, cursor: str | None, limit: int) -> Page[Token]:
    query = select(token).where(token.c.member_id == member_id)
    return paged(tx, query, token.c.id, cursor, limit, _token)


def revoke_token(tx: Connection, now: float, actor: Actor, token_id: int) -> None:
    gone = delete(token).where(token.c.id == token_id, token.c.member_id == actor.member_id)
    name = tx.execute(gone.returning(token.c.name)).scalar_one_or_none()
    if name is None:
        raise NotFoundError("You have no such token; it may be revoked already.")
    audit.record(tx, now, actor, "token.revoke", "token", token_id, name)


def _session(row: Row[Any], current: int | None) -> Session:
    return Session(row.id, row.created, row.last_used, row.expires, row.address, row.agent, row.id == current)


def _token(row: Row[Any]) -> Token:
    scopes = tuple(map(Scope, row.scopes))
    return Token(row.id, row.name, scopes, row.created, row.last_used, row.expires)
