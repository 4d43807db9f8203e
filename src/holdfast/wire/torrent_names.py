"""The names inside torrents: how they are read, and which are refused as dangerous."""

import re
import unicodedata
from collections.abc import Iterable

from holdfast.errors import InvalidError

MAX_NAME = 255
MAX_PATH = 4096
MAX_FOLDERS = 64

_DEVICE = re.compile(r"(con|prn|aux|nul|com[1-9¹²³]|lpt[1-9¹²³])(\..*)?", re.IGNORECASE).fullmatch
_NOT_ON_WINDOWS = re.compile(r'[<>:"|?*]|[. ]$').search

# What a name may not match, and why. Overrides and isolates make "gpj.exe" read as "exe.jpg"; the plain
# direction marks that Arabic and Hebrew need stay allowed.
_DANGERS = (
    (r"\A\Z", "is empty"),
    (r"\A[. ]+\Z", "has only dots and spaces, which lead out of the folder"),
    (r"[/\\]", "contains a slash or backslash, which leads to other folders"),
    (r"\A[A-Za-z]:", "begins like a Windows drive, which leads out of the folder"),
    (r"[\x00-\x1f\x7f-\x9f]", "contains control characters"),
    (r"[\u202a-\u202e\u2066-\u2069]", "contains characters that reverse it and hide what it is"),
    (r"[\ud800-\udfff]", "is not UTF-8, so that others would see another name"),
)


# All of them at once, since nearly every name passes and a torrent may have a hundred thousand.
_SUSPICIOUS = re.compile("|".join(pattern for pattern, _ in _DANGERS)).search


def danger(name: str) -> str | None:
    """Why a file or folder of this name must not reach a member's disk; None for a harmless one."""
    if _SUSPICIOUS(name):
        return next(why for pattern, why in _DANGERS if re.search(pattern, name))
    if len(name.encode()) > MAX_NAME:
        return f"is longer than the {MAX_NAME} bytes that file systems can store"
    return None


def path_danger(path: tuple[str, ...]) -> str | None:
    """As `danger`, for a whole path below the torrent's own name."""
    if not path:
        return "is empty"
    if len(path) > MAX_FOLDERS:
        return f"is nested more than {MAX_FOLDERS} folders deep"
    for name in path:
        if why := danger(name):
            return why
    if sum(map(len, path)) * 4 > MAX_PATH and len("/".join(path).encode()) > MAX_PATH:
        return f"is longer than the {MAX_PATH} bytes that programs can open"
    return None


def read_name(raw: bytes) -> tuple[str, bool]:
    """The text of a name, and whether its encoding had to be guessed.

    Old torrents hold names in the code page of their maker. Their info hash, and so their swarm, would be
    lost by refusing them, and the name is only shown: it is read as Western European and remarked on.
    """
    try:
        return raw.decode(), False
    except UnicodeDecodeError:
        return raw.decode("cp1252", "replace"), True


def remarks_on(paths: Iterable[tuple[str, ...]]) -> list[str]:
    """What members should know about names that are harmless but not welcome everywhere."""
    awkward: tuple[str, ...] | None = None
    alike: tuple[str, ...] | None = None
    seen: set[str] = set()
    for path in paths:
        if awkward is None and any(_DEVICE(name) or _NOT_ON_WINDOWS(name) for name in path):
            awkward = path
        folded = unicodedata.normalize("NFC", "/".join(path)).casefold()
        if folded in seen and alike is None:
            alike = path
        seen.add(folded)
    remarks = []
    if awkward is not None:
        remarks.append(f"Windows cannot store every name as it is written, such as {show(awkward)}.")
    if alike is not None:
        remarks.append(
            f"{show(alike)} differs from another name only in case: Windows and macOS cannot keep both, "
            "and some clients rename one."
        )
    return remarks


def check_distinct(paths: Iterable[tuple[str, ...]]) -> None:
    """Refuse a path that appears twice, or is a file here and a folder there."""
    files: set[tuple[str, ...]] = set()
    folders: set[tuple[str, ...]] = set()
    for path in paths:
        if path in files:
            raise InvalidError(f"The torrent has the file {show(path)} twice; make it again.")
        files.add(path)
        above = path[:-1]
        while above and above not in folders:
            folders.add(above)
            above = above[:-1]
    if both := next(iter(files & folders), None):
        raise InvalidError(f"The torrent has {show(both)} both as a file and as a folder; make it again.")


def show(path: tuple[str, ...]) -> str:
    """A path as an error message quotes it: escaped, and never longer than a line."""
    text = "/".join(path)
    return repr(text if len(text) <= 200 else text[:99] + "…" + text[-99:])
