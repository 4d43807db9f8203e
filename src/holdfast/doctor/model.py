"""The words of the doctor: what was seen, and what is said about it."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal


class Level(StrEnum):
    OK = "ok"
    HINT = "hint"
    PROBLEM = "problem"


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at: a sentence on how it is, and one on how to mend it."""

    level: Level
    about: str
    what: str
    mend: str = ""


def ok(about: str, what: str) -> Finding:
    return Finding(Level.OK, about, what)


def hint(about: str, what: str, mend: str) -> Finding:
    return Finding(Level.HINT, about, what, mend)


def problem(about: str, what: str, mend: str) -> Finding:
    return Finding(Level.PROBLEM, about, what, mend)


@dataclass(frozen=True)
class Versions:
    holdfast: str
    python: tuple[int, int, int]
    sqlite: tuple[int, ...]
    system: str
    """Such as `Linux 6.1`."""
    valkey: str | None
    """The embedded server's; None when it is not used."""


@dataclass(frozen=True)
class Kernel:
    """What Linux is set to; None where it does not say."""

    overcommit: int | None
    huge_pages: str | None


@dataclass(frozen=True)
class Files:
    """Open files of one process, against what it may have."""

    who: str
    open: int | None
    limit: int


@dataclass(frozen=True)
class Port:
    """A place that a door of ours wants, and who has it."""

    door: str
    host: str
    port: int
    state: Literal[
        "any", "free", "unused", "ours", "taken", "elsewhere", "denied", "unknown host", "no such address"
    ]
    holder: str | None = None

    @property
    def place(self) -> str:
        return (
            f"[{self.host}]:{self.port}"
            if ":" in self.host
            else f"{self.host or 'every address'}:{self.port}"
        )


@dataclass(frozen=True)
class Disk:
    """The file system of the data folder."""

    free: int
    total: int
    free_inodes: int
    inodes: int
    """0: this file system does not count them."""
    append_only: int = 0
    """Bytes that the embedded server's append-only file has; a rewrite needs as much again."""


@dataclass(frozen=True)
class Folder:
    """The data folder, or the nearest one above it when it is not there yet."""

    path: str
    exists: bool
    there: str
    """What was looked at: the folder itself, or the one in which it would be made."""
    owned: bool
    mode: int
    writable: bool
    read_only: bool
    """The file system is mounted so."""
    run_mode: int | None = None
    """Of run.json, which carries the operator's token."""


@dataclass(frozen=True)
class Server:
    """How one server of the live store is set up."""

    address: str
    version: str
    software: str
    primary: bool
    used_memory: int
    max_memory: int
    policy: str
    notifications: str | None
    append_only: bool
    persistence_error: str | None
    replication_error: str | None


@dataclass(frozen=True)
class Records:
    """The records as they stand; `schema` None: there are no tables yet."""

    kind: str
    where: str
    schema: str | None
    waiting: int = 0
    oldest: float | None = None
    """Seconds that the oldest row of the outbox waits."""
    version: tuple[int, ...] = ()
    """The database server's; empty for SQLite."""


@dataclass(frozen=True)
class Part:
    name: str
    state: str
    restarts: int
    for_seconds: float
    """How long it has been in that state."""


@dataclass(frozen=True)
class Beat:
    """What one process of a part said of itself, here or on another machine."""

    part: str
    instance: str
    version: str
    ahead: float
    """Seconds by which its clock is before ours, negative for a beat of the past."""


@dataclass(frozen=True)
class House:
    """What the parent of all parts left in the data folder."""

    running: bool
    left_over: bool = False
    """run.json is there though nobody runs: the parent was killed."""
    parts: tuple[Part, ...] = field(default=())
