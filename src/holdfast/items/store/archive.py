"""A project's log in compressed files: appended piece by piece, and whole up to where the records say."""

import fcntl
import gzip
import os
import platform
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from holdfast.items.model import Piece

FOLDER = "items"


class Archive:
    """The folder of all logs. Each piece is a gzip member of its own: whole files read on with any tool."""

    def __init__(self, folder: Path, place: str) -> None:
        self._folder = folder
        self._place = place
        """A word for this machine: no two write to one file."""

    @contextmanager
    def held(self, slug: str) -> Iterator[None]:
        """Nobody else on this machine appends to the project's files meanwhile."""
        folder = self._folder / slug
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with (folder / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def file_of(self, slug: str, month: str) -> str:
        return f"{slug}/log-{month}-{self._place}.jsonl.gz"

    def append(self, file: str, end: int, lines: Sequence[bytes]) -> int:
        """Where the piece ends. What lies behind `end` was written by somebody who died before he said so."""
        with os.fdopen(os.open(self._folder / file, os.O_RDWR | os.O_CREAT, 0o600), "r+b") as log:
            log.truncate(end)
            log.seek(end)
            log.write(gzip.compress(b"".join(line + b"\n" for line in lines), compresslevel=6, mtime=0))
            log.flush()
            os.fsync(log.fileno())
            return log.tell()

    def lines(self, pieces: Sequence[Piece], first: int, many: int = 1) -> Iterator[bytes]:
        """So many lines from the first on, as far as their files lie on this machine."""
        for piece in pieces:
            if (self._folder / piece.file).exists():
                lines = self.read(piece)
                yield from lines[max(first - piece.first, 0) : max(first + many - piece.first, 0)]

    def read(self, piece: Piece) -> list[bytes]:
        with (self._folder / piece.file).open("rb") as log:
            log.seek(piece.start)
            return gzip.decompress(log.read(piece.end - piece.start)).splitlines()


def archive_in(data: Path) -> Archive:
    """The logs that this machine keeps in its data folder."""
    return Archive(data / FOLDER, re.sub(r"[^\w-]", "-", platform.node()))
