"""Turns whatever is logged into plain values without secrets; pure, so that it can be tried with anything."""

import dataclasses
import math
import re
from collections.abc import Iterable, Mapping
from functools import lru_cache

from holdfast.settings.values import MASK, Secret

Plain = None | bool | int | float | str | list["Plain"] | dict[str, "Plain"]

DEEPEST = 6
SHORTEST = 7
"""No pattern below matches a shorter text: `token=x` is the shortest."""

SECRET_WORDS = frozenset({"passkey", "token", "password", "passwd", "secret", "authorization", "cookie"})
WORDS = re.compile(r"[A-Z]?[a-z0-9]+|[A-Z]+")
_NAMES = "passkey|[a-z_]*token|[a-z_]*password|passwd|[a-z_]*secret|authorization|(?:set-)?cookie"

HIDDEN = (
    # The passkey in an announce or scrape path, however misspelt: the segment before, unless it is the host.
    (re.compile(r"(?<![/:])/[^/\s?#\"']{8,200}(?=/(?:announce|scrape)\b)", re.IGNORECASE), f"/{MASK}"),
    # A passkey alone: nothing else that we log is 32 hexadecimal digits.
    (re.compile(r"(?<![0-9a-z])[0-9a-f]{32}(?![0-9a-z])", re.IGNORECASE), MASK),
    (re.compile(r"([a-z][a-z0-9+.-]*://[^\s/@:\"']*):[^\s\"']+@", re.IGNORECASE), rf"\1:{MASK}@"),
    (re.compile(r"\b(Bearer|Basic|Token)\s+[\w.~+/=-]{6,}", re.IGNORECASE), rf"\1 {MASK}"),
    # `passkey=…` in a query, `token: …` in a header, `password='…'` in the repr of a model.
    (
        re.compile(rf"\b({_NAMES})(['\"]?\s*[=:]\s*)b?(['\"])(?:\\.|(?!\3).)*\3", re.IGNORECASE),
        rf"\1\2\3{MASK}\3",
    ),
    (re.compile(rf"\b({_NAMES})(\s*[=:]\s*)(?!['\"*])[^\s&#,;)}}]+", re.IGNORECASE), rf"\1\2{MASK}"),
)


@lru_cache(maxsize=1024)  # the same few names come with every line
def is_secret_name(name: str) -> bool:
    """Whether one of the words of a name (`X-Api-Token`, `oldPasskey`) says that its value is secret."""
    return any(word.lower() in SECRET_WORDS for word in WORDS.findall(name))


def mask_text(text: str) -> str:
    """The text without the passkeys, passwords and tokens that can be told by what stands around them."""
    if len(text) < SHORTEST or (len(text) < 32 and text.isalnum()):
        return text  # most values that are logged: no pattern could find anything
    for pattern, instead in HIDDEN:
        text = pattern.sub(instead, text)
    return text


def mask(value: object, name: str = "", depth: int = 0) -> Plain:
    """The value as plain data that any encoder takes, with every secret replaced by ***."""
    if isinstance(value, Secret):
        return value.shown
    if value is None or isinstance(value, bool):
        return value
    if name and is_secret_name(name) and value not in ("", b""):
        return MASK
    if isinstance(value, int | float):
        return _number(value)
    if isinstance(value, str):
        return mask_text(str(value))
    return _inside(value, depth + 1) if depth < DEEPEST else mask_text(_described(value))


def _number(value: float) -> Plain:
    """Enumerations become numbers, and what JSON has no number for becomes text."""
    if isinstance(value, int):
        return int(value)
    return float(value) if math.isfinite(value) else repr(value)


def _inside(value: object, depth: int) -> Plain:
    if isinstance(value, bytes | bytearray | memoryview):
        return mask_text(bytes(value).decode("utf-8", "backslashreplace"))
    if isinstance(value, Mapping):
        return {_text(key): mask(each, _text(key), depth) for key, each in value.items()}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = [entry.name for entry in dataclasses.fields(value) if entry.repr]
        return {key: mask(getattr(value, key), key, depth) for key in fields}
    if isinstance(value, list | tuple | set | frozenset):
        return [_member(each, depth) for each in value]
    return mask_text(_described(value))


def _member(value: object, depth: int) -> Plain:
    """A member of a list; headers often come as pairs whose first says what the second is."""
    if isinstance(value, tuple) and len(value) == 2 and isinstance(value[0], str | bytes):
        return [mask(value[0]), mask(value[1], _text(value[0]), depth)]
    return mask(value, "", depth)


def _text(key: object) -> str:
    return key.decode("latin-1") if isinstance(key, bytes) else str(key)


def _described(value: object) -> str:
    try:
        return str(value) if isinstance(value, BaseException) else repr(value)
    except Exception as broken:  # noqa: BLE001 - a value that cannot be shown must not stop who logs it
        return f"<{type(value).__name__} that cannot be shown: {type(broken).__name__}>"


def escape_controls(text: str, keep: Iterable[str] = ()) -> str:
    """The text with control characters written out, so that none reaches a terminal or forges a line."""
    if text.isprintable():
        return text
    return "".join(
        each if each.isprintable() or each in keep else each.encode("unicode_escape").decode()
        for each in text
    )
