"""A whole mika tracker moving in: members first, then clients, uploads, and who took part in what."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from itertools import islice
from typing import Any

from holdfast.client import Door, segment
from holdfast.errors import InvalidError
from holdfast.imports.members import AT_ONCE, Carrier, Tally, Teller
from holdfast.imports.mika import Mika, Standing
from holdfast.imports.uploads import UploadCarrier, UploadTally

USERS_AT_ONCE = 100


@dataclass
class Moved:
    """What has come over."""

    members: Tally = field(default_factory=Tally)
    passkeys_left_out: int = 0
    clients: int = 0
    uploads: UploadTally = field(default_factory=UploadTally)
    participations: int = 0
    participations_left_out: int = 0
    """On uploads that were left out."""

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


async def move_in(
    source: Mika, door: Door, members: Carrier, uploads: UploadCarrier, tell: Teller, *, dry_run: bool
) -> Moved:
    moved, here = Moved(), dict[int, int]()
    async for batch in source.members():
        here |= members.take(batch)
    moved.members, moved.passkeys_left_out = members.tally, source.left_out
    if not dry_run:
        moved.clients = await _clients(source, door, tell)
    async for torrents in source.torrents():
        uploads.carry(torrents)
    moved.uploads = uploads.tally
    if not dry_run:
        await _history(source, door, here, uploads.ids, moved)
    return moved


async def _clients(source: Mika, door: Door, tell: Teller) -> int:
    known = {one["prefix"] for one in door.items("/whitelist", 0)}
    added = 0
    for prefix, name in (await source.clients()).items():
        if prefix in known:
            continue
        try:
            door.put(f"/whitelist/{segment(prefix)}", {"name": name})
            added += 1
        except InvalidError as error:
            tell(0, str(error))
    return added


async def _history(
    source: Mika, door: Door, members: dict[int, int], uploads: dict[int, int], moved: Moved
) -> None:
    users = iter(members)
    while some := list(islice(users, USERS_AT_ONCE)):
        stood = await source.history(some)
        ours = [one for one in stood if one.torrent_id in uploads]
        moved.participations_left_out += len(stood) - len(ours)
        for batch in _batches(ours):
            rows = [
                {
                    "member_id": members[one.user_id],
                    "upload_id": uploads[one.torrent_id],
                    "complete": one.complete,
                    "hnr": one.hnr,
                }
                for one in batch
            ]
            moved.participations += door.post("/participations/import", {"participations": rows})["added"]


def _batches(standings: list[Standing]) -> Iterator[list[Standing]]:
    for start in range(0, len(standings), AT_ONCE):
        yield standings[start : start + AT_ONCE]
