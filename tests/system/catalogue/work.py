"""What other processes do to a catalogue in these tests."""

import asyncio
from collections.abc import Sequence
from typing import Any, cast

import sqlalchemy as sa
from sqlalchemy import Connection

from holdfast.catalogue.model import Actor
from holdfast.catalogue.service.catalogue import Catalogue
from holdfast.catalogue.service.follow import Follower
from holdfast.catalogue.store import members, uploads
from holdfast.errors import ConflictError
from holdfast.store.live import Command, Layout, LiveStore, Reply
from holdfast.store.records import Records, open_records, outbox
from holdfast.store.records.engine import RecordsAddress
from holdfast.wire.metainfo import parse_torrent
from tests.catalogue.ground import OPERATOR, Ground
from tests.clocks import StillClock
from tests.conftest import opened
from tests.processes import end_here
from tests.system.catalogue.mirrored import live_store


def add_upload(address: RecordsAddress, by: str, data: bytes) -> tuple[str, Any]:
    """The new upload's number, or the number of the one that was there first."""
    with opened(address, wait=60.0) as records:
        ground = Ground(records, StillClock())
        uploader = ground.ask(members.get, by)
        try:
            added = ground.change(
                uploads.add, parse_torrent(data), data, uploader=uploader, category="General"
            )
        except ConflictError as error:
            return "conflict", error.extra["upload_id"]
        return "added", added.id


def add_member(address: RecordsAddress, name: str) -> str:
    with opened(address, wait=60.0) as records:
        try:
            return Ground(records, StillClock()).member(name).name
        except ConflictError as error:
            return str(error)


def change_member(address: RecordsAddress, actor: Actor, who: str, changes: dict[str, Any]) -> str:
    with opened(address, wait=60.0) as records:
        try:
            Ground(records, StillClock()).change_as(actor, members.change, who, **changes)
        except ConflictError as error:
            return str(error)
        return "changed"


def rotate(address: RecordsAddress, who: str) -> str:
    with opened(address, wait=60.0) as records:
        return Ground(records, StillClock()).change_as(OPERATOR, members.rotate, who)


def remove_upload(address: RecordsAddress, number: int) -> str:
    with opened(address, wait=60.0) as records:
        try:
            Ground(records, StillClock()).change_as(OPERATOR, uploads.remove, number, "a fake")
        except ConflictError as error:
            return str(error)
        return "removed"


class LastStep:
    """Counts every statement, commit and live write, and ends the process at the one with that number."""

    def __init__(self, last: int) -> None:
        self._left = last

    def take(self, *_: object) -> None:
        self._left -= 1
        if not self._left:
            end_here()

    def watch(self, records: Records) -> None:
        for name in ("before_cursor_execute", "commit"):
            sa.event.listen(records.engine, name, self.take)


class LiveUntil:
    """A live store whose every write is a step, before it, in the middle of it and after it."""

    def __init__(self, live: LiveStore, last: LastStep) -> None:
        self._live = live
        self._last = last

    def __getattr__(self, name: str) -> Any:
        return getattr(self._live, name)

    async def batch(self, commands: Sequence[Command], *, repeat: bool = False) -> list[Reply]:
        half = len(commands) // 2
        self._last.take()
        replies = await self._live.batch(commands[:half], repeat=repeat)
        self._last.take()
        replies += await self._live.batch(commands[half:], repeat=repeat)
        self._last.take()
        return replies


Act = tuple[str, Any]


def change_until(address: RecordsAddress, live: tuple[str, Layout], last: int, act: Act) -> None:
    """Change the catalogue as a door does, and end without a word at the step of that number."""
    asyncio.run(_change_until(address, live, LastStep(last), act))


async def _change_until(address: RecordsAddress, live: tuple[str, Layout], last: LastStep, act: Act) -> None:
    async with open_records(address) as records, live_store(*live) as store:
        last.watch(records)
        follower = Follower(records, cast("LiveStore", LiveUntil(store, last)))
        catalogue = Catalogue(records, follower, StillClock(), "", 0, True)
        await catalogue.change(lambda tx, now: _act(tx, now, act))
        assert records.read_now(outbox.waiting) == (0, None)


def _act(tx: Connection, now: float, act: Act) -> None:
    match act:
        case "add", bytes(data):
            ann = members.get(tx, "ann")
            uploads.add(tx, now, OPERATOR, parse_torrent(data), data, uploader=ann, category="General")
        case "remove", int(number):
            uploads.remove(tx, now, OPERATOR, number, "a fake")
        case "rotate", str(name):
            members.rotate(tx, now, OPERATOR, name)
        case _:
            raise AssertionError(act)
