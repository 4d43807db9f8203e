"""What else volunteers' programs ask of a tracker's host: addresses of their own, and bodies of their own."""

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final
from urllib.parse import parse_qs

import msgspec

from holdfast.errors import InvalidError
from holdfast.wire.volunteers import NAME, SLUG


class Errand(StrEnum):
    BACKFEED = "backfeed"
    RESCUE = "rescue"
    NOW = "now"
    DICTIONARY = "dictionary"
    HOME = "home"
    REGISTER = "register"
    UPDATE = "update"
    PROJECTS = "projects"


@dataclass(frozen=True, slots=True)
class Wish:
    """An errand, of which project, and with which word behind it."""

    errand: Errand
    slug: str | None = None
    word: str = ""

    @property
    def verb(self) -> str:
        return self.errand


POSTED: Final = {"/api/register.json": Wish(Errand.REGISTER), "/api/update.json": Wish(Errand.UPDATE)}
ASKED: Final = {
    "/now": Wish(Errand.NOW),
    "/dictionary": Wish(Errand.DICTIONARY),
    "/projects.json": Wish(Errand.PROJECTS),
    "/": Wish(Errand.HOME),
}
KEY: Final = re.compile(r"/backfeed/legacy/([^/]{1,128})")


def read_errand(method: str | None, path: str) -> Wish | None:
    match method:
        case "POST":
            return POSTED.get(path) or _backfeed(path) or _rescue(path)
        case "GET" | "HEAD":
            return ASKED.get(path) or _home(path)
        case _:
            return None


def _backfeed(path: str) -> Wish | None:
    found = KEY.fullmatch(path)
    return Wish(Errand.BACKFEED, word=found[1]) if found else None


def _rescue(path: str) -> Wish | None:
    slug, _, rest = path[1:].partition("/")
    return Wish(Errand.RESCUE, slug) if rest == "rescue-me" and SLUG.fullmatch(slug) else None


def _home(path: str) -> Wish | None:
    slug = path[1:].removesuffix("/")
    return Wish(Errand.HOME, slug) if SLUG.fullmatch(slug) else None


MOST_FED: Final = 10_000
LONGEST_FORM: Final = 65_536
LONGEST_MARK: Final = 8


def read_fed(query: bytes, body: bytes) -> list[str]:
    """Names with NUL behind each; other signs may be named for that, and one that parts a key, the name and
    what goes with it: then only the name is the item's.
    """
    said = parse_qs(query.decode("latin-1"), keep_blank_values=True, max_num_fields=20)
    delimiter = _mark(said.get("delimiter", ["\0"])[-1]) or b"\0"
    separator = _mark(said.get("itemseparator", [""])[-1])
    lines = [line for line in body.split(delimiter) if line]
    if len(lines) > MOST_FED:
        raise InvalidError(f"There are {len(lines)} items; at most {MOST_FED} go in one.")
    if separator:
        lines = [_second(line.split(separator)) for line in lines]
    try:
        return [line.decode() for line in lines]
    except UnicodeDecodeError:
        raise InvalidError("Names of items are UTF-8.") from None


def _second(parts: list[bytes]) -> bytes:
    return parts[1] if len(parts) > 1 else parts[0]


def _mark(said: str) -> bytes:
    if len(said) > LONGEST_MARK:
        raise InvalidError(f"What parts items has at most {LONGEST_MARK} signs.")
    return said.encode()


def read_form(body: bytes) -> str:
    """`items` of a form."""
    if len(body) > LONGEST_FORM:
        raise InvalidError(f"The form has more than {LONGEST_FORM} bytes.")
    try:
        said = parse_qs(body.decode("ascii", "strict"), max_num_fields=20, errors="strict")
    except ValueError:
        raise InvalidError("The body is no form in UTF-8.") from None
    return "\n".join(said.get("items", []))


CALLBACK: Final = re.compile(r"[A-Za-z_$][\w$]{0,63}(?:\.[A-Za-z_$][\w$]{0,63}){0,4}", re.ASCII)


def read_callback(query: bytes) -> str:
    """The function that a script wants to be called, empty for none; it is a name and nothing else."""
    said = parse_qs(query.decode("latin-1"), max_num_fields=20).get("callback", [""])[-1]
    if said and not CALLBACK.fullmatch(said):
        raise InvalidError("callback names a function: letters, digits, underscores, dollars and dots.")
    return said


def read_project(query: bytes) -> str:
    return parse_qs(query.decode("latin-1"), max_num_fields=20).get("project", [""])[-1]


class _Inner(msgspec.Struct):
    warrior_id: str | int | None = None
    lat_lng: Any = None
    downloader: str | None = None
    selected_project: str | None = None


class _Told(msgspec.Struct):
    warrior: _Inner = msgspec.field(default_factory=_Inner)


@dataclass(frozen=True, slots=True)
class Warrior:
    """What a warrior says of itself; number 0: it has none of ours."""

    number: int
    downloader: str
    project: str
    lat_lng: str


def read_warrior(body: bytes) -> Warrior:
    """Nothing in it may be missing so much that the warrior would not hear of the projects."""
    try:
        said = msgspec.json.decode(body, type=_Told).warrior
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InvalidError(f"The body is no JSON that this address takes: {error}.") from None
    number = str(said.warrior_id)
    name, project = said.downloader or "", said.selected_project or ""
    where = said.lat_lng if isinstance(said.lat_lng, str) else ""
    return Warrior(
        int(number) if number.isascii() and number.isdigit() and len(number) < 16 else 0,
        name if NAME.fullmatch(name) else "",
        project if SLUG.fullmatch(project) else "",
        where[:64],
    )
