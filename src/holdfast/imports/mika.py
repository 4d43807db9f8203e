"""What a mika tracker left in its Redis, in the layout that it documented and in those that it really wrote.

Nothing is written there. Keys are walked by SCAN, so that a server of any size goes on serving.
"""

import re
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from holdfast.imports.members import Teller
from holdfast.imports.sheet import Read
from holdfast.store.live import LiveReplyError, LiveStore, Reply
from holdfast.store.live.interface import Command

AT_ONCE: Final = 500
MOST_BYTES: Final = 2**53 - 1
LARGEST_ID: Final = 2**31 - 1
LONGEST_NAME: Final = 255
USER: Final = re.compile(r"t:user:([^:]+)")
MEMBER: Final = re.compile(r"t:u:([0-9]{1,10})")
TORRENT_ID: Final = re.compile(r"t:info_hash:([0-9a-fA-F]{40})")
TORRENT: Final = re.compile(r"t:t:([0-9a-fA-F]{40})")
HISTORY: Final = ("complete", "incomplete", "hnr")
CLIENT: Final = re.compile(r"t:whitelist:(.+)")


@dataclass(frozen=True, slots=True)
class Torrent:
    """An upload as mika knew it."""

    info_hash: str
    id: int | None
    name: str = ""
    snatches: int = 0
    enabled: bool = True


@dataclass(frozen=True, slots=True)
class Standing:
    """How a member stood on a torrent."""

    user_id: int
    torrent_id: int
    complete: bool
    hnr: bool


