"""Claims and limits of a project as staff sees and sets them; read a piece at a time, however many."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from holdfast.items import keys
from holdfast.items.model import Holder
from holdfast.paging import decode_cursor, encode_cursor
from holdfast.store.live import LiveStore, Reply
from holdfast.store.live.keys import KeyName

# A page may come out larger or smaller than asked for: the store decides where its pieces end.
START = "0"
AT_ONCE = 1000


@dataclass(frozen=True, slots=True)
class Open:
    """An item that somebody holds."""

    item: str
    holder: Holder
    since: float


@dataclass(frozen=True, slots=True)
class Limits:
    """How much is given out. None: as much as is asked for."""

    per_minute: int | None
    monitor: int | None
    """What a monitor of the target site has set; the smaller of the two holds."""
    each: int | None
    """Claims that one volunteer may hold at once."""


class Claims:
    def __init__(self, live: LiveStore, slug: str) -> None:
        self._live = live
        self._slug = slug

    async def page(self, cursor: str | None, limit: int, by: str = "") -> tuple[list[Open], str | None]:
        """Some of the claims, or of one volunteer's, in no order, and where the next ones begin."""
        found, following = await self._scan(keys.CLAIMS, cursor, AT_ONCE if by else limit)
        if by:
            found = _held(found, by)
            while following is not None and len(found) < limit:
                further, following = await self._scan(keys.CLAIMS, following, AT_ONCE)
                found |= _held(further, by)
        items = list(found)
        scores = await self._scores(items)
        return [
            Open(item, holder_of(found[item]), since)
            for item, since in zip(items, scores, strict=True)
            if since is not None
        ], following

    async def failed(self, cursor: str | None, limit: int) -> tuple[dict[str, str], str | None]:
        """Some of the items that were given up, and why."""
        return await self._scan(keys.FAILED, cursor, limit)

    async def limits(self) -> Limits:
        names = (keys.LIMIT, keys.MONITOR, keys.LEAST_BUDGET)
        replies = await self._live.batch([("GET", self._name(name)) for name in names], repeat=True)
        per_minute, monitor, least = [_number(reply) for reply in replies]
        return Limits(per_minute, monitor, -least if least is not None else None)

    async def limit(self, per_minute: int | None, each: int | None) -> None:
        """Set both; None takes a limit away."""
        wanted = {keys.LIMIT: per_minute, keys.LEAST_BUDGET: None if each is None else -each}
        await self._live.batch(
            [
                ("DEL", self._name(key)) if value is None else ("SET", self._name(key), value)
                for key, value in wanted.items()
            ],
            repeat=True,
        )

    async def _scores(self, items: Sequence[str]) -> list[float | None]:
        if not items:
            return []
        reply = await self._live.call("ZMSCORE", self._name(keys.OUT), *items, repeat=True)
        scores = reply if isinstance(reply, list) else []
        return [float(score) if isinstance(score, bytes) else None for score in scores]

    async def _scan(self, key: KeyName, cursor: str | None, limit: int) -> tuple[dict[str, str], str | None]:
        at = START if cursor is None else decode_cursor(cursor, str)[0]
        reply = await self._live.call("HSCAN", self._name(key), at, "COUNT", limit, repeat=True)
        following, flat = reply if isinstance(reply, list) else (b"0", [])
        words = [each.decode(errors="replace") for each in _bytes(flat)]
        later = _bytes([following])[0].decode()
        return dict(zip(words[::2], words[1::2], strict=True)), None if later == START else encode_cursor(
            later
        )

    def _name(self, key: KeyName) -> str:
        return keys.name(key, self._live.layout, self._slug)


def holder_of(held: str) -> Holder:
    address, _, name = held.partition(" ")
    return Holder(name, address)


def _held(claims: dict[str, str], by: str) -> dict[str, str]:
    return {item: held for item, held in claims.items() if holder_of(held).name == by}


def _number(reply: Reply) -> int | None:
    return int(reply) if isinstance(reply, bytes) and re.fullmatch(rb"-?\d{1,15}", reply) else None


def _bytes(reply: Reply) -> list[bytes]:
    return [each for each in reply if isinstance(each, bytes)] if isinstance(reply, list) else []
