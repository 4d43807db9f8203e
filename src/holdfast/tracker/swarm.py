"""The swarms as people look at them: what the live keys say now, a bounded piece at a time."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from holdfast.catalogue.keys import CANONICAL, INFO_HASH
from holdfast.paging import decode_cursor, encode_cursor
from holdfast.store.live import LiveReplyError, LiveStore, Reply
from holdfast.store.live.interface import Command
from holdfast.tracker.keys import DEADLINES, INDEX, PEER, PEERS, SESSION, STATS, TORRENT
from holdfast.tracker.model import Role
from holdfast.wire.peer_id import Client, client_of

Order: TypeAlias = Literal["leechers", "seeders", "snatches"]
COUNTS: Final = ("seeders", "leechers", "partial", "snatches", "announces", "uploaded", "downloaded")
TOTALS: Final = ("seeders", "leechers", "announces", "scrapes", "requests", "open")
NUMBERS: Final = (
    "user_id", "active", "first_announce", "last_announce", "total_time", "uploaded", "downloaded", "left",
    "speed_up", "speed_dn", "port",
)  # fmt: skip
LOOKS: Final = {"hash": "HLEN", "set": "SCARD", "string": "GET"}
PEER_ID: Final = re.compile(r"[0-9a-f]{40}")
STEP: Final = 100
"""Peers that one look at a swarm's set asks for. A place in it is only good for looks of one length."""
MOST_LOOKS: Final = 20
"""A set that has shrunk is mostly holes; a page may then come out shorter than it was asked for."""


@dataclass(frozen=True, slots=True)
class Counts:
    """A swarm in numbers; partial seeds are among the leechers. Bytes are as its clients counted them."""

    seeders: int = 0
    leechers: int = 0
    partial: int = 0
    snatches: int = 0
    announces: int = 0
    uploaded: int = 0
    downloaded: int = 0


@dataclass(frozen=True, slots=True)
class Totals:
    """All swarms together since the counts began."""

    seeders: int
    leechers: int
    announces: int
    scrapes: int
    requests: int
    open: int
    """Peers in swarms of the open mode, who are counted apart."""
    seeded: int
    """Uploads that have a seeder."""
    overdue: int
    """Peers whose time has run out and whom nobody has looked at yet."""


@dataclass(frozen=True, slots=True)
class SwarmPeer:
    """One active client; speeds are bytes a second between its last two announces."""

    peer_id: str
    client: Client
    user_id: int
    role: Role
    ip: str
    port: int
    left: int
    uploaded: int
    downloaded: int
    speed_up: int
    speed_down: int
    time: int
    first_announce: int
    last_announce: int


@dataclass(frozen=True, slots=True)
class LiveKey:
    """A live key as a script finds it: how much it holds, and of one value what that is."""

    key: str
    kind: str
    size: int
    value: str | None = None


async def counts(live: LiveStore, upload_ids: Iterable[int]) -> dict[int, Counts]:
    """What each of these swarms counts; nobody has announced one that is all zeros."""
    hashes = await _info_hashes(live, upload_ids)
    keys = [TORRENT.name(live.layout, info_hash=info_hash) for info_hash in hashes.values()]
    found = await _ask(live, [("HMGET", key, *COUNTS) for key in keys])
    return dict.fromkeys(upload_ids, Counts()) | {
        upload_id: Counts(*map(_number, _list(reply))) for upload_id, reply in zip(hashes, found, strict=True)
    }


async def peers(
    live: LiveStore, upload_id: int, *, cursor: str | None = None, limit: int = 50
) -> tuple[list[SwarmPeer], str | None]:
    """Some of a swarm's peers, in no order, and where the others are.

    Who is there all the while comes once at least; twice only when the set was made anew in between.
    """
    hashes = await _info_hashes(live, [upload_id])
    if not hashes:
        return [], None
    key = PEERS.name(live.layout, info_hash=hashes[upload_id])
    named, following = await _some_of(live, key, cursor, limit)
    return await _described(live, upload_id, named), following


async def busiest(live: LiveStore, by: Order, most: int) -> list[int]:
    """The uploads that have most of it, the most first; those that have none are left out."""
    key = INDEX.name(live.layout, count=by)
    found = await live.call("ZRANGE", key, "+inf", 1, "BYSCORE", "REV", "LIMIT", 0, most, repeat=True)
    return [number for each in _list(found) if (number := _number(each))]


