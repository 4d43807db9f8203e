"""The words of the catalogue: members, uploads, points, notices, and who changed what."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Generic, TypeVar

T = TypeVar("T")
SHARE = 1000
"""What is credited is counted in thousandths of what was moved; people write 1.0 for all of it."""


class Role(StrEnum):
    MEMBER = "member"
    MODERATOR = "moderator"
    OPERATOR = "operator"


class Door(StrEnum):
    """Where a change came in."""

    PAGE = "page"
    API = "api"
    CLI = "cli"
    SYSTEM = "system"


class Scope(StrEnum):
    """What a machine's token may do, within what its owner may do."""

    READ = "read"
    WRITE = "write"
    OPERATE = "operate"
    METRICS = "metrics"


@dataclass(frozen=True, slots=True)
class Actor:
    """Who does something, through which door and from where: what the audit writes down."""

    member_id: int | None
    name: str
    door: Door
    address: str | None = None
    request_id: str = ""
    roles: frozenset[Role] = frozenset()
    scopes: frozenset[Scope] = frozenset(Scope)


@dataclass(frozen=True, slots=True)
class MemberRef:
    id: int | None
    name: str


@dataclass(frozen=True, slots=True)
class Sinks:
    """The ways a notice may reach a member."""

    page: bool = True
    email: bool = True
    webhook: bool = True


@dataclass(frozen=True, slots=True)
class Preferences:
    """Which notices a member wants, by the role in which they are sent."""

    as_uploader: Sinks = Sinks()
    as_snatcher: Sinks = Sinks()


@dataclass(frozen=True, slots=True)
class Member:
    id: int
    name: str
    enabled: bool
    may_leech: bool
    roles: tuple[Role, ...]
    points: int
    uploaded: int
    downloaded: int
    joined: float
    last_seen: float | None = None
    email: str | None = None
    preferences: Preferences | None = None
    multi_up: float = 1.0
    multi_down: float = 1.0


@dataclass(frozen=True, slots=True)
class NewMember(Member):
    """A member just added, with what is shown only now: the passkey is his alone."""

    passkey: str = ""
    announce_url: str = ""


@dataclass(frozen=True, slots=True)
class Category:
    id: int
    name: str
    points: int


@dataclass(frozen=True, slots=True)
class Removal:
    at: float
    reason: str
    by: MemberRef | None


@dataclass(frozen=True, slots=True)
class Upload:
    id: int
    name: str
    category: Category
    uploader: MemberRef | None
    size: int
    piece_length: int
    piece_count: int
    file_count: int
    info_hash_v1: str | None
    info_hash_v2: str | None
    private: bool
    source: str | None
    comment: str
    created: float
    last_action: float | None
    completed: int
    seeders: int
    leechers: int
    removed: Removal | None = None
    multi_up: float = 1.0
    multi_down: float = 1.0


@dataclass(frozen=True, slots=True)
class UploadRef:
    """An upload in the listings of other parts."""

    id: int
    name: str
    size: int
    removed: bool


@dataclass(frozen=True, slots=True)
class UploadFile:
    path: str
    size: int


class NoticeRole(StrEnum):
    """As what a notice addresses its reader."""

    UPLOADER = "uploader"
    SNATCHER = "snatcher"
    MEMBER = "member"
    OPERATOR = "operator"


class DeliveryState(StrEnum):
    PENDING = "pending"
    SENT = "sent"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Delivery:
    sink: str
    state: DeliveryState
    attempts: int
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Notice:
    id: int
    kind: str
    role: NoticeRole
    subject: str
    body: str
    created: float
    read_at: float | None = None
    deliveries: tuple[Delivery, ...] = ()


@dataclass(frozen=True, slots=True)
class PointsEntry:
    id: int
    at: float
    amount: int
    reason: str
    upload_id: int | None
    by: MemberRef | None
    balance_after: int


@dataclass(frozen=True, slots=True)
class AuditEntry:
    id: int
    at: float
    actor: MemberRef
    door: Door
    address: str | None
    action: str
    target_kind: str
    target_id: str
    target_name: str
    before: dict[str, Any] | None
    after: dict[str, Any] | None
    request_id: str


@dataclass(frozen=True, slots=True)
class WhitelistEntry:
    prefix: str
    name: str


@dataclass(frozen=True, slots=True)
class Freeleech:
    """A time in which everything is credited by other shares."""

    id: int
    starts: float
    ends: float
    multi_up: float
    multi_down: float
    reason: str


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """One page of a listing; `next` is None on the last one."""

    items: list[T]
    next: str | None = None
