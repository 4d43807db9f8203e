"""Cursors: where the next page of a listing begins, as a text that callers hand back unread."""

import base64
import binascii
import json
import math
from typing import Any, TypeVar, overload

from holdfast.errors import InvalidError

A = TypeVar("A", int, float, str)
B = TypeVar("B", int, float, str)
C = TypeVar("C", int, float, str)

LIMIT = 50
LIMIT_MOST = 200
LONGEST = 1024


def encode_cursor(*parts: float | str) -> str:
    """The key of the last item shown, in the order by which the listing is sorted."""
    text = json.dumps(parts, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


@overload
def decode_cursor(text: str, a: type[A], /) -> tuple[A]: ...
@overload
def decode_cursor(text: str, a: type[A], b: type[B], /) -> tuple[A, B]: ...
@overload
def decode_cursor(text: str, a: type[A], b: type[B], c: type[C], /) -> tuple[A, B, C]: ...
def decode_cursor(text: str, *types: type) -> tuple[Any, ...]:
    """The parts as they were encoded; a cursor of another listing, or one that was tampered with, is refused.

    Cursors carry no signature: they can only name a place, and every place may be asked for.
    """
    try:
        parts = _parts(text)
    except (ValueError, RecursionError) as error:
        raise _refusal() from error
    if len(parts) != len(types) or not all(map(_fits, parts, types)):
        raise _refusal()
    return tuple(parts)


def _parts(text: str) -> list[object]:
    if len(text) > LONGEST:
        raise ValueError("too long")
    try:
        raw = base64.b64decode(text.encode("ascii") + b"=" * (-len(text) % 4), altchars=b"-_", validate=True)
    except binascii.Error as error:
        raise ValueError("not base64") from error
    parts = json.loads(raw.decode())
    # Only the exact text that we write is a cursor: one place has one name.
    if not isinstance(parts, list) or encode_cursor(*parts) != text:
        raise ValueError("not canonical")
    return parts


def _fits(part: object, kind: type) -> bool:
    if type(part) is not kind:
        return False
    match part:
        case int():
            return -(2**63) <= part < 2**63
        case float():
            return math.isfinite(part)
        case str():
            return "\0" not in part
    return False


def _refusal() -> InvalidError:
    return InvalidError("This cursor does not belong to this listing; start again without one.")
