"""Bencode, read with suspicion and written canonically: the one encoding of torrents and tracker replies."""

import operator
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias, cast

from holdfast.errors import InvalidError

Value: TypeAlias = "int | bytes | list[Value] | dict[bytes, Value]"
Encodable: TypeAlias = "int | bytes | Sequence[Encodable] | Mapping[bytes, Encodable]"

# Deeper than any folder tree worth sharing, and far from the end of the interpreter's stack.
MAX_DEPTH = 128
# An empty list costs thirty times its two bytes in memory; a torrent of 250,000 files has this many.
MAX_CONTAINERS = 500_000
# The widest integer that any protocol of ours carries is 64 bits.
MAX_DIGITS = 20

# Only canonical tokens match; whatever does not is explained by _fault, off the fast path.
_TOKEN = re.compile(rb"(0|[1-9][0-9]{0,9}):|i(0|-?[1-9][0-9]{0,19})e|([ld])|e").match
_STRING, _INTEGER, _OPEN = 1, 2, 3
_DICTIONARY = ord("d")

_UNFINISHED = re.compile(rb"|0|[1-9][0-9]{0,9}|i(0|-|-?[1-9][0-9]{0,19})?").fullmatch
# The first that matches is the fault; the last one matches everything.
_FAULTS = (
    (rb"i-0", "The integer at byte {at} is minus zero, or has a leading zero."),
    (rb"i0[0-9]", "The integer at byte {at} has a leading zero."),
    (rb"i-?[0-9]{21}", f"The integer at byte {{at}} has more than {MAX_DIGITS} digits."),
    (rb"i", "The integer at byte {at} is not a number that ends in an e."),
    (rb"-", "The string at byte {at} has a negative length."),
    (rb"0[0-9]", "The length of the string at byte {at} has a leading zero."),
    (rb"[0-9]{11}", "The string at byte {at} claims an impossible length."),
    (rb"[0-9]", "The length of the string at byte {at} does not end in a colon."),
    (rb"", "No value can begin as byte {at} does."),
)


class BencodeError(InvalidError):
    """The bytes are not acceptable bencode; the sentence names the offset of the fault."""


@dataclass(frozen=True, slots=True)
class Document:
    """A top-level dictionary, and where each of its values lies in the original bytes."""

    data: bytes
    fields: dict[bytes, Value]
    spans: dict[bytes, tuple[int, int]]
    in_order: bool

    def raw(self, key: bytes) -> bytes | None:
        """The original bytes of a top-level value: what an info hash is computed from."""
        span = self.spans.get(key)
        return None if span is None else self.data[span[0] : span[1]]


def decode(data: bytes, *, strict: bool = True) -> Value:
    """The one value that `data` holds; `strict=False` tolerates unsorted keys, as old torrents have."""
    value, end = _Reader(data, strict).value(0)
    _expect_end(data, end)
    return value


def decode_document(data: bytes, *, strict: bool = True) -> Document:
    """A top-level dictionary with the span of each of its values; `strict` as in `decode`."""
    if data[:1] != b"d":
        raise BencodeError("The data has no dictionary at byte 0; check that it is the right file.")
    reader = _Reader(data, strict)
    items: list[Value] = []
    spans: dict[bytes, tuple[int, int]] = {}
    at = 1
    while data[at : at + 1] != b"e":
        key, start = reader.value(at, depth=1)
        value, at = reader.value(start, depth=1)
        items += (key, value)
        if isinstance(key, bytes):
            spans[key] = (start, at)
    fields = reader.dictionary(items, 0)
    _expect_end(data, at + 1)
    return Document(data, fields, spans, reader.in_order)


def encode(value: Encodable) -> bytes:
    """The canonical bytes of `value`: keys sorted, nothing that `decode` would refuse."""
    parts: list[bytes] = []
    _write(value, parts, 0)
    return b"".join(parts)


