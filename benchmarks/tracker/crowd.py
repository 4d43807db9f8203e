"""The swarms that every tracker is asked about, and what their clients say; the same for all."""

import random
import struct
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from urllib.parse import quote_from_bytes

# One event in so many announces; half of them leave, and come back a little later.
EVENT_EVERY = 40
AWAY_FOR = 1000
FIRST_PORT, PORTS = 1024, 60_000
STARTED, STOPPED = 2, 3
NAMES = {STARTED: "&event=started", STOPPED: "&event=stopped"}
MOVED = 65_536


@dataclass(frozen=True)
class Peer:
    """One client in one swarm. All come from this machine, so that only ports tell them apart."""

    number: int
    torrent: int
    user: int

    @property
    def seeds(self) -> bool:
        return self.number % 2 == 0

    @property
    def steps(self) -> tuple[int, int]:
        """What it uploads and downloads between two announces: every other seeder is idle."""
        return (0 if self.number % 4 == 0 else MOVED), (0 if self.seeds else MOVED)

    @property
    def port(self) -> int:
        return FIRST_PORT + self.number % PORTS

    @property
    def peer_id(self) -> bytes:
        return b"-TR4000-%012d" % self.number


@dataclass(frozen=True)
class Crowd:
    """So many swarms of so many peers each; members take part in many."""

    torrents: int = 2000
    peers: int = 60
    users: int = 3000
    first: int = 1

    def members(self) -> Iterator[tuple[int, str]]:
        return ((user, f"{user:032x}") for user in range(1, self.users + 1))

    def uploads(self) -> Iterator[tuple[int, bytes]]:
        return ((self.first + at, info_hash(self.first + at)) for at in range(self.torrents))

    def everybody(self) -> list[Peer]:
        return [
            Peer(n, self.first + n // self.peers, n % self.users + 1)
            for n in range(self.torrents * self.peers)
        ]

    def announces(self) -> Iterator[tuple[Peer, int]]:
        """Everybody once, in any order; some leave and come back."""
        peers = self.everybody()
        random.Random(3).shuffle(peers)
        away: deque[tuple[int, Peer]] = deque()
        for place, peer in enumerate(peers):
            leaves = place % EVENT_EVERY == 0
            yield peer, STOPPED if leaves else 0
            if leaves:
                away.append((place + AWAY_FOR, peer))
            if away and away[0][0] <= place:
                yield away.popleft()[1], STARTED
        yield from ((peer, STARTED) for _, peer in away)

    def write_targets(self, file: Path, path: str) -> None:
        """For load.lua: what to GET, and by how much the counts grow from one round to the next."""
        with file.open("w") as out:
            for peer, event in self.announces():
                up, down = peer.steps
                out.write(f"{target(path, peer, event)} {up} {down}\n")

    def write_packets(self, file: Path, path: str, *, arrive: bool = False) -> None:
        """For udp_load.c: datagrams, their counts those steps; with `arrive` everybody starts, in order."""
        asked = ((peer, STARTED) for peer in self.everybody()) if arrive else self.announces()
        with file.open("wb") as out:
            for peer, event in asked:
                out.write(packet(path, peer, event))


def info_hash(torrent: int) -> bytes:
    return blake2b(b"%d" % torrent, digest_size=20).digest()


def target(path: str, peer: Peer, event: int = 0, counts: str = "") -> str:
    """`path` may name the member: `/{passkey}/announce`."""
    return (
        f"{path.format(passkey=f'{peer.user:032x}')}?info_hash={quote_from_bytes(info_hash(peer.torrent))}"
        f"&peer_id={peer.peer_id.decode()}&port={peer.port}&left={0 if peer.seeds else 1 << 30}"
        f"&compact=1&numwant=50{NAMES.get(event, '')}{counts}"
    )


def request(path: str, peer: Peer) -> bytes:
    """One announce by itself, on a connection of its own."""
    asked = target(path, peer, counts="&uploaded=0&downloaded=0")
    return f"GET {asked} HTTP/1.1\r\nHost: tracker\r\nConnection: close\r\n\r\n".encode()


def packet_length(path: str) -> int:
    return len(packet(path, Peer(0, 1, 1), 0))


def packet(path: str, peer: Peer, event: int) -> bytes:
    """An announce whose connection and transaction are still to be filled in, with BEP 41's path."""
    up, down = peer.steps
    named = path.format(passkey=f"{peer.user:032x}").encode() if "{" in path else b""
    return struct.pack(
        ">QII20s20sQQQIIIiH",
        0, 1, 0, info_hash(peer.torrent), peer.peer_id,
        down, 0 if peer.seeds else 1 << 30, up, event, 0, peer.number, 50, peer.port,
    ) + (bytes((2, len(named))) + named if named else b"")  # fmt: skip
