"""DIR/run.json: how every other command and script finds the running system and may speak to it."""

import contextlib
import errno
import fcntl
import json
import os
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from holdfast.errors import HoldfastError, InvalidError, RefusedError, UnavailableError

VERSION = 1
RUN = "run.json"
LOCK = "lock"
_KINDS: dict[str, type | tuple[type, ...]] = {"version": int, "pid": int, "started": (int, float)}


@dataclass(frozen=True)
class Run:
    """What is told about a running system; `token` carries operator rights and is for its file alone."""

    pid: int
    started: float
    """Seconds since 1970."""
    web: str
    """The URL of the web door."""
    tracker: str
    """The URL that clients announce to."""
    live: str
    """The live store, without its password."""
    records: str
    """The database, without its password."""
    data: str
    """The data folder."""
    token: str = field(repr=False)
    here: str = ""
    """The web door as this machine reaches it, when `web` is what the world calls it."""
    version: int = VERSION


def write_run(data_dir: Path, run: Run) -> None:
    """Writes run.json, whole or not at all, readable by its owner alone."""
    try:
        write_private(data_dir / RUN, json.dumps(asdict(run), indent=2) + "\n")
    except OSError as error:
        raise folder_error(data_dir, error) from error


def read_run(data_dir: Path) -> Run:
    """The running system of this data folder, or a sentence saying why there is none."""
    path = data_dir / RUN
    try:
        text = path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        raise _not_running(data_dir) from None
    except PermissionError:
        raise RefusedError(
            f"{path} belongs to another user; run this command as the one that started Holdfast"
        ) from None
    except OSError as error:
        raise folder_error(data_dir, error) from error
    if not is_locked(data_dir):
        raise _not_running(data_dir)
    return _parse(path, text)


def remove_run(data_dir: Path) -> None:
    """Removes run.json, and what a killed writer left of a new one."""
    (data_dir / RUN).unlink(missing_ok=True)
    _draft(data_dir / RUN).unlink(missing_ok=True)


def is_locked(data_dir: Path) -> bool:
    """Whether a parent is alive in this data folder: it holds the lock for its whole life, and only for that.

    This cannot be fooled by a pid that has gone to another program, nor by one of another container.
    """
    try:
        lock = os.open(data_dir / LOCK, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(lock)
    return False


def write_private(path: Path, text: str, *, durable: bool = True) -> None:
    """Puts the text in place of the file in one step, with mode 0600 from the first byte.

    The draft has a fixed name, as only the holder of the lock writes: a killed writer leaves one, not many.
    """
    draft = _draft(path)
    draft.unlink(missing_ok=True)
    number = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        with os.fdopen(number, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            if durable:
                os.fsync(number)
        draft.replace(path)
    except OSError:
        with contextlib.suppress(OSError):
            draft.unlink()
        raise
    if durable:
        _sync_folder(path.parent)


def folder_error(data_dir: Path, error: OSError) -> HoldfastError:
    """What an error of the file system means for whoever chose the data folder."""
    match error.errno:
        case errno.ENOTDIR | errno.EEXIST:
            return InvalidError(f"{data_dir} is a file, or below one; name a folder with --data DIR")
        case errno.EROFS:
            return RefusedError(
                f"Cannot write in {data_dir}: its disk is mounted read-only; mount it writable, or choose"
                " another folder with --data DIR"
            )
        case errno.EACCES | errno.EPERM:
            return RefusedError(
                f"Cannot write in {data_dir}: this user may not; change its owner, or choose another folder"
                " with --data DIR"
            )
        case errno.ENOSPC | errno.EDQUOT:
            return UnavailableError(
                f"Cannot write in {data_dir}: its disk is full; free some space and start again"
            )
        case _:
            return HoldfastError(
                f"Cannot use the data folder {data_dir}: {error.strerror or error};"
                " mend it, or choose another with --data DIR"
            )


def _parse(path: Path, text: bytes) -> Run:
    damaged = UnavailableError(
        f"{path} is damaged; stop Holdfast and start it again with `holdfast up --data {path.parent}`"
    )
    try:
        values = json.loads(text)
    except ValueError:
        raise damaged from None
    if not isinstance(values, dict):
        raise damaged
    if values.get("version") != VERSION:
        raise UnavailableError(
            f"{path} was written by another version of Holdfast (file version {values.get('version')!r},"
            f" this program reads {VERSION}); use the program that is running there"
        )
    named: dict[str, Any] = {name: values.get(name) for name in Run.__annotations__}
    if not all(isinstance(named[name], _KINDS.get(name, str)) for name in named):
        raise damaged
    return Run(**named)


def _not_running(data_dir: Path) -> HoldfastError:
    return UnavailableError(
        f"Holdfast is not running in {data_dir}; start it with `holdfast up --data {data_dir}`"
    )


def _draft(path: Path) -> Path:
    return path.with_name(f"{path.name}.new")


def _sync_folder(folder: Path) -> None:
    number = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(number)
    finally:
        os.close(number)
