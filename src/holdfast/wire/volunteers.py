"""What volunteers' clients ask for and report, read from what every generation of them really sends."""

import math
import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, TypeAlias

import msgspec

from holdfast.errors import InvalidError

MOST_AT_ONCE: Final = 1000
MOST_REPORTED: Final = 10_000
LONGEST_ITEM: Final = 2048
LONGEST_SERVER: Final = 253
LONGEST_ID: Final = 8192
LARGEST_COUNT: Final = 2**53 - 1
NAME: Final = re.compile(r"[-_a-zA-Z0-9]{3,30}")
SLUG: Final = re.compile(r"[a-z0-9][a-z0-9-]{0,62}")
WARRIOR: Final = re.compile(r"ArchiveTeam Warrior/(\d+)\.(\d+)(?:\.(\d+))?")
# From this version on seesaw reads JSON; before it, a bare name.
SPEAKS_JSON: Final = (0, 0, 13)
JSON_API: Final = "2"


class Verb(StrEnum):
    REQUEST = "request"
    DONE = "done"
    DONE_REQUEST = "done+request"
    RELEASE = "release"
    UPLOAD = "upload"
    UPLOADED = "uploaded"
    FAIL = "fail"
    HEARTBEAT = "heartbeat"


VERBS: Final = {verb.value: verb for verb in Verb}


@dataclass(frozen=True, slots=True)
class Call:
    """What an address asks for: of which project, the default one when it names none, and how many items."""

    verb: Verb
    slug: str | None
    many: int | None = None
    """None where the address does not say; then one is meant, in the form that asks for one."""


def read_path(path: str) -> Call | None:
    """`/request`, `/SLUG/request`, `/SLUG/multi=N/request`, also with the two slashes that seesaw writes."""
    *before, last = [part for part in path.split("/") if part] or [""]
    verb = VERBS.get(last)
    if verb is None or len(before) > 2:
        return None
    many = None
    if before and before[-1].startswith("multi="):
        many = _many(before.pop().removeprefix("multi="))
        if many is None:
            return None
    if len(before) > 1 or (before and not SLUG.fullmatch(before[0])):
        return None
    return Call(verb, before[0] if before else None, many)


class Sight(StrEnum):
    """What everybody may read."""

    STATS = "stats.json"
    CHARTS = "charts.json"
    VERSIONS = "update-status.json"
    ITEM = "items"


SIGHTS: Final = {sight.value: sight for sight in Sight if sight is not Sight.ITEM}


@dataclass(frozen=True, slots=True)
class Look:
    """What of which project somebody wants to read."""

    sight: Sight
    slug: str | None
    item: str = ""

    @property
    def verb(self) -> str:
        return self.sight


def read_look(path: str) -> Look | None:
    """`/SLUG/stats.json` and its like, `/SLUG/items/NAME.json`; without a slug for the default project."""
    first, _, rest = path.removeprefix("/").partition("/")
    slug, rest = (first, rest) if SLUG.fullmatch(first) and first != Sight.ITEM else (None, path[1:])
    if rest in SIGHTS:
        return Look(SIGHTS[rest], slug)
    folder, _, name = rest.partition("/")
    if folder == Sight.ITEM and name.endswith(".json") and len(name) > len(".json"):
        return Look(Sight.ITEM, slug, name.removesuffix(".json"))
    return None


def _many(said: str) -> int | None:
    if not said.isascii() or not said.isdigit() or len(said) > 9 or int(said) < 1:
        return None
    return min(int(said), MOST_AT_ONCE)


Scalar: TypeAlias = str | int | float | None


class _Asked(msgspec.Struct):
    downloader: str = ""
    version: Scalar = None
    api_version: Scalar = None


class _Reported(msgspec.Struct):
    downloader: str = ""
    item: str = ""
    user: str = ""
    items: list[str] = []
    bytes: dict[str, msgspec.Raw] = {}
    version: Scalar = None
    id: msgspec.Raw = msgspec.Raw()
    claim: str = ""
    reason: str = ""


class _Upload(msgspec.Struct):
    downloader: str = ""


