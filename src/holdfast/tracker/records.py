"""Announces and their answers as `functions.lua` packs them: one record each, many in one call."""

import struct
from dataclasses import dataclass

from holdfast.tracker.model import SHARE, Limits, Request, Role, Status
from holdfast.wire.announce import NUMWANT_ABSENT, Event

RECORD = struct.Struct(">40s40sIIB4s6s18sQQQBBHIHH")
HEAD = struct.Struct(">BIIIH")
OWNER = 4
OWNED_4 = OWNER + 6
OWNED_6 = OWNER + 18
NO_4 = bytes(6)
NO_6 = bytes(18)
FOUR, SIX = 1, 2
PAUSED_ROLE = {Event.PAUSED: Role.PARTIAL}


@dataclass(slots=True)
class Answer:
    """What the live store gave for one announce."""

    status: Status
    seeders: int
    leechers: int
    snatches: int
    peers4: bytes
    peers6: bytes


def pack(request: Request, limits: Limits, chance: int) -> bytes:
    """One announce; `chance` says where in the swarm the peers are taken from."""
    asked, holder, torrent = request.announce, request.holder, request.torrent
    role = Role.SEED if asked.left == 0 else PAUSED_ROLE.get(asked.event, Role.LEECH)
    # A paused peer is one that announces as always; only its role differs.
    event = Event.NONE if asked.event is Event.PAUSED else asked.event
    ep4, ep6 = request.ep4, request.ep6
    wanted = limits.numwant if asked.numwant == NUMWANT_ABSENT else min(asked.numwant, limits.most_peers)
    # One more than wanted: the announcer may meet himself.
    want = wanted + 1 if wanted else 0
    return RECORD.pack(
        torrent.info_hash.encode(),
        asked.peer_id.hex().encode(),
        torrent.torrent_id,
        holder.user_id,
        role,
        holder.user_id.to_bytes(4, "big"),
        ep4 or NO_4,
        ep6 or NO_6,
        asked.uploaded,
        asked.downloaded,
        asked.left,
        event,
        (FOUR if ep4 else 0) | (SIX if ep6 else 0),
        want,
        chance,
        holder.share_up * torrent.share_up // SHARE,
        holder.share_down * torrent.share_down // SHARE,
    )


def unpack(packed: bytes, request: Request, limits: Limits) -> Answer:
    """The answer, without the announcer's own clients among the peers."""
    status, seeders, leechers, snatches, length = HEAD.unpack_from(packed)
    middle = HEAD.size + length
    owner = request.holder.user_id.to_bytes(4, "big")
    asked = request.announce.numwant
    wanted = limits.numwant if asked == NUMWANT_ABSENT else min(asked, limits.most_peers)
    four = endpoints(packed[HEAD.size : middle], OWNED_4, owner)[: wanted * 6]
    six = endpoints(packed[middle:], OWNED_6, owner)[: wanted * 18] if len(packed) > middle else b""
    return Answer(status, seeders, leechers, snatches, four, six)


def endpoints(records: bytes, width: int, owner: bytes) -> bytes:
    """The endpoints of records that are not the owner's."""
    if owner in records:
        records = _others(records, width, owner)
    size = width - OWNER
    found = bytearray(len(records) // width * size)
    for place in range(size):
        found[place::size] = records[OWNER + place :: width]
    return bytes(found)


def _others(records: bytes, width: int, owner: bytes) -> bytes:
    cut = [records[start : start + width] for start in range(0, len(records), width)]
    return b"".join(record for record in cut if not record.startswith(owner))
