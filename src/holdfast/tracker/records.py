"""Announces and their answers as `functions.lua` packs them: one record each, many in one call."""

import struct
from dataclasses import dataclass

from holdfast.tracker.model import SHARE, Limits, Request, Role, Status
from holdfast.wire.announce import NUMWANT_ABSENT, Event

HEAD = struct.Struct(">BIIII")
COUNTS = struct.Struct(">QQQ")
TAIL = struct.Struct(">BBHIHH")
OWNER = 4
OWNED_4 = OWNER + 6
OWNED_6 = OWNER + 18
FOUR, SIX = 1, 2
MOST_SHARE = 0xFFFF
WHOLE = SHARE * SHARE
PAUSED_ROLE = {Event.PAUSED: Role.PARTIAL}
# How many clients of his own a member is thought to have on an upload at most, where no limit says it.
OWN_CLIENTS = 3
# Of how many random peers the near ones are picked, for each that is wanted.
CHOICE = 4
# So many bytes in common make two addresses neighbours, of one network, of one provider.
NEAR_4 = (3, 2, 1)
NEAR_6 = (8, 6, 4)


@dataclass(slots=True)
class Answer:
    """What the live store gave for one announce."""

    status: Status
    seeders: int
    leechers: int
    snatches: int
    peers4: bytes
    peers6: bytes


def pack(
    request: Request, limits: Limits, chance: int, share_up: int = SHARE, share_down: int = SHARE
) -> bytes:
    """One announce; `chance` says where in the swarm peers are taken from, the shares are those in force."""
    asked, holder, torrent = request.announce, request.holder, request.torrent
    role = Role.SEED if asked.left == 0 else PAUSED_ROLE.get(asked.event, Role.LEECH)
    # A paused peer is one that announces as always; only its role differs.
    event = Event.NONE if asked.event is Event.PAUSED else asked.event
    ep4, ep6 = request.ep4, request.ep6
    user_id = holder.user_id
    spot = b"%d:%b" % (torrent.torrent_id, asked.peer_id.hex().encode())
    user = b"%d" % user_id
    place = b"%c%b%b%b" % (role, user_id.to_bytes(4, "big"), ep4, ep6)
    body = b"%b%c%b%c%b%c%b%b%b" % (
        torrent.info_hash.encode(),
        len(spot),
        spot,
        len(user),
        user,
        len(place),
        place,
        COUNTS.pack(asked.uploaded, asked.downloaded, asked.left),
        TAIL.pack(
            event,
            (FOUR if ep4 else 0) | (SIX if ep6 else 0),
            _want(request, limits),
            chance,
            _share(holder.share_up, torrent.share_up, share_up),
            0 if user_id in torrent.free_for else _share(holder.share_down, torrent.share_down, share_down),
        ),
    )
    return b"%c%b" % (len(body) + 1, body)


def _wanted(request: Request, limits: Limits) -> int:
    asked = request.announce.numwant
    return limits.numwant if asked == NUMWANT_ABSENT else min(asked, limits.most_peers)


def _want(request: Request, limits: Limits) -> int:
    """More than wanted, for the announcer may meet himself and his other clients."""
    wanted = _wanted(request, limits)
    if limits.near_first:
        wanted *= CHOICE
    return wanted + (limits.peers_per_upload or OWN_CLIENTS) if wanted else 0


def _share(holder: int, torrent: int, in_force: int) -> int:
    return min(max(holder, 0) * max(torrent, 0) * in_force // WHOLE, MOST_SHARE)


def unpack(packed: bytes, request: Request, limits: Limits) -> Answer:
    """The answer, without the announcer's own clients among the peers."""
    status, seeders, leechers, snatches, length = HEAD.unpack_from(packed)
    middle = HEAD.size + length
    owner = request.holder.user_id.to_bytes(4, "big")
    wanted = _wanted(request, limits)
    four = endpoints(packed[HEAD.size : middle], OWNED_4, owner)
    six = endpoints(packed[middle:], OWNED_6, owner) if len(packed) > middle else b""
    if limits.near_first:
        four, six = near_first(four, request.ep4, NEAR_4), near_first(six, request.ep6, NEAR_6)
    four, six = four[: wanted * 6], six[: wanted * 18]
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


def near_first(found: bytes, own: bytes, near: tuple[int, ...]) -> bytes:
    """The same endpoints, those first that share most of their network with the asker's own."""
    width = len(own)
    each = [found[start : start + width] for start in range(0, len(found), width or 1)]
    each.sort(key=lambda endpoint: sum(endpoint[:length] == own[:length] for length in near), reverse=True)
    return b"".join(each)


def _others(records: bytes, width: int, owner: bytes) -> bytes:
    at = records.find(owner)
    while at >= 0:
        if at % width == 0:
            records = records[:at] + records[at + width :]
        else:
            # The same bytes, in the middle of something else.
            at += 1
        at = records.find(owner, at)
    return records
