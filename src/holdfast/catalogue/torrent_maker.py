"""Makes torrents from folders and files: the one place that reads and hashes what members will share."""

import os
import stat
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from dataclasses import dataclass
from hashlib import sha1, sha256
from io import FileIO
from pathlib import Path

from holdfast.errors import ConflictError, InvalidError, NotFoundError
from holdfast.wire.bencode import encode
from holdfast.wire.merkle import HASH, LEAF, file_root, merkle_root, tree_width
from holdfast.wire.metainfo import MAX_PIECE_LENGTH, Metainfo, TorrentVersion, parse_torrent
from holdfast.wire.torrent_layout import (
    Content,
    Piece,
    Plan,
    Segment,
    choose_piece_length,
    pieces,
    write_info,
)
from holdfast.wire.torrent_names import path_danger, show
from holdfast.wire.torrent_write import write_torrent

Progress = Callable[[int, int], None]

# Read in bites that stay in a core's own cache between reading and hashing them.
_BITE = 256 * 1024
_ZEROS = memoryview(bytes(_BITE))
_TICK = 0.1
_MOST_THREADS = 16
_V1_HASH = 20
# Never follow a link that appeared since the folder was listed, nor wait for the writer of a pipe.
_OPEN = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


@dataclass(frozen=True, slots=True)
class MadeTorrent:
    """A torrent made from files: what members' copies are built around, and what it says."""

    info: bytes
    piece_layers: bytes | None
    metainfo: Metainfo


@dataclass(frozen=True, slots=True)
class _Found:
    """A file as it was listed; whatever differs when it is read has changed."""

    content: Content
    place: str
    identity: tuple[int, int, int, int]


def make_torrent(
    path: Path,
    *,
    version: TorrentVersion = TorrentVersion.HYBRID,
    piece_length: int | None = None,
    private: bool = True,
    source: str | None = None,
    progress: Progress | None = None,
    threads: int | None = None,
    created_at: int | None = None,
) -> MadeTorrent:
    """Hash a folder or a file into a torrent; the same content always gives the same info hashes.

    `progress` is told the bytes done and in all, a few times a second, in the caller's thread; whatever it
    raises ends the work. Symbolic links are refused: what they point to may lie outside the folder, change
    later, or be there twice. Folders without files cannot be carried by a torrent and are left out.
    """
    place = Path(os.path.realpath(path))
    found, folder = _list(place)
    total = sum(file.content.size for file in found)
    plan = Plan(
        name=place.name,
        folder=folder,
        files=[file.content for file in found],
        piece_length=choose_piece_length(total) if piece_length is None else piece_length,
        version=version,
        private=private,
        source=source,
    )
    _check_plan(plan, place)
    hashing = _Hashing(plan, found)
    hashing.run(threads or min(os.cpu_count() or 1, _MOST_THREADS), progress or _unwatched)
    return _assemble(plan, hashing, created_at)


def _unwatched(_done: int, _total: int) -> None:
    """Nobody asked to be told."""


def _assemble(plan: Plan, hashing: "_Hashing", created_at: int | None) -> MadeTorrent:
    trees = hashing.trees()
    info = write_info(plan, bytes(hashing.v1), [tree.root for tree in trees])
    layers = (
        encode({tree.root: tree.layer for tree in trees if tree.root and tree.layer}) if plan.v2 else None
    )
    torrent = write_torrent(info, layers, [], created_at=created_at)
    # Read back by the rules that every torrent must pass, so that we never hand out one we would refuse.
    return MadeTorrent(info, layers, parse_torrent(torrent, limit=len(torrent)))