async def keys_of(live: LiveStore, upload_id: int, announced: Iterable[str]) -> list[LiveKey]:
    """The keys of an upload that are there, by the hashes under which clients announce it."""
    layout, hashes = live.layout, await _info_hashes(live, [upload_id])
    named = [(INFO_HASH, INFO_HASH.name(layout, info_hash=each)) for each in announced]
    named.append((CANONICAL, CANONICAL.name(layout, torrent_id=upload_id)))
    for info_hash in hashes.values():
        named += [(key, key.name(layout, info_hash=info_hash)) for key in (TORRENT, PEERS)]
    found = await _ask(live, [(LOOKS[key.kind], name) for key, name in named])
    return [
        LiveKey(name, key.kind, len(held), held.decode()) if isinstance(held, bytes)
        else LiveKey(name, key.kind, _number(held))
        for (key, name), held in zip(named, found, strict=True)
        if held
    ]  # fmt: skip


async def totals(live: LiveStore, now: float) -> Totals:
    layout = live.layout
    found = await _ask(
        live,
        [
            *[("GET", STATS.name(layout, what=what)) for what in TOTALS],
            ("ZCOUNT", INDEX.name(layout, count="seeders"), 1, "+inf"),
            ("ZCOUNT", DEADLINES.name(layout), "-inf", f"({int(now)}"),
        ],
    )
    return Totals(*map(_number, found))


async def _some_of(live: LiveStore, key: str, cursor: str | None, limit: int) -> tuple[list[str], str | None]:
    """Members of a set: a cursor says which look comes next, and after whom in it, for others may go."""
    place, last = decode_cursor(cursor, int, str) if cursor is not None else (0, "")
    found: list[str] = []
    for _ in range(MOST_LOOKS):
        scanned = await live.call("SSCAN", key, max(place, 0), "COUNT", STEP, repeat=True)
        after, members = _list(scanned)
        names = sorted(
            name for each in _list(members) if PEER_ID.fullmatch(name := _text(each)) and name > last
        )
        room = limit - len(found)
        found += names[:room]
        if room < len(names):
            return found, encode_cursor(place, found[-1])
        place, last = _number(after), ""
        if place == 0:
            return found, None
        if len(found) == limit:
            break
    return found, encode_cursor(place, last)


async def _described(live: LiveStore, upload_id: int, named: Sequence[str]) -> list[SwarmPeer]:
    """Those of the peers who have not left meanwhile."""
    layout = live.layout
    keys = [PEER.name(layout, torrent_id=upload_id, peer_id=peer_id) for peer_id in named]
    found = await _ask(live, [("HMGET", key, "ip", *NUMBERS) for key in keys])
    read = [
        (peer_id, _text(ip), dict(zip(NUMBERS, map(_number, numbers), strict=True)))
        for peer_id, (ip, *numbers) in zip(named, map(_list, found), strict=True)
    ]
    there = [(peer_id, ip, peer) for peer_id, ip, peer in read if peer["active"]]
    sessions = [SESSION.name(layout, user_id=peer["user_id"], torrent_id=upload_id) for _, _, peer in there]
    roles = await _ask(
        live, [("HGET", key, f"@{peer_id}") for key, (peer_id, *_) in zip(sessions, there, strict=True)]
    )
    return [_peer(*one, role) for one, role in zip(there, roles, strict=True)]


def _peer(peer_id: str, ip: str, peer: dict[str, int], role: Reply) -> SwarmPeer:
    return SwarmPeer(
        peer_id=peer_id,
        client=client_of(bytes.fromhex(peer_id)),
        user_id=peer["user_id"],
        role=Role.PARTIAL if _number(role) == Role.PARTIAL else Role.LEECH if peer["left"] else Role.SEED,
        ip=ip,
        port=peer["port"],
        left=peer["left"],
        uploaded=peer["uploaded"],
        downloaded=peer["downloaded"],
        speed_up=peer["speed_up"],
        speed_down=peer["speed_dn"],
        time=peer["total_time"],
        first_announce=peer["first_announce"],
        last_announce=peer["last_announce"],
    )


async def _info_hashes(live: LiveStore, upload_ids: Iterable[int]) -> dict[int, str]:
    """By which hash the keys of each upload are named; one that has none is left out."""
    wanted = list(dict.fromkeys(upload_ids))
    found = await _ask(live, [("GET", CANONICAL.name(live.layout, torrent_id=each)) for each in wanted])
    return {each: text for each, reply in zip(wanted, found, strict=True) if (text := _text(reply))}


async def _ask(live: LiveStore, commands: Sequence[Command]) -> list[Reply]:
    replies = await live.batch(commands, repeat=True) if commands else []
    for reply in replies:
        if isinstance(reply, LiveReplyError):
            raise reply
    return replies


def _list(reply: Reply) -> list[Reply]:
    return reply if isinstance(reply, list) else []


def _text(reply: Reply) -> str:
    return reply.decode("ascii", "replace") if isinstance(reply, bytes) else ""


def _number(reply: Reply) -> int:
    """Other programs may write these keys, too: what is no number counts as none."""
    if isinstance(reply, bytes):
        return int(reply) if reply.isdigit() else 0
    return reply if isinstance(reply, int) else 0