class _Uploaded(msgspec.Struct):
    uploader: str = ""
    item: str = ""
    user: str = ""
    server: str = ""


@dataclass(frozen=True, slots=True)
class Uploaded:
    """Somebody says that he brought an item to a server."""

    name: str
    item: str
    server: str


@dataclass(frozen=True, slots=True)
class Ask:
    """Somebody wants work."""

    name: str
    version: str
    as_json: bool


@dataclass(frozen=True, slots=True)
class Report:
    """Somebody says what became of items: all that he worked on together."""

    name: str
    items: tuple[str, ...]
    counted: dict[str, int]
    """Bytes by domain."""
    version: str
    checksum: bytes
    """The JSON of `id`, as it came; empty where there was none."""
    claim: str
    reason: str
    listed: bool = False
    """Whether the items came as a list of their own."""


def read_ask(body: bytes, call: Call, agent: str) -> Ask:
    """Whoever names the second form of the API, asks for many or is a warrior of this time reads JSON."""
    asked = _decoded(body, _Asked)
    as_json = call.many is not None or _text(asked.api_version) == JSON_API or _speaks_json(agent)
    return Ask(_name(asked.downloader), _text(asked.version), as_json)


def read_report(body: bytes) -> Report:
    """The report, or a sentence about why it cannot be one; nothing is changed by one that cannot."""
    said = _decoded(body, _Reported)
    joined = said.item or said.user
    items = tuple(said.items) if said.items else tuple(joined.split("\0")) if joined else ()
    if not items:
        raise InvalidError("The report names no item.")
    if len(items) > MOST_REPORTED:
        raise InvalidError(f"The report names {len(items)} items; at most {MOST_REPORTED} go in one.")
    for item in items:
        if not item or len(item.encode()) > LONGEST_ITEM:
            raise InvalidError(f"An item's name has 1 to {LONGEST_ITEM} bytes; “{item[:40]}” has not.")
    return Report(
        _name(said.downloader),
        tuple(dict.fromkeys(items)),
        {domain: _count(domain, count) for domain, count in said.bytes.items()},
        _text(said.version),
        _compact(bytes(said.id)),
        said.claim,
        said.reason,
        listed=bool(said.items),
    )


def read_upload(body: bytes) -> str:
    """Who wants to bring something."""
    return _name(_decoded(body, _Upload).downloader)


def read_uploaded(body: bytes) -> Uploaded:
    said = _decoded(body, _Uploaded)
    item = said.item or said.user
    if not item or len(said.server) > LONGEST_SERVER:
        raise InvalidError("A report of an upload names the item, and the server in at most 253 signs.")
    # Of many that are joined the first will do: the report is for people who look after the servers.
    return Uploaded(_name(said.uploader), item[:LONGEST_ITEM], said.server)


def _decoded(body: bytes, kind: type[msgspec.Struct]):  # type: ignore[no-untyped-def]
    try:
        return msgspec.json.decode(body, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InvalidError(f"The body is no JSON that this address takes: {error}.") from None


def _name(name: str) -> str:
    if not NAME.fullmatch(name):
        raise InvalidError("A downloader's name has 3 to 30 letters, digits, dashes or underscores.")
    return name


def _text(said: Scalar) -> str:
    return "" if said is None else str(said)[:64]


def _compact(raw: bytes) -> bytes:
    """On one line, whatever line breaks it came with; what is too long is left out."""
    return msgspec.json.format(raw, indent=-1) if 0 < len(raw) <= LONGEST_ID else b""


def _count(domain: str, raw: msgspec.Raw) -> int:
    """Old clients count in floats; what is negative, endless or no number at all counts for nobody."""
    try:
        count = msgspec.json.decode(raw, type=int | float)
    except msgspec.DecodeError:
        count = math.nan
    if not 0 <= count <= LARGEST_COUNT:
        raise InvalidError(f"The bytes of “{domain[:40]}” must be a number from 0 to {LARGEST_COUNT}.")
    return int(count)


def _speaks_json(agent: str) -> bool:
    found = WARRIOR.match(agent)
    return found is not None and tuple(int(part or 0) for part in found.groups()) >= SPEAKS_JSON
