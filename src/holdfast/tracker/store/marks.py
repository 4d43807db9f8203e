"""Marks in the live store: what the records lack, what each mark stands for, and that it is settled."""

import secrets
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from typing import TypeAlias, TypeVar

from holdfast.store.live import Library, LiveStore, Reply
from holdfast.tracker.keys import DIRTY, ERA
from holdfast.tracker.model import MOST_BYTES, Standing, Swarm, Tally

LIBRARY = Library.read("holdfast.tracker", "marks.lua", name="marks")
LOOK = LIBRARY.function("look")
SETTLE = LIBRARY.function("settle")
MARK = LIBRARY.function("mark")
AT_ONCE = 500
LOOKED_AT = 100
"""So many are read in one step, that nobody else waits for."""
LARGEST_ID = 2**63 - 1

T = TypeVar("T")
Mark: TypeAlias = str
Pair: TypeAlias = tuple[int, int]


def member_of(mark: Mark) -> int | None:
    """The member whose totals a mark is about."""
    return _number(mark[1:]) if mark[:1] == "u" else None


def upload_of(mark: Mark) -> int | None:
    """The upload whose counts a mark is about."""
    return _number(mark[1:]) if mark[:1] == "t" else None


def pair_of(mark: Mark) -> Pair | None:
    """The member and the upload on which a mark says how he stands."""
    first, _, second = mark[1:].partition(":")
    uid, tid = _number(first), _number(second)
    return (uid, tid) if mark[:1] == "s" and uid is not None and tid is not None else None


def named(*, member: int | None = None, upload: int | None = None) -> Mark:
    if member is None:
        return f"t{upload}"
    return f"u{member}" if upload is None else f"s{member}:{upload}"


async def pages(live: LiveStore) -> AsyncIterator[dict[Mark, bytes]]:
    """Every mark that stands throughout, with its step, page by page; those made meanwhile perhaps."""
    name, cursor = DIRTY.name(live.layout), b"0"
    while True:
        reply = await live.call("HSCAN", name, cursor, "COUNT", AT_ONCE, repeat=True)
        cursor, found = reply  # type: ignore[misc, assignment]
        marked = list(zip(found[::2], found[1::2], strict=True))  # type: ignore[index]
        for some in in_parts(marked, AT_ONCE):
            yield {mark.decode(errors="replace"): step for mark, step in some}
        if cursor == b"0":
            return


async def look(live: LiveStore, marks: Sequence[Mark]) -> dict[Mark, Tally]:
    """What the marks stand for, as it is now."""
    keys = (DIRTY.name(live.layout),)
    found: dict[Mark, Tally] = {}
    for some in in_parts(marks, LOOKED_AT):
        replies = await live.function(LOOK, keys, some, repeat=True)
        found |= {mark: _read(mark, reply) for mark, reply in zip(some, replies, strict=True)}  # type: ignore[arg-type]
    return found


async def settle(live: LiveStore, marked: Mapping[Mark, bytes]) -> int:
    """Take away the marks whose steps are still these."""
    if not marked:
        return 0
    words = [word for pair in marked.items() for word in pair]
    settled = await live.function(SETTLE, (DIRTY.name(live.layout),), words, repeat=True)
    return settled if isinstance(settled, int) else 0


async def mark(live: LiveStore, marks: Sequence[Mark]) -> None:
    """Have somebody look at these, though the live store changed nothing."""
    for some in in_parts(marks, AT_ONCE):
        await live.function(MARK, (DIRTY.name(live.layout),), some, repeat=True)


async def era(live: LiveStore) -> str:
    """A name that the live store keeps until it is lost."""
    name, new = ERA.name(live.layout), secrets.token_hex(8)
    before = await live.call("SET", name, new, "NX", "GET", repeat=True)
    return before.decode() if isinstance(before, bytes) else new


def in_parts(things: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    for start in range(0, len(things), size):
        yield things[start : start + size]


def _read(mark: Mark, reply: Reply) -> Tally:
    said = reply if isinstance(reply, list) else []
    words = [*said, *[None] * (9 - len(said))]
    born = words[0].decode(errors="replace")[:64] if isinstance(words[0], bytes) else ""
    uploaded, downloaded = _count(words[1]), _count(words[2])
    if mark[0] == "u":
        return Tally(born, uploaded, downloaded)
    if mark[0] == "t":
        return Swarm(born, uploaded, downloaded, seeders=_count(words[3]), leechers=_count(words[4]))
    whole = words[6]
    return Standing(
        born,
        uploaded,
        downloaded,
        _count(words[3]),
        seeding=_count(words[4]),
        leeching=_count(words[5]),
        complete=bool(whole) if isinstance(whole, int) else None,
        snatched=_count(words[7]) or None,
        hnr=_count(words[8]) or None,
    )


def _count(said: Reply) -> int:
    """A number as a program may have written it; what is none counts as nothing."""
    if isinstance(said, int):
        return said
    digits = isinstance(said, bytes) and said.isdigit() and len(said) <= 20
    return min(int(said), MOST_BYTES) if digits and isinstance(said, bytes) else 0


def _number(text: str) -> int | None:
    sound = text.isascii() and text.isdigit() and len(text) <= 19 and not text.startswith("0")
    return int(text) if sound and int(text) <= LARGEST_ID else None