def _check_plan(plan: Plan, place: Path) -> None:
    """Refuse before hashing, which may take hours, what would be refused after it."""
    if not plan.files:
        raise InvalidError(f"The folder {str(place)!r} has no files; put in what you want to share.")
    if not plan.total_size:
        raise InvalidError(f"{str(place)!r} has only empty files; there is nothing to share.")
    for path in [(plan.name,), *(file.path for file in plan.files)]:
        if why := path_danger(path):
            raise InvalidError(f"The name of {show(path)} {why}; rename it and try again.")
    alone = plan.v2 and plan.folder and [len(file.path) for file in plan.files] == [1]
    if alone and (not plan.v1 or plan.files[0].path == (plan.name,)):
        raise InvalidError(
            f"The folder {plan.name!r} holds one file, which v2 cannot tell from the file alone; "
            "share the file itself, or make a v1 torrent."
        )
    length = plan.piece_length
    if length < LEAF or length > MAX_PIECE_LENGTH or length & (length - 1):
        raise InvalidError(
            f"The piece length {length} is not a power of two from {LEAF} to {MAX_PIECE_LENGTH}; "
            "leave it out to have one chosen."
        )


def _list(place: Path) -> tuple[list[_Found], bool]:
    """The files below `place` in the order of their names' bytes, and whether it is a folder."""
    try:
        status = place.stat()
    except FileNotFoundError as missing:
        raise NotFoundError(f"There is nothing at {str(place)!r}; check the path.") from missing
    except OSError as error:
        raise _unreadable(str(place), error) from error
    if stat.S_ISREG(status.st_mode):
        return [_Found(Content((place.name,), status.st_size), str(place), _identity(status))], False
    if not stat.S_ISDIR(status.st_mode):
        raise InvalidError(f"{str(place)!r} is neither a file nor a folder, so it cannot be shared.")
    # The order of a v2 tree; also of v1, so that a hybrid's halves agree and no locale or disk decides.
    return sorted(_walk(str(place)), key=lambda file: [os.fsencode(name) for name in file.content.path]), True


def _walk(top: str) -> Iterator[_Found]:
    waiting: list[tuple[str, tuple[str, ...]]] = [(top, ())]
    while waiting:
        folder, above = waiting.pop()
        try:
            with os.scandir(folder) as entries:
                listed = [(entry, entry.stat(follow_symlinks=False)) for entry in entries]
        except OSError as error:
            raise _unreadable(error.filename or folder, error) from error
        for entry, status in listed:
            path = (*above, entry.name)
            if stat.S_ISDIR(status.st_mode):
                waiting.append((entry.path, path))
            elif stat.S_ISREG(status.st_mode):
                yield _Found(Content(path, status.st_size), entry.path, _identity(status))
            else:
                kind = "a symbolic link" if stat.S_ISLNK(status.st_mode) else "not a plain file"
                raise InvalidError(
                    f"{entry.path!r} is {kind}, which cannot be shared; take it out of the folder "
                    "or put a copy of the file in its place."
                )


class _Reading:
    """One thread's view of the files: one open at a time, read into one buffer, checked for changes."""

    def __init__(self, found: Sequence[_Found]) -> None:
        self._found = found
        self._buffer = memoryview(bytearray(_BITE))
        self._file: FileIO | None = None
        self._current = -1

    def bites(self, segment: Segment) -> Iterator[memoryview]:
        """The bytes of a segment, a buffer at a time; each is overwritten by the next."""
        found = self._found[segment.file]
        try:
            file = self._opened(segment.file)
            file.seek(segment.offset)
            left = segment.size
            while left:
                bite = self._buffer[: min(left, _BITE)]
                filled = 0
                while filled < len(bite):
                    got = file.readinto(bite[filled:])
                    if not got:
                        raise _changed(found)
                    filled += got
                left -= filled
                yield bite
        except OSError as error:
            raise _unreadable(found.place, error) from error

    def close(self) -> None:
        """Close what is open, and make sure that it stayed as it was while we read."""
        if self._file is None:
            return
        with self._file as file:
            self._file = None
            self._check(file)

    def drop(self) -> None:
        """Close what is open after a failure, which is the news to be told."""
        if self._file is not None:
            self._file.close()

    def _opened(self, number: int) -> FileIO:
        if self._file is None or number != self._current:
            self.close()
            self._current = number
            self._file = FileIO(os.open(self._found[number].place, _OPEN))
            self._check(self._file)
        return self._file

    def _check(self, file: FileIO) -> None:
        found = self._found[self._current]
        if _identity(os.fstat(file.fileno())) != found.identity:
            raise _changed(found)


