"""Uploads on their way to the API: a tracker kept their hashes alone, their torrents lie in a folder."""

import csv
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TextIO

from holdfast.client import Door
from holdfast.errors import HoldfastError, InvalidError
from holdfast.wire.metainfo import parse_torrent

TORRENT = "application/x-bittorrent"
LARGEST = 1 << 30
HASH_LENGTH = 20


class Wanted(Protocol):
    """What is known of an upload whose torrent is looked for."""

    @property
    def info_hash(self) -> str: ...
    @property
    def id(self) -> int | None: ...
    @property
    def name(self) -> str: ...
    @property
    def snatches(self) -> int: ...
    @property
    def enabled(self) -> bool: ...


def torrents_in(folder: Path, tell: Callable[[Path, str], None]) -> dict[str, Path]:
    """The .torrent files in a folder and below it, by each hash under which they are announced."""
    found: dict[str, Path] = {}
    for path in sorted(folder.rglob("*.torrent")):
        try:
            with path.open("rb") as file:
                metainfo = parse_torrent(file.read(LARGEST + 1), limit=LARGEST)
        except (OSError, InvalidError) as error:
            tell(path, str(error))
            continue
        for whole in (metainfo.v1_hash, metainfo.v2_hash):
            if whole is not None:
                found[whole[:HASH_LENGTH].hex()] = path
    return found


@dataclass
class UploadTally:
    added: int = 0
    known: int = 0
    left_out: int = 0


class UploadCarrier:
    """What cannot be taken over is listed with the reason, so that its torrent can be looked for."""

    def __init__(
        self, door: Door, torrents: dict[str, Path], left_out: TextIO, *, dry_run: bool, **how: Any
    ) -> None:
        self._door = door
        self._torrents = torrents
        self._left_out = csv.writer(left_out, lineterminator="\n")
        self._left_out.writerow(("info_hash", "id", "name", "snatches", "why"))
        self._dry_run = dry_run
        self._how = how
        self.tally = UploadTally()
        self.ids: dict[int, int] = {}
        """Numbers that uploads have here, by those that they had."""

    def carry(self, uploads: Iterable[Wanted]) -> None:
        for one in uploads:
            self._carry(one)

    def _carry(self, one: Wanted) -> None:
        path = self._torrents.get(one.info_hash)
        if not one.enabled:
            self._leave_out(one, "it was removed there")
        elif path is None:
            self._leave_out(one, "there is no torrent of it")
        elif self._dry_run:
            self.tally.added += 1
        else:
            self._send(one, path)

    def _send(self, one: Wanted, path: Path) -> None:
        try:
            answer = self._door.send(
                "/uploads/import",
                path.read_bytes(),
                TORRENT,
                id=one.id,
                completed=one.snatches,
                name=one.name or None,
                **self._how,
            )
        except InvalidError as error:
            self._leave_out(one, str(error))
            return
        except OSError as error:
            raise HoldfastError(f"{path} cannot be read any more ({error.strerror}).") from error
        if answer["fate"] == "refused":
            self._leave_out(one, "it was removed here")
            return
        if answer["fate"] == "added":
            self.tally.added += 1
        else:
            self.tally.known += 1
        if one.id is not None:
            self.ids[one.id] = answer["upload"]["id"]

    def _leave_out(self, one: Wanted, why: str) -> None:
        self.tally.left_out += 1
        self._left_out.writerow((one.info_hash, one.id or "", one.name, one.snatches, why))
