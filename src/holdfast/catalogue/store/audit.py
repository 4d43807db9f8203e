"""The audit: every change, by whom, through which door, from where, and what it was before."""

from typing import Any

from sqlalchemy import Connection, Row, insert, select

from holdfast.catalogue.model import Actor, AuditEntry, Door, MemberRef, Page
from holdfast.catalogue.store import events
from holdfast.catalogue.store.pages import paged
from holdfast.catalogue.tables import audit


def record(
    tx: Connection,
    now: float,
    actor: Actor,
    action: str,
    target_kind: str,
    target_id: str | int,
    target_name: str = "",
    before: dict[str, Any] | None = None,
    after: dict[str, Any] | None = None,
) -> None:
    """Write a change down in the transaction that makes it, so that neither exists without the other."""
    tx.execute(
        insert(audit).values(
            at=now,
            actor_id=actor.member_id,
            actor_name=actor.name,
            door=actor.door,
            address=actor.address,
            action=action,
            target_kind=target_kind,
            target_id=str(target_id),
            target_name=target_name,
            before=before,
            after=after,
            request_id=actor.request_id,
        )
    )
    events.note(tx, now, actor.request_id, "audit.added", "audit", {"action": action})


def difference(before: dict[str, Any], after: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """What was and what is, of the fields that have changed."""
    changed = [key for key in before if before[key] != after[key]]
    return {key: before[key] for key in changed}, {key: after[key] for key in changed}


def listing(
    tx: Connection,
    *,
    cursor: str | None = None,
    limit: int = 50,
    actor: str | None = None,
    action: str | None = None,
    target_kind: str | None = None,
    target_id: str | None = None,
) -> Page[AuditEntry]:
    """The newest changes first."""
    query = select(audit)
    wanted = {"actor_name": actor, "action": action, "target_kind": target_kind, "target_id": target_id}
    for column, value in wanted.items():
        if value is not None:
            query = query.where(audit.c[column] == value)
    return paged(tx, query, audit.c.id, cursor, limit, _entry)


def _entry(row: Row[Any]) -> AuditEntry:
    return AuditEntry(
        id=row.id,
        at=row.at,
        actor=MemberRef(row.actor_id, row.actor_name),
        door=Door(row.door),
        address=row.address,
        action=row.action,
        target_kind=row.target_kind,
        target_id=row.target_id,
        target_name=row.target_name,
        before=row.before,
        after=row.after,
        request_id=row.request_id,
    )