class Mika:
    def __init__(self, live: LiveStore, tell: Teller) -> None:
        self._live = live
        self._tell = tell
        self.left_out = 0
        """Passkeys that lead to nobody, or to somebody who has a newer one."""

    async def members(self) -> AsyncIterator[list[Read]]:
        """Of each passkey its member, then of each member who has his passkey in his own hash; in batches.

        A line's number is the member's. Who comes in both ways comes twice.
        """
        async for names in self._names("t:user:*", USER):
            passkeys = {name[1]: name[0] for name in names}
            users = await self._hashes(list(passkeys.values()))
            plain = await self._strings([key for key, user in users.items() if user is None])
            ids = {
                passkey: _id((users[key] or {}).get("user_id") or plain.get(key))
                for passkey, key in passkeys.items()
            }
            totals = await self._hashes([f"t:u:{number}" for number in ids.values() if number])
            yield [
                self._member(passkey, number, (users[key] or {}) | (totals.get(f"t:u:{number}") or {}))
                for (passkey, key), number in zip(passkeys.items(), ids.values(), strict=True)
                if self._leads(passkey, number, totals.get(f"t:u:{number}") or {})
            ]
        async for names in self._names("t:u:*", MEMBER):
            found = await self._hashes([name[0] for name in names])
            yield [
                self._member(user["passkey"], int(name[1]), user)
                for name in names
                if _id(name[1]) and (user := found[name[0]]) and user.get("passkey")
            ]

    async def clients(self) -> dict[str, str]:
        """Beginnings of peer ids and their clients' names."""
        found = dict((await self._hashes(["t:whitelist"]))["t:whitelist"] or {})
        async for names in self._names("t:whitelist:*", CLIENT):
            keys = [name[0] for name in names]
            hashes = await self._hashes(keys)
            plain = await self._strings(keys)
            for key, prefix, *_ in names:
                said = next(iter((hashes[key] or {}).values()), None) or plain.get(key)
                found[prefix] = said or prefix
        return found

    async def torrents(self) -> AsyncIterator[list[Torrent]]:
        """Each hash once, unless its key comes twice while keys are walked."""
        async for names in self._names("t:info_hash:*", TORRENT_ID):
            numbers = await self._strings([name[0] for name in names])
            yield await self._described({name[1]: _id(numbers.get(name[0])) for name in names})
        async for names in self._names("t:t:*", TORRENT):
            told = await self._strings([f"t:info_hash:{name[1]}" for name in names])
            yield await self._described(
                {name[1]: None for name in names if f"t:info_hash:{name[1]}" not in told}
            )

    async def history(self, user_ids: Sequence[int]) -> list[Standing]:
        """Of these members, whichever way their sets were named; whole is more than in part."""
        sets = [
            (number, kind, key)
            for number in user_ids
            for kind in HISTORY
            for key in (f"t:u:{number}:{kind}", f"t:u:{kind}:{number}")
        ]
        replies = await self._ask([("SMEMBERS", key) for _, _, key in sets])
        stood: dict[tuple[int, int], set[str]] = {}
        for (number, kind, _), reply in zip(sets, replies, strict=True):
            for torrent in map(_text, reply if isinstance(reply, list) else []):
                if torrent_id := _number(torrent):
                    stood.setdefault((number, torrent_id), set()).add(kind)
        return [Standing(*pair, "complete" in kinds, "hnr" in kinds) for pair, kinds in stood.items()]

    async def _described(self, hashes: Mapping[str, int | None]) -> list[Torrent]:
        """By its hash, as mika came to write it, or by its number, as it did at first."""
        own = await self._hashes([f"t:t:{info_hash}" for info_hash in hashes])
        old = await self._hashes([f"t:t:{number}" for number in hashes.values() if number])
        found = []
        for info_hash, number in hashes.items():
            fields = own[f"t:t:{info_hash}"] or old.get(f"t:t:{number}") or {}
            found.append(
                Torrent(
                    info_hash.lower(),
                    number or _id(fields.get("torrent_id")),
                    fields.get("name", "")[:LONGEST_NAME],
                    min(_number(fields.get("snatches")) or 0, LARGEST_ID),
                    _switch(fields.get("enabled")),
                )
            )
        return found

    def _leads(self, passkey: str, number: int | None, totals: Mapping[str, str]) -> bool:
        newer = totals.get("passkey")
        if number and (not newer or newer == passkey):
            return True
        self.left_out += 1
        told = "He has a newer passkey than one that is left out." if number else "A passkey leads to nobody."
        self._tell(number or 0, told)
        return False

    def _member(self, passkey: str, number: int | None, fields: Mapping[str, str]) -> Read:
        member: dict[str, Any] = {
            "line": number,
            "id": number,
            "name": (fields.get("username") or f"member-{number}")[:LONGEST_NAME],
            "passkey": passkey,
            "enabled": _switch(fields.get("enabled")),
            "may_leech": _switch(fields.get("can_leech")),
        }
        for name in ("uploaded", "downloaded"):
            count = _number(fields.get(name)) or 0
            if count > MOST_BYTES:
                # Its counters ran round below zero when a client began anew.
                self._tell(number or 0, f"{name} was {count}, which cannot be; it is taken as 0.")
                count = 0
            member[name] = count
        return Read(number or 0, member)

    # The server -------------------------------------------------------------------------------------------

    async def _names(self, pattern: str, shape: re.Pattern[str]) -> AsyncIterator[list[tuple[str, ...]]]:
        """Keys of that shape with their parts, in batches."""
        batch: list[tuple[str, ...]] = []
        async for key in self._live.scan(pattern):
            if match := shape.fullmatch(key):
                batch.append((key, *[part or "" for part in match.groups()]))
            if len(batch) == AT_ONCE:
                yield batch
                batch = []
        if batch:
            yield batch

    async def _hashes(self, keys: list[str]) -> dict[str, dict[str, str] | None]:
        """What is no hash is None."""
        replies = await self._ask([("HGETALL", key) for key in keys])
        return {key: _mapping(reply) for key, reply in zip(keys, replies, strict=True)}

    async def _strings(self, keys: list[str]) -> dict[str, str]:
        replies = await self._ask([("GET", key) for key in keys])
        return {
            key: _text(reply) for key, reply in zip(keys, replies, strict=True) if isinstance(reply, bytes)
        }

    async def _ask(self, commands: list[Command]) -> list[Reply]:
        replies = await self._live.batch(commands, repeat=True) if commands else []
        for reply in replies:
            if isinstance(reply, LiveReplyError) and reply.code != "WRONGTYPE":
                raise reply
        return replies


def _mapping(reply: Reply) -> dict[str, str] | None:
    if not isinstance(reply, list):
        return None
    flat = [_text(each) for each in reply]
    return dict(zip(flat[::2], flat[1::2], strict=True))


def _text(reply: Reply) -> str:
    return reply.decode("utf-8", "replace") if isinstance(reply, bytes) else ""


def _number(text: str | None) -> int | None:
    return int(text) if text and text.isascii() and text.isdigit() and len(text) <= 20 else None


def _id(text: str | None) -> int | None:
    """What no member and no torrent can have as its number is none."""
    number = _number(text)
    return number if number is not None and 0 < number <= LARGEST_ID else None


def _switch(text: str | None) -> bool:
    return text is None or text.lower() not in ("0", "false")
