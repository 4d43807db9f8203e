"""A catalogue to stand on: short words for doing things to records, and torrents of every kind."""

from collections.abc import Callable
from typing import Any, Concatenate, ParamSpec, TypeVar

import sqlalchemy as sa
from sqlalchemy import Connection

from holdfast.catalogue.model import Actor, AuditEntry, Door, Member, Role, Upload
from holdfast.catalogue.store import audit, members, uploads
from holdfast.catalogue.tables import passkey
from holdfast.store.records import Records, outbox
from holdfast.store.records.outbox import Behind
from holdfast.wire.metainfo import Metainfo, TorrentVersion, parse_torrent
from tests.clocks import StillClock
from tests.wire import torrents

P = ParamSpec("P")
T = TypeVar("T")

OPERATOR = Actor(None, "operator", Door.CLI, "127.0.0.1", "request-1", frozenset({Role.OPERATOR}))
V1, V2, HYBRID = TorrentVersion


def torrent(name: str, version: TorrentVersion = V1, **changes: Any) -> bytes:
    """A private torrent whose hashes depend on its name and version."""
    match version:
        case TorrentVersion.V1:
            info = torrents.one_file()
        case TorrentVersion.V2:
            info = torrents.tree()
        case TorrentVersion.HYBRID:
            info = torrents.hybrid()
    fields = dict(info) | {b"name": name.encode(), b"private": 1}
    if version is not V1:
        changes = {"piece_layers": torrents.LAYERS, **changes}
    return torrents.torrent(fields, **changes)


def metainfo(name: str, version: TorrentVersion = V1, **changes: Any) -> Metainfo:
    return parse_torrent(torrent(name, version, **changes))


class Ground:
    """Records, a clock, and an operator who does what the test says."""

    def __init__(self, records: Records, clock: StillClock) -> None:
        self.records = records
        self.clock = clock

    def change(
        self, work: Callable[Concatenate[Connection, float, Actor, P], T], *args: P.args, **named: P.kwargs
    ) -> T:
        """A change by the operator, now."""
        return self.change_as(OPERATOR, work, *args, **named)

    def change_as(
        self,
        actor: Actor,
        work: Callable[Concatenate[Connection, float, Actor, P], T],
        *args: P.args,
        **named: P.kwargs,
    ) -> T:
        now = self.clock.now()
        return self.records.write_now(lambda tx: work(tx, now, actor, *args, **named))

    def do(self, work: Callable[Concatenate[Connection, P], T], *args: P.args, **named: P.kwargs) -> T:
        return self.records.write_now(lambda tx: work(tx, *args, **named))

    def ask(self, work: Callable[Concatenate[Connection, P], T], *args: P.args, **named: P.kwargs) -> T:
        return self.records.read_now(lambda tx: work(tx, *args, **named))

    def member(self, name: str, *roles: str, email: str | None = None) -> Member:
        added, _ = self.change(members.add, name=name, roles=roles, email=email)
        return added

    def upload(self, by: Member, torrents_name: str, version: TorrentVersion = V1, **named: Any) -> Upload:
        data = torrent(torrents_name, version)
        named = {"category": "General", **named}
        return self.change(uploads.add, parse_torrent(data), data, uploader=by, **named)

    def audited(self) -> list[AuditEntry]:
        """Every change, the newest first."""
        return self.ask(audit.listing, limit=1000).items

    def behind(self) -> list[Behind]:
        """What the live store must be brought up to, without the events."""
        return [row for row in self.ask(outbox.oldest, 10_000) if row.kind != "event"]

    def told(self) -> list[str]:
        """The events that wait to be told."""
        return [row.key for row in self.ask(outbox.oldest, 10_000) if row.kind == "event"]

    def forget_outbox(self) -> None:
        self.do(lambda tx: outbox.done(tx, [row.id for row in outbox.oldest(tx, 10_000)]))

    def passkeys(self, member: Member) -> dict[str, float | None]:
        """Every passkey a member ever had, with when it was retired."""
        query = sa.select(passkey.c.passkey, passkey.c.retired).where(passkey.c.member_id == member.id)
        return {row.passkey: row.retired for row in self.ask(lambda tx: tx.execute(query).all())}


def as_member(member: Member, door: Door = Door.PAGE) -> Actor:
    return Actor(member.id, member.name, door, "192.0.2.1", "request-2", frozenset(member.roles))


class Statements:
    """Counts what is sent to the database inside a `with`."""

    def __init__(self, records: Records) -> None:
        self._records = records
        self.count = 0

    def _note(self, _connection: object, _cursor: object, statement: str, *_: object) -> None:
        self.count += not statement.startswith("BEGIN")

    def __enter__(self) -> "Statements":
        sa.event.listen(self._records.engine, "before_cursor_execute", self._note)
        return self

    def __exit__(self, *_: object) -> None:
        sa.event.remove(self._records.engine, "before_cursor_execute", self._note)
