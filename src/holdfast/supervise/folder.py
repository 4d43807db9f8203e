"""The data folder's two locks: one says that a parent lives, the other that any process of a run still does.

`lock` is held by the parent alone: the kernel frees it the moment the parent dies, however it dies.
`parts.lock` is opened once by the parent and handed down to every part as the same open file, so that its
lock ends with the last of them. A new parent takes the first, and waits on the second for what a killed one
left behind.
"""

import contextlib
import fcntl
import json
import os
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from holdfast.clock import Clock
from holdfast.errors import ConflictError, HoldfastError
from holdfast.runfile import LOCK, folder_error, read_run, remove_run, write_private
from holdfast.supervise.holders import who_holds_file
from holdfast.supervise.model import PartState, Say

PARTS = "parts.json"
PARTS_LOCK = "parts.lock"
READER_SECONDS = 1.0
"""A command that looks whether we run holds the lock for an instant, and is no second parent."""
LEFTOVER_SECONDS = 10.0
PAUSE = 0.05


@dataclass
class Folder:
    """A data folder that is ours until it is closed."""

    path: Path
    lock: int
    parts_lock: int

    def write_parts(self, states: Iterable[PartState]) -> None:
        """Shows other processes how the parts stand; raises OSError."""
        text = json.dumps([asdict(state) for state in states], indent=2)
        write_private(self.path / PARTS, text + "\n", durable=False)

    def close(self) -> None:
        # On a disk that has become unwritable they stay behind; without the lock nobody believes them.
        with contextlib.suppress(OSError):
            remove_run(self.path)
            (self.path / PARTS).unlink(missing_ok=True)
        os.close(self.parts_lock)
        os.close(self.lock)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


async def claim_folder(path: Path, clock: Clock, say: Say) -> Folder:
    """Makes the folder if need be and takes it for this process, or says who has it."""
    numbers: list[int] = []
    try:
        lock = _make(path, numbers)
        await _wait_for_readers(path, lock, clock)
        os.truncate(lock, 0)
        os.write(lock, f"{os.getpid()}\n".encode())
        remove_run(path)
        parts_lock = _open(path / PARTS_LOCK, numbers)
        await _wait_for_leftovers(path, parts_lock, clock, say)
    except BaseException as error:
        for number in numbers:
            os.close(number)
        if isinstance(error, OSError):
            raise folder_error(path, error) from error
        raise
    return Folder(path, lock, parts_lock)


def read_parts(data_dir: Path) -> list[PartState]:
    """How the parts of a running system stand, as last written; empty when that cannot be known."""
    try:
        return [PartState(**entry) for entry in json.loads((data_dir / PARTS).read_bytes())]
    except (OSError, ValueError, TypeError):
        return []


def _make(path: Path, numbers: list[int]) -> int:
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    return _open(path / LOCK, numbers)


async def _wait_for_readers(path: Path, lock: int, clock: Clock) -> None:
    if not await _lock_within(lock, READER_SECONDS, clock):
        raise _taken(path)


async def _wait_for_leftovers(path: Path, parts_lock: int, clock: Clock, say: Say) -> None:
    if _try_lock(parts_lock):
        return
    say("Waiting for the parts of an earlier run to stop")
    if not await _lock_within(parts_lock, LEFTOVER_SECONDS, clock):
        raise _left_over(path)


async def _lock_within(lock: int, seconds: float, clock: Clock) -> bool:
    end = clock.steady() + seconds
    while not _try_lock(lock):
        if clock.steady() >= end:
            return False
        await clock.sleep(PAUSE)
    return True


def _try_lock(lock: int) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _open(path: Path, numbers: list[int]) -> int:
    number = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    numbers.append(number)
    return number


def _taken(path: Path) -> HoldfastError:
    otherwise = "stop that one first, or give this one a folder of its own with --data DIR"
    try:
        run = read_run(path)
    except HoldfastError:
        pid = (path / LOCK).read_text().strip() or "unknown"
        return ConflictError(f"Another Holdfast is starting or stopping in {path} (pid {pid}); {otherwise}")
    return ConflictError(f"Holdfast already runs in {path} at {run.web} (pid {run.pid}); {otherwise}")


def _left_over(path: Path) -> HoldfastError:
    names = {state.pid: state.name for state in read_parts(path)}
    holders = [pid for pid in who_holds_file(path / PARTS_LOCK) if pid != os.getpid()]
    listed = ", ".join(f"{names.get(pid, 'a process')} (pid {pid})" for pid in holders) or "unknown to us"
    kill = f"; if they never end, kill -9 {' '.join(map(str, holders))}" if holders else ""
    return ConflictError(
        f"Parts of an earlier Holdfast are still stopping in {path}: {listed}; try again in a moment{kill}"
    )
