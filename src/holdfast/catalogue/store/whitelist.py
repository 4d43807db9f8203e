"""The whitelist: which BitTorrent clients may take part."""

from sqlalchemy import Connection, select, update

from holdfast.catalogue import rules
from holdfast.catalogue.model import Actor, Page, WhitelistEntry
from holdfast.catalogue.store import audit
from holdfast.catalogue.tables import whitelist
from holdfast.errors import NotFoundError
from holdfast.paging import decode_cursor, encode_cursor
from holdfast.store.records import outbox
from holdfast.store.records.upsert import upsert

PREFIX = "whitelist"


def put(tx: Connection, now: float, actor: Actor, prefix: str, name: str) -> WhitelistEntry:
    clean = rules.client_prefix(prefix)
    label = rules.line("client's name", name, 128)
    known = select(whitelist).where(whitelist.c.prefix == clean).with_for_update()
    before = tx.execute(known).one_or_none()
    upsert(tx, whitelist, {"prefix": clean}, {"name": label, "retired": None})
    old = {"name": before.name} if before is not None and before.retired is None else None
    audit.record(tx, now, actor, "whitelist.put", "whitelist", clean, label, old, {"name": label})
    outbox.note(tx, now, actor.request_id, [(PREFIX, clean)])
    return WhitelistEntry(clean, label)


def remove(tx: Connection, now: float, actor: Actor, prefix: str) -> None:
    listed = (whitelist.c.prefix == prefix) & whitelist.c.retired.is_(None)
    row = tx.execute(select(whitelist).where(listed).with_for_update()).one_or_none()
    if row is None:
        raise NotFoundError(f"The prefix “{prefix[:40]}” is not on the whitelist.")
    tx.execute(update(whitelist).where(listed).values(retired=now))
    audit.record(tx, now, actor, "whitelist.remove", "whitelist", prefix, row.name, {"name": row.name})
    outbox.note(tx, now, actor.request_id, [(PREFIX, prefix)])


def listing(tx: Connection, *, cursor: str | None = None, limit: int = 50) -> Page[WhitelistEntry]:
    query = select(whitelist).where(whitelist.c.retired.is_(None)).order_by(whitelist.c.prefix)
    if cursor is not None:
        query = query.where(whitelist.c.prefix > decode_cursor(cursor, str)[0])
    rows = tx.execute(query.limit(limit + 1)).all()
    shown = [WhitelistEntry(row.prefix, row.name) for row in rows[:limit]]
    return Page(shown, encode_cursor(shown[-1].prefix) if len(rows) > limit else None)
