"""The words of spread: projects, claims, reports, and what became of an item."""

from dataclasses import dataclass, field
from enum import IntEnum, StrEnum
from typing import Any


class State(StrEnum):
    """Where a project stands."""

    DRAFT = "draft"
    """Being filled; nobody sees it."""
    ACTIVE = "active"
    PAUSED = "paused"
    """Nothing is given out; reports are taken."""
    DRAINING = "draining"
    """Nothing is given out that was not claimed before; it ends when the last report is in."""
    ARCHIVED = "archived"
    """Over; the board stays readable."""


class Unknown(StrEnum):
    """What a client hears that reports an item which the project does not know."""

    OK = "ok"
    INVALID = "invalid"


@dataclass(frozen=True, slots=True)
class Project:
    """One project, as its operators set it up; times in seconds, 0 for never and for no limit."""

    id: int
    slug: str
    title: str
    state: State
    item_type: str = "item"
    item_pattern: str = "[-_.A-Za-z0-9]{2,50}"
    domains: dict[str, str] = field(default_factory=dict)
    """The keys under which clients count bytes, with what people read."""
    lease: float = 0.0
    attempts: int = 0
    minimum_version: str = ""
    refused_versions: tuple[str, ...] = ()
    smooth: bool = False
    unknown: Unknown = Unknown.OK
    message: str = ""
    host: str = ""
    """A host name at which addresses without a slug mean this project."""
    is_default: bool = False
    """Addresses without a slug mean this project, and its classic keys have no prefix; never changed."""
    secret: str = field(default="", repr=False)
    """By which the tokens of its claims are signed."""
    created: float = 0.0
    description: str = ""
    repository: str = ""
    """From where warriors clone the project's pipeline; one without is none of theirs."""
    logo: str = ""
    leaderboard: str = ""
    """Empty: the project's page here."""
    marker_html: str = ""
    lat_lng: str = ""
    deadline: float = 0.0
    weight: float = 1.0
    """How often warriors that leave the choice to us choose it, beside the others."""
    rescue: bool = False
    """Whether everybody may add items."""
    backfeed_queue: str = "todo"
    backfeed_hash: str | None = field(default=None, repr=False)
    """The SHA-256 of the key in the address to which discovered items go; None: there is no such address."""
    dictionary: dict[str, str] = field(default_factory=dict)
    """Where the dictionary for compressing lies: id, url and sha256, or nothing."""
    extras: dict[str, Any] = field(default_factory=dict)
    """What else is answered with an item."""

    @property
    def prefix(self) -> str:
        """What its live keys begin with; the default project's begin with nothing."""
        return "" if self.is_default else self.slug


@dataclass(frozen=True, slots=True)
class Target:
    """Where volunteers bring what they fetched."""

    id: int
    project_id: int
    url: str
    """`:downloader` in it stands for the volunteer's name."""
    weight: float
    active: bool
    held_until: float
    """Nobody is sent there before that."""
    held_why: str


@dataclass(frozen=True, slots=True)
class Carried:
    """What became of an upload target: how often it was named, and how many uploads were reported to it."""

    given: int = 0
    reported: int = 0


@dataclass(frozen=True, slots=True)
class Block:
    """Somebody who gets no items."""

    id: int
    project_id: int | None
    """None: of no project."""
    whom: str
    """A name, an address or a network."""
    reason: str
    at: float
    until: float | None
    """None: for ever."""
    by: str


@dataclass(frozen=True, slots=True)
class Headquarters:
    """What warriors are told beside the projects."""

    seesaw_version: str = "0.0.0"
    """Warriors with an older one start anew to get it."""
    auto_project: str = ""
    """For warriors that leave the choice to us; empty: the project of most weight."""
    broadcast_message: str = ""


class Status(IntEnum):
    """What the live store says to somebody who wants work."""

    OK = 0
    BLOCKED = 1
    BUSY = 2
    LIMITED = 3
    EMPTY = 4
    OUTDATED = 5


@dataclass(frozen=True, slots=True)
class Claimed:
    """One item, and the queue it was taken from."""

    item: str
    queue: str


@dataclass(frozen=True, slots=True)
class Claim:
    """The answer to somebody who wants work."""

    status: Status
    items: tuple[Claimed, ...] = ()
    at: float = 0.0


class Verdict(StrEnum):
    """What a report did for one item."""

    COUNTED = "c"
    DUPLICATE = "d"
    FOREIGN = "f"
    """Somebody else holds it."""
    UNKNOWN = "u"


@dataclass(frozen=True, slots=True)
class Counts:
    """Where a project's items are. `todo + out + done + failed = added`, always."""

    todo: int
    out: int
    done: int
    failed: int
    added: int


@dataclass(frozen=True, slots=True)
class Holder:
    """Who holds a claim, as the seed writes it: the address, a space, the name."""

    name: str
    address: str

    def __str__(self) -> str:
        return f"{self.address} {self.name}"


@dataclass(frozen=True, slots=True)
class Piece:
    """Lines of a log that lie together in one of its files."""

    first: int
    lines: int
    file: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Line:
    """One report as the log has it."""

    raw: bytes
    at: float
    name: str
    counted: tuple[str, ...]
    """The items that it finished."""
    total: int
    """Bytes."""


@dataclass(frozen=True, slots=True)
class Episode:
    """A claim that ended without a report."""

    item: str
    at: float
    what: str
    name: str
    address: str
    why: str


@dataclass(frozen=True, slots=True)
class Leader:
    """A volunteer's place among those of a project."""

    rank: int
    name: str
    items: int
    bytes: int


@dataclass(frozen=True, slots=True)
class Work:
    """What a volunteer did for one project."""

    slug: str
    title: str
    items: int
    bytes: int


class Window(StrEnum):
    """How far back a board looks."""

    DAY = "day"
    WEEK = "week"
    ALL = "all"
