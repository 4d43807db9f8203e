"""The only code that asks and changes a project's live keys."""

from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

from holdfast.items import keys
from holdfast.items.model import Claim, Claimed, Counts, Holder, Status, Verdict
from holdfast.store.live import Library, LiveStore, Reply
from holdfast.store.live.interface import Arg
from holdfast.wire.volunteers import Report

LIBRARY = Library.read("holdfast.items")
CLAIM = LIBRARY.function("claim")
REPORT = LIBRARY.function("report")
RELEASE = LIBRARY.function("release")
EXPIRE = LIBRARY.function("expire")
RENEW = LIBRARY.function("renew")
ADD = LIBRARY.function("add")
CHECK = LIBRARY.function("check")
UNDO = LIBRARY.function("undo")
RETRY = LIBRARY.function("retry")
PLACE = LIBRARY.function("place")
COUNTS = LIBRARY.function("counts")
TAIL = LIBRARY.function("tail")
DRAINED = LIBRARY.function("drained")


@dataclass(frozen=True, slots=True)
class Told:
    """A report as it came in: by whom, and with which program."""

    report: Report
    holder: Holder
    agent: str
    claimed: float | None = None
    """When the claim was made, where its token came back."""


class Bench:
    """One project's place in the live store. Every method is one atomic step."""

    def __init__(self, live: LiveStore, slug: str) -> None:
        self._live = live
        self._keys = (keys.name(keys.OUT, live.layout, slug),)

    async def claim(self, holder: Holder, many: int, at: float, *, smooth: bool) -> Claim:
        """Up to `many` items; `at` must be no other claim's, since a lost answer is asked for again by it."""
        args = (f"{at:.6f}", int(smooth), holder.name, holder.address, many)
        status, *taken = _list(await self._live.function(CLAIM, self._keys, args, repeat=True))
        flat = [_text(each) for each in _list(taken[0])] if taken else []
        return Claim(Status(_number(status)), tuple(map(Claimed, flat[::2], flat[1::2])), at)

    async def report(self, told: Told, now: float, minute: str) -> list[Verdict]:
        """What it did for each item; the same report twice counts once."""
        args = (int(now), minute, _packed(told, now))
        letters = _text(await self._live.function(REPORT, self._keys, args, repeat=True))
        return [Verdict(letter) for letter in letters]

    async def release(
        self, items: Sequence[str], by: Holder | None, now: float, why: str = "", attempts: int = 0
    ) -> list[str]:
        """Hand items back, or say why they failed; without `by`, whoever holds them. Answers with which."""
        args: list[Arg] = [now, str(by) if by else "", why, attempts, *items]
        return _texts(await self._live.function(RELEASE, self._keys, args))

    async def expire(self, now: float, before: float, attempts: int, at_once: int) -> int:
        """End claims made before that moment, and not renewed since."""
        args = (now, f"{before:.6f}", attempts, at_once)
        return _number(await self._live.function(EXPIRE, self._keys, args, repeat=True))

    async def renew(self, items: Sequence[str], by: Holder, at: float) -> list[str]:
        """A sign of life from whoever holds them; answers with those that he does hold."""
        args: list[Arg] = [str(by), f"{at:.6f}", *items]
        return _texts(await self._live.function(RENEW, self._keys, args, repeat=True))

    async def check(self, items: Sequence[str]) -> list[str]:
        return [
            _text(item) for item in _list(await self._live.function(CHECK, self._keys, items, repeat=True))
        ]

    async def add(self, queue: str, items: Sequence[str]) -> list[str]:
        """Those that were new; sent again after a lost answer it would call them known, and be right."""
        return _texts(await self._live.function(ADD, self._keys, (queue, *items)))

    async def undo(self, queue: str, items: Sequence[str]) -> int:
        return _number(await self._live.function(UNDO, self._keys, (queue, *items)))

    async def retry(self, items: Sequence[str]) -> int:
        return _number(await self._live.function(RETRY, self._keys, items))

    async def place(self, item: str) -> tuple[str | None, str]:
        """Where an item is in the live store, None for nowhere, and who holds it."""
        where, held = _texts(await self._live.function(PLACE, self._keys, (item,), repeat=True))
        return where or None, held

    async def tail(self, which: str, most: int) -> tuple[int, list[bytes]]:
        """The oldest lines of a list that are still there, and how many were before them."""
        first, *lines = _list(await self._live.function(TAIL, self._keys, (which, most), repeat=True))
        return _number(first), [line for line in lines if isinstance(line, bytes)]

    async def forget(self, which: str, first: int, lines: int, items: Sequence[str]) -> bool:
        """The records have these lines, and the items that they finished; False: they were gone already."""
        args: list[Arg] = [which, first, lines, *items]
        return _number(await self._live.function(DRAINED, self._keys, args, repeat=True)) == 1

    async def counts(self) -> Counts:
        return Counts(
            *[_number(each) for each in _list(await self._live.function(COUNTS, self._keys, repeat=True))]
        )


def _packed(told: Told, now: float) -> bytes:
    report = told.report
    line = {
        "item": "\0".join(report.items),
        "items": report.items,
        "by": told.holder.name,
        "ip": told.holder.address,
        "ua": told.agent,
        "at": now,
        "bytes": report.counted,
        "version": report.version,
    }
    if report.checksum:
        line["id"] = msgspec.Raw(report.checksum)
    return msgspec.msgpack.encode(
        {
            "name": told.holder.name,
            "held": str(told.holder),
            "items": report.items,
            "bytes": report.counted,
            "version": report.version,
            "line": msgspec.json.encode(line)[:-1].decode(),
        }
        | ({"claimed": told.claimed} if told.claimed is not None else {})
    )


def _list(reply: Reply) -> list[Reply]:
    return reply if isinstance(reply, list) else []


def _number(reply: Reply) -> int:
    return reply if isinstance(reply, int) else 0


def _texts(reply: Reply) -> list[str]:
    return [_text(each) for each in _list(reply)]


def _text(reply: Reply) -> str:
    return reply.decode(errors="surrogateescape") if isinstance(reply, bytes) else ""
