"""The UDP tracker protocol: BEP 15's packets, with the path that names the member in BEP 41's options."""

import struct
from dataclasses import dataclass
from typing import Final

from holdfast.wire.announce import LARGEST_COUNT, NUMWANT_ABSENT, Announce, Event
from holdfast.wire.tracker_request import Verb, named

PROTOCOL: Final = 0x41727101980
CONNECT, ANNOUNCE, SCRAPE, ERROR = 0, 1, 2, 3
CONNECT_LENGTH, ANNOUNCE_LENGTH, SCRAPE_LENGTH = 16, 98, 16
END_OF_OPTIONS, NOTHING, URL_DATA = 0, 1, 2
HEAD: Final = struct.Struct(">QII")
BODY: Final = struct.Struct(">20s20sQQQIIIiH")
NAMED: Final = slice(84, 88)
EVENTS: Final = (Event.NONE, Event.COMPLETED, Event.STARTED, Event.STOPPED)


@dataclass(frozen=True, slots=True)
class Connect:
    """Somebody asks for a connection id."""

    transaction: int


@dataclass(frozen=True, slots=True)
class UdpAnnounce:
    connection: int
    transaction: int
    announce: Announce
    path: bytes
    """What the tracker's address had behind host and port: `/PASSKEY/announce`."""
    named: bytes
    """The IPv4 address that the client says it has; zero when it says none."""


@dataclass(frozen=True, slots=True)
class UdpScrape:
    connection: int
    transaction: int
    info_hashes: tuple[bytes, ...]


Packet = Connect | UdpAnnounce | UdpScrape


def read_packet(data: bytes, most_scraped: int) -> Packet | None:
    """What a datagram asks; None when it is nothing of ours, and deserves no answer."""
    if len(data) < CONNECT_LENGTH:
        return None
    connection, action, transaction = HEAD.unpack_from(data)
    if action == CONNECT:
        return Connect(transaction) if connection == PROTOCOL else None
    if action == ANNOUNCE and len(data) >= ANNOUNCE_LENGTH:
        return UdpAnnounce(connection, transaction, _announce(data), _path(data), data[NAMED])
    if action == SCRAPE and len(data) >= SCRAPE_LENGTH + 20:
        return UdpScrape(connection, transaction, _hashes(data, most_scraped))
    return None


def _announce(data: bytes) -> Announce:
    info_hash, peer_id, downloaded, left, uploaded, event, _ip, key, wanted, port = BODY.unpack_from(data, 16)
    return Announce(
        info_hash,
        peer_id,
        port,
        min(uploaded, LARGEST_COUNT),
        min(downloaded, LARGEST_COUNT),
        min(left, LARGEST_COUNT),
        EVENTS[event] if event < len(EVENTS) else Event.NONE,
        NUMWANT_ABSENT if wanted < 0 else wanted,
        key=key.to_bytes(4, "big"),
    )


def _path(data: bytes) -> bytes:
    """The path out of the options; whatever is cut off or unknown ends them, as BEP 41 wants."""
    parts: list[bytes] = []
    place = ANNOUNCE_LENGTH
    while place < len(data):
        option = data[place]
        if option == NOTHING:
            place += 1
            continue
        if option == END_OF_OPTIONS or place + 1 >= len(data):
            break
        length = data[place + 1]
        if option == URL_DATA:
            parts.append(data[place + 2 : place + 2 + length])
        place += 2 + length
    return b"".join(parts)


def _hashes(data: bytes, most: int) -> tuple[bytes, ...]:
    count = min((len(data) - SCRAPE_LENGTH) // 20, most)
    return tuple(data[SCRAPE_LENGTH + 20 * place : SCRAPE_LENGTH + 20 * place + 20] for place in range(count))


def connected(transaction: int, connection: int) -> bytes:
    return struct.pack(">IIQ", CONNECT, transaction, connection)


def announced(transaction: int, interval: int, leechers: int, seeders: int, peers: bytes) -> bytes:
    return struct.pack(">IIIII", ANNOUNCE, transaction, interval, leechers, seeders) + peers


def scraped(transaction: int, counts: list[tuple[int, int, int]]) -> bytes:
    """Seeders, snatches and leechers of each torrent asked for, in order."""
    return struct.pack(">II", SCRAPE, transaction) + b"".join(struct.pack(">III", *each) for each in counts)


def refused(transaction: int, reason: str) -> bytes:
    return struct.pack(">II", ERROR, transaction) + reason.encode()


def passkey_in(path: bytes) -> bytes:
    """The passkey of an announce address, in whichever form; empty when the path names none."""
    place, _, query = path.partition(b"?")
    passkey, verb = named(place, query)
    return passkey if verb is Verb.ANNOUNCE else b""
