"""What other processes do to a catalogue in these tests."""

from typing import Any

from holdfast.catalogue.model import Actor
from holdfast.catalogue.store import members, uploads
from holdfast.errors import ConflictError
from holdfast.store.records.engine import RecordsAddress
from holdfast.wire.metainfo import parse_torrent
from tests.catalogue.ground import OPERATOR, Ground
from tests.clocks import StillClock
from tests.conftest import opened


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