@dataclass(frozen=True, slots=True)
class _Tree:
    """The v2 hashes of a file: its root unless it is empty, its piece layer if it is longer than a piece."""

    root: bytes | None
    layer: bytes | None


class _Hashing:
    """Hashes the pieces of a plan on several threads, which fetch them one by one from a common iterator.

    Nothing is queued: memory is a buffer for each thread and the hashes themselves. The interpreter's lock is
    free while bytes are read and hashed, which is nearly all of the time.
    """

    def __init__(self, plan: Plan, found: Sequence[_Found]) -> None:
        self.plan = plan
        self.v1 = bytearray(_V1_HASH * plan.piece_count if plan.v1 else 0)
        self.v2 = bytearray(HASH * plan.piece_count if plan.v2 else 0)
        self.done = 0
        self._found = found
        self._pieces = pieces(plan)
        self._lock = threading.Lock()
        self._stopped = False

    def run(self, threads: int, progress: Progress) -> None:
        total = self.plan.total_size
        progress(0, total)
        with ThreadPoolExecutor(threads, thread_name_prefix="hashing") as pool:
            working = {pool.submit(self._work) for _ in range(threads)}
            try:
                while working:
                    ended, working = wait(working, timeout=_TICK, return_when=FIRST_EXCEPTION)
                    for worker in ended:
                        worker.result()
                    progress(self.done, total)
            finally:
                self._stopped = True

    def trees(self) -> list[_Tree]:
        """The v2 hashes of every file, in order; nothing is known of them in v1."""
        found = []
        at = 0
        for file in self.plan.files:
            end = at + HASH * -(-file.size // self.plan.piece_length)
            hashes, at = bytes(self.v2[at:end]), end
            if len(hashes) > HASH:
                found.append(_Tree(file_root(hashes, self.plan.piece_length), hashes))
            else:
                found.append(_Tree(hashes or None, None))
        return found

    def _work(self) -> None:
        reading = _Reading(self._found)
        try:
            hashed = 0
            while (piece := self._next(hashed)) is not None:
                self._hash(piece, reading)
                hashed = sum(segment.size for segment in piece.segments)
            reading.close()
        finally:
            reading.drop()

    def _next(self, hashed: int) -> Piece | None:
        """The next piece to hash, after so many bytes of the last one."""
        with self._lock:
            self.done += hashed
            return None if self._stopped else next(self._pieces, None)

    def _hash(self, piece: Piece, reading: _Reading) -> None:
        v1 = sha1(usedforsecurity=False) if self.plan.v1 else None
        leaves: list[bytes] = []
        for segment in piece.segments:
            for bite in reading.bites(segment):
                if v1 is not None:
                    v1.update(bite)
                if self.plan.v2:
                    leaves += [sha256(bite[at : at + LEAF]).digest() for at in range(0, len(bite), LEAF)]
        if v1 is not None:
            for at in range(0, piece.padding, _BITE):
                v1.update(_ZEROS[: piece.padding - at])
            self.v1[piece.index * _V1_HASH : (piece.index + 1) * _V1_HASH] = v1.digest()
        if leaves:
            whole = self.plan.files[piece.segments[0].file].size <= self.plan.piece_length
            width = tree_width(len(leaves)) if whole else self.plan.piece_length // LEAF
            self.v2[piece.index * HASH : (piece.index + 1) * HASH] = merkle_root(b"".join(leaves), width)


def _identity(status: os.stat_result) -> tuple[int, int, int, int]:
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns


def _changed(found: _Found) -> ConflictError:
    return ConflictError(
        f"{found.place!r} changed while it was being hashed; wait until nothing writes to it and try again."
    )


def _unreadable(place: str, error: OSError) -> InvalidError:
    return InvalidError(f"{place!r} cannot be read ({error.strerror}); make it readable and try again.")
