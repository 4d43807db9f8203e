"""Who and what the tracker knows: looked up once, remembered until somebody says that it has changed."""

from collections.abc import Mapping, Sequence
from typing import TypeVar

from holdfast.catalogue.keys import INFO_HASH, USER, WHITELIST
from holdfast.store.live import LiveReplyError, LiveStore, Reply
from holdfast.tracker.keys import CANONICAL, TORRENT
from holdfast.tracker.model import SHARE, Holder, Torrent

V = TypeVar("V")
MOST = 200_000


class Register:
    """Holders by passkey, torrents by announced hash, and the clients that may take part."""

    def __init__(self, live: LiveStore) -> None:
        self._live = live
        self.holders: dict[bytes, Holder] = {}
        self.torrents: dict[bytes, Torrent] = {}
        self.clients: tuple[bytes, ...] = ()

    async def look_up(self, passkey: bytes, info_hash: bytes) -> tuple[Holder | None, Torrent | None]:
        """Ask the live store for what is not remembered; what does not exist is asked again each time."""
        key = INFO_HASH.name(self._live.layout, info_hash=info_hash.hex())
        holder = await self.look_up_holder(passkey)
        upload = await self._live.call("GET", key, repeat=True)
        if upload is None:
            return holder, None
        torrent = await self._torrent(int(_text(upload)), info_hash.hex())
        _remember(self.torrents, info_hash, torrent)
        return holder, torrent

    async def look_up_holder(self, passkey: bytes) -> Holder | None:
        key = USER.name(self._live.layout, passkey=passkey.decode())
        (user,) = await self._live.batch([("HGETALL", key)], repeat=True)
        if isinstance(user, LiveReplyError):  # a site that still keeps plain strings, as mika did
            user = [b"user_id", await self._live.call("GET", key, repeat=True)]
        holder = _holder(_mapping(user))
        if holder is not None:
            _remember(self.holders, passkey, holder)
        return holder

    async def _torrent(self, torrent_id: int, announced: str) -> Torrent:
        layout = self._live.layout
        named = await self._live.call("GET", CANONICAL.name(layout, torrent_id=torrent_id), repeat=True)
        info_hash = announced if named is None else _text(named)
        key = TORRENT.name(layout, info_hash=info_hash, torrent_id=torrent_id)
        enabled, reason, up, down = await self._fields(key, "enabled", "reason", "multi_up", "multi_dn")
        return Torrent(
            torrent_id,
            info_hash,
            enabled != b"0",
            "" if reason is None else reason.decode(),
            _share(up),
            _share(down),
        )

    async def _fields(self, key: str, *names: str) -> Sequence[bytes | None]:
        return await self._live.call("HMGET", key, *names, repeat=True)  # type: ignore[return-value]

    async def read_clients(self) -> None:
        found = await self._live.call("HKEYS", WHITELIST.name(self._live.layout), repeat=True)
        self.clients = tuple(sorted(found))  # type: ignore[arg-type]

    def forget(self) -> None:
        """After anything changed: what is asked for next is looked up again."""
        self.holders.clear()
        self.torrents.clear()


def _remember(known: dict[bytes, V], key: bytes, value: V) -> None:
    if len(known) >= MOST:
        known.clear()
    known[key] = value


def _holder(user: Mapping[bytes, bytes]) -> Holder | None:
    if not user.get(b"user_id"):
        return None
    return Holder(
        int(user[b"user_id"]),
        user.get(b"enabled", b"1") != b"0",
        user.get(b"can_leech", b"1") != b"0",
        _share(user.get(b"multi_up")),
        _share(user.get(b"multi_dn")),
    )


def _share(multiplier: bytes | None) -> int:
    return SHARE if not multiplier else round(float(multiplier) * SHARE)


def _mapping(reply: Reply) -> dict[bytes, bytes]:
    flat = reply if isinstance(reply, list) else []
    return dict(zip(flat[::2], flat[1::2], strict=True))  # type: ignore[arg-type]


def _text(reply: Reply) -> str:
    return reply.decode() if isinstance(reply, bytes) else str(reply)