class _Reader:
    """Reads values off one buffer and counts what they cost."""

    def __init__(self, data: bytes, strict: bool) -> None:
        self.data = data
        self.strict = strict
        self.in_order = True
        self.containers = 0

    def value(self, at: int, depth: int = 0) -> tuple[Value, int]:
        """The value that begins at `at`, and where it ends.

        Written as one loop with its own stack: input nested without end must meet our limit, not the
        interpreter's, and a call for each value would halve the speed.
        """
        data, size = self.data, len(self.data)
        outer: list[tuple[int, list[Value]]] = []
        items: list[Value] = []
        while True:
            token = _TOKEN(data, at)
            if token is None:
                raise _fault(data, at)
            kind, end = token.lastindex, token.end()
            if kind == _STRING:
                start, end = end, end + int(token[_STRING])
                if end > size:
                    raise _cut_short(f"the string at byte {at} needs {end - size} more")
                items.append(data[start:end])
            elif kind == _INTEGER:
                items.append(int(token[_INTEGER]))
            elif kind == _OPEN:
                self._enter(at, depth + len(outer))
                outer.append((at, items))
                items = []
            else:
                if not outer:
                    raise BencodeError(f"A value is missing at byte {at}, where something else ends.")
                opened, around = outer.pop()
                around.append(self.dictionary(items, opened) if data[opened] == _DICTIONARY else items)
                items = around
            at = end
            if not outer:
                return items[0], at

    def dictionary(self, items: list[Value], opened: int) -> dict[bytes, Value]:
        """The dictionary that opened at byte `opened`, from its keys and values in turn."""
        keys = items[::2]
        if not set(map(type, keys)) <= {bytes}:
            raise BencodeError(f"The dictionary at byte {opened} has a key that is not a string.")
        if len(items) % 2:
            raise BencodeError(
                f"The dictionary at byte {opened} has a key without a value: {keys[-1]!r:.80}."
            )
        names = cast("list[bytes]", keys)
        if not all(map(operator.lt, names, names[1:])):
            self._forgive(names, opened)
        return dict(zip(names, items[1::2], strict=True))

    def _forgive(self, names: list[bytes], opened: int) -> None:
        """Refuse keys that do not ascend, unless they are merely unsorted and we are told to be lenient."""
        seen: set[bytes] = set()
        for before, name in zip([b"", *names], names, strict=False):
            if name in seen:
                raise BencodeError(
                    f"The dictionary at byte {opened} has the key {name!r:.80} more than once."
                )
            if self.strict and name < before:
                raise BencodeError(
                    f"The dictionary at byte {opened} has its key {name!r:.80} out of order; "
                    "make the torrent again with a program that sorts them."
                )
            seen.add(name)
        self.in_order = False

    def _enter(self, at: int, depth: int) -> None:
        self.containers += 1
        if depth >= MAX_DEPTH:
            raise BencodeError(f"The data is nested deeper than {MAX_DEPTH} levels at byte {at}.")
        if self.containers > MAX_CONTAINERS:
            raise BencodeError(
                f"The data has more than {MAX_CONTAINERS} lists and dictionaries by byte {at}."
            )


def _expect_end(data: bytes, end: int) -> None:
    if end != len(data):
        raise BencodeError(f"The value ends at byte {end}, but {len(data) - end} more bytes follow it.")


def _cut_short(why: str) -> BencodeError:
    return BencodeError(f"The data is cut short: {why}; fetch it again.")


def _fault(data: bytes, at: int) -> BencodeError:
    """Why no token begins at `at`."""
    # The longest token is far shorter than this; hostile digits must not be copied by the megabyte.
    ahead = data[at : at + 64]
    if _UNFINISHED(ahead):
        return _cut_short(f"it ends at byte {len(data)} inside a value")
    return next(BencodeError(why.format(at=at)) for pattern, why in _FAULTS if re.match(pattern, ahead))


def _write(value: Encodable, parts: list[bytes], depth: int) -> None:
    if depth > MAX_DEPTH:
        raise BencodeError(
            f"The value is nested deeper than {MAX_DEPTH} levels, from byte 0 of its encoding."
        )
    if isinstance(value, bytes):
        parts += (b"%d:" % len(value), value)
    elif isinstance(value, int) and not isinstance(value, bool):
        if abs(value) >= 10**MAX_DIGITS:
            raise BencodeError(f"An integer of more than {MAX_DIGITS} digits cannot be written.")
        parts.append(b"i%de" % value)
    elif isinstance(value, Mapping):
        parts.append(b"d")
        for key, inner in sorted(value.items()):
            if not isinstance(key, bytes):
                raise TypeError(f"a bencode key is bytes, not {type(key).__name__}")
            parts += (b"%d:" % len(key), key)
            _write(inner, parts, depth + 1)
        parts.append(b"e")
    elif isinstance(value, list | tuple):
        parts.append(b"l")
        for inner in value:
            _write(inner, parts, depth + 1)
        parts.append(b"e")
    else:
        raise TypeError(f"bencode holds int, bytes, list and dict, not {type(value).__name__}")
