"""Who and what the tracker knows: looked up once, remembered until somebody says that it has changed."""

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Final, Generic, TypeVar

import structlog

from holdfast.catalogue.keys import CANONICAL, GONE, INFO_HASH, USER, WHITELIST, WINDOWS
from holdfast.clock import Clock
from holdfast.store.live import LiveReplyError, LiveStore, Reply
from holdfast.tracker import strangers
from holdfast.tracker.keys import PACE, TOKENS, TORRENT
from holdfast.tracker.model import SHARE, Holder, Pace, Torrent, Window

log = structlog.get_logger()
V = TypeVar("V")
MOST: Final = 200_000
MOST_STRANGE: Final = 50_000
MOST_ABSENT: Final = 10_000
ABSENT_SECONDS: Final = 1.0
"""How long an absence is believed without asking again: a flood of nonsense must not reach the store."""
LARGEST_ID: Final = 2**32 - 1
LARGEST_SHARE: Final = 8 * SHARE
"""Member's and upload's shares are multiplied, and must fit the record that the live store is handed."""
LONGEST_REASON: Final = 500
LONGEST_TIME: Final = 12
REMOVED: Final = 0
"""The number of no upload: of those that were removed only the reason is told."""


class Absences(Generic[V]):
    """What was asked for a moment ago and is not there, or is there no more: then with what is left of it."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._known: dict[bytes, tuple[float, V | None]] = {}

    def __contains__(self, key: bytes) -> bool:
        known = self._known.get(key)
        return known is not None and self._clock.steady() < known[0]

    def __getitem__(self, key: bytes) -> V | None:
        return self._known[key][1]

    def add(self, key: bytes, left: V | None = None) -> None:
        if len(self._known) >= MOST_ABSENT:
            self._known.clear()
        self._known[key] = (self._clock.steady() + ABSENT_SECONDS, left)

    def clear(self) -> None:
        self._known.clear()


class Register:
    """Holders by passkey, torrents by announced hash, the clients that may take part, times of freeleech.

    Other programs write these keys, too: what cannot be read is as good as absent, and is logged.
    """

    def __init__(self, live: LiveStore, clock: Clock, *, is_open: bool = False) -> None:
        self._live = live
        self.is_open = is_open
        self._no_holders: Absences[Holder] = Absences(clock)
        self._no_torrents: Absences[Torrent] = Absences(clock)
        self._changes = 0
        self._house_read = False
        self.holders: dict[bytes, Holder] = {}
        self.torrents: dict[bytes, Torrent] = {}
        self.strange: dict[bytes, Torrent] = {}
        """What the catalogue does not have, and strangers share in open mode."""
        self.clients: tuple[bytes, ...] = ()
        self.pace: Pace | None = None
        """Where a site has said so; else the settings hold."""
        self.windows: tuple[Window, ...] = ()

    async def look_up(self, passkey: bytes, info_hash: bytes) -> tuple[Holder | None, Torrent | None]:
        """Whom and what these mean, from memory or the live store; what nobody asks for is not looked up."""
        if not self._house_read:
            await self.read_house()
        holder = await self.holder(passkey)
        return holder, None if holder is None else await self.torrent(info_hash)

    async def holder(self, passkey: bytes) -> Holder | None:
        known = self.holders.get(passkey)
        if known is not None or passkey in self._no_holders:
            return known
        changes = self._changes
        found = await self._read_holder(passkey)
        # Somebody may have said meanwhile that it has changed; then it is used now, but not remembered.
        if changes == self._changes:
            _remember(self.holders, self._no_holders, passkey, found)
        return found

    async def torrent(self, info_hash: bytes) -> Torrent | None:
        known = self.torrents.get(info_hash)
        if known is not None:
            return known
        if info_hash in self._no_torrents:
            return self._no_torrents[info_hash]
        changes = self._changes
        found = await self._read_torrent(info_hash.hex())
        if changes != self._changes:
            return found
        if found is not None and found.torrent_id == REMOVED:
            # Nobody says when the reason is to be forgotten, so it is asked for again and again.
            self._no_torrents.add(info_hash, found)
        else:
            _remember(self.torrents, self._no_torrents, info_hash, found)
        return found

    async def strangers(self, info_hash: bytes) -> Torrent | None:
        """The torrent of a hash that means no upload; None for one that does."""
        if not self._house_read:
            await self.read_house()
        changes = self._changes
        if await self.torrent(info_hash) is not None:
            return None
        found = strangers.torrent(info_hash)
        if changes == self._changes:
            if len(self.strange) >= MOST_STRANGE:
                self.strange.clear()
            self.strange[info_hash] = found
        return found

    async def read_house(self) -> None:
        """What is the same for everybody: clients that may take part, times of freeleech, the pace."""
        whitelist, windows, pace = (key.name(self._live.layout) for key in (WHITELIST, WINDOWS, PACE))
        clients, times, said = await self._live.batch(
            [("HKEYS", whitelist), ("HGETALL", windows), ("HMGET", pace, "interval", "jitter")], repeat=True
        )
        if _readable(windows, times):
            found = [_window(written) for written in _mapping(times).values()]
            self.windows = tuple(window for window in found if window is not None)
        if _readable(pace, said):
            self.pace = _pace(said)
        if _readable(whitelist, clients):
            prefixes = clients if isinstance(clients, list) else []
            self.clients = tuple(sorted(each for each in prefixes if isinstance(each, bytes) and each))
            self._house_read = True

    def forget(self) -> None:
        """After anything changed: what is asked for next is looked up again."""
        self._changes += 1
        self.holders.clear()
        self.torrents.clear()
        self.strange.clear()
        self._no_holders.clear()
        self._no_torrents.clear()

    async def _read_holder(self, passkey: bytes) -> Holder | None:
        user = await self._read_user(passkey)
        stands_in_for = user.get(b"passkey")
        if stands_in_for is None:
            return _holder(user)
        only = _number(user.get(b"torrent_id"), "torrent_id")
        owner = await self._read_user(stands_in_for) if stands_in_for.isalnum() else {}
        holder = None if b"passkey" in owner else _holder(owner)
        return None if holder is None or only is None else replace(holder, only=only)

    async def _read_user(self, passkey: bytes) -> dict[bytes, bytes]:
        key = USER.name(self._live.layout, passkey=passkey.decode())
        (user,) = await self._live.batch([("HGETALL", key)], repeat=True)
        if isinstance(user, LiveReplyError) and user.code == "WRONGTYPE":
            # A site that still keeps plain strings, as mika did.
            user = [b"user_id", await self._live.call("GET", key, repeat=True)]
        if isinstance(user, LiveReplyError):
            raise user
        return _mapping(user)

    async def _read_torrent(self, announced: str) -> Torrent | None:
        layout = self._live.layout
        key = INFO_HASH.name(layout, info_hash=announced)
        torrent_id = _number(await self._live.call("GET", key, repeat=True), key)
        if torrent_id is None:
            return await self._read_removed(announced)
        named, tokens = await self._live.batch(
            [
                ("GET", CANONICAL.name(layout, torrent_id=torrent_id)),
                ("SMEMBERS", TOKENS.name(layout, torrent_id=torrent_id)),
            ],
            repeat=True,
        )
        if isinstance(named, LiveReplyError):
            raise named
        info_hash = named.decode() if isinstance(named, bytes) else announced
        key = TORRENT.name(layout, info_hash=info_hash)
        fields = await self._live.call("HMGET", key, "enabled", "reason", "multi_up", "multi_dn", repeat=True)
        enabled, reason, up, down = [
            each if isinstance(each, bytes) else None
            for each in fields  # type: ignore[union-attr]
        ]
        return Torrent(
            torrent_id,
            info_hash,
            enabled != b"0",
            _reason(reason or b""),
            _share(up),
            _share(down),
            _members(tokens),
        )

    async def _read_removed(self, announced: str) -> Torrent | None:
        """The upload that this hash meant until lately, for the reason why it does no more."""
        reason = await self._live.call("GET", GONE.name(self._live.layout, info_hash=announced), repeat=True)
        if not isinstance(reason, bytes):
            return None
        return Torrent(REMOVED, announced, enabled=False, reason=_reason(reason))


def _remember(known: dict[bytes, V], absent: Absences[V], key: bytes, found: V | None) -> None:
    if found is None:
        absent.add(key)
        return
    if len(known) >= MOST:
        known.clear()
    known[key] = found


def _holder(user: Mapping[bytes, bytes]) -> Holder | None:
    user_id = _number(user.get(b"user_id"), "user_id")
    if user_id is None:
        return None
    return Holder(
        user_id,
        user.get(b"enabled", b"1") != b"0",
        user.get(b"can_leech", b"1") != b"0",
        _share(user.get(b"multi_up")),
        _share(user.get(b"multi_dn")),
    )


def _number(written: Reply, where: str) -> int | None:
    """A number that our own records can name; anything else means nothing."""
    if not written:
        return None
    if isinstance(written, bytes) and written.isdigit() and len(written) <= 10:
        number = int(written)
        if 0 < number <= LARGEST_ID:
            return number
    log.error("no number of ours", where=where, found=str(written)[:40])
    return None


def _members(listed: Reply) -> frozenset[int]:
    return frozenset(
        int(each)
        for each in (listed if isinstance(listed, list) else ())
        if isinstance(each, bytes) and each.isdigit()
    )


def _readable(key: str, reply: Reply) -> bool:
    if isinstance(reply, LiveReplyError):
        log.error("not readable", key=key, reason=str(reply))
        return False
    return True


def _pace(said: Reply) -> Pace | None:
    words = said if isinstance(said, list) else []
    seconds = [int(each) for each in words if isinstance(each, bytes) and each.isdigit() and len(each) < 7]
    return Pace(*seconds) if len(seconds) == 2 else None


def _window(written: bytes) -> Window | None:
    words = written.split()
    if len(words) != 4 or not all(each.isdigit() and len(each) <= LONGEST_TIME for each in words[:2]):
        log.error("no time of freeleech", found=str(written)[:80])
        return None
    return Window(int(words[0]), int(words[1]), _share(words[2]), _share(words[3]))


def _reason(written: bytes) -> str:
    return written.decode(errors="replace")[:LONGEST_REASON]


def _share(multiplier: bytes | None) -> int:
    if not multiplier:
        return SHARE
    try:
        share = float(multiplier) * SHARE
    except ValueError:
        share = math.nan
    if not math.isfinite(share):
        log.error("no multiplier", found=str(multiplier)[:40])
        return SHARE
    return min(max(round(share), 0), LARGEST_SHARE)


def _mapping(reply: Reply) -> dict[bytes, bytes]:
    flat = [each if isinstance(each, bytes) else b"" for each in reply] if isinstance(reply, list) else []
    return dict(zip(flat[::2], flat[1::2], strict=True))
