"""The words of the tracker: who announces, what is announced, and by which rules."""

import struct
from dataclasses import dataclass
from enum import IntEnum

from holdfast.wire.announce import Announce

MOST_BYTES = 2**53 - 1
SHARE = 1000
"""What is credited is counted in thousandths of what was moved: 1000 is all of it, 0 is freeleech."""


@dataclass(frozen=True, slots=True)
class Holder:
    """The member behind a passkey, as far as the tracker cares."""

    user_id: int
    enabled: bool
    can_leech: bool
    share_up: int = SHARE
    share_down: int = SHARE
    only: int = 0
    """The one upload that the key he came with is good for; 0: it is his passkey, good for all."""


@dataclass(frozen=True, slots=True)
class Torrent:
    """An upload as it is announced; both hashes of a hybrid lead to one of these."""

    torrent_id: int
    info_hash: str
    """The hash, in hex, by which the keys of this torrent are named."""
    enabled: bool = True
    reason: str = ""
    share_up: int = SHARE
    share_down: int = SHARE
    free_for: frozenset[int] = frozenset()
    """Members who spent a token on it: what they download is not credited."""


@dataclass(frozen=True, slots=True)
class Window:
    """A time in which everything is credited by these shares on top of all others."""

    starts: int
    ends: int
    share_up: int
    share_down: int


class Role(IntEnum):
    """What a peer is in a swarm."""

    LEECH = 0
    SEED = 1
    PARTIAL = 2


class Status(IntEnum):
    """What the live store says to an announce."""

    OK = 0
    EARLY = 1
    FOREIGN = 2
    FULL = 3
    NO_SLOT = 4
    CROWDED = 5


@dataclass(frozen=True, slots=True)
class Limits:
    """The rules of the house; times in seconds."""

    interval: int = 1800
    min_interval: int = 60
    jitter: int = 300
    timeout: int = 2700
    numwant: int = 50
    most_peers: int = 100
    peers_per_upload: int = 3
    download_slots: int = 0
    hnr_seconds: int = 1_209_600
    hnr_bytes: int = 52_428_800
    hnr_clear_on_complete: bool = False
    hnr_grace: int = 0
    remember: int = 259_200
    scrape: int = 50
    fastest: int = 0
    """Bytes a second that are believed without a word; 0: any number."""
    near_first: bool = False
    most_open: int = 100_000
    """Peers that swarms of the open mode may have together."""

    def packed(self) -> bytes:
        """As `functions.lua` reads them."""
        return struct.pack(
            ">IIIIQIIIBIQI",
            self.timeout,
            self.min_interval,
            4 * self.interval,
            self.hnr_seconds,
            self.hnr_bytes,
            self.peers_per_upload,
            self.download_slots,
            self.remember,
            self.hnr_clear_on_complete,
            self.hnr_grace,
            self.fastest or MOST_BYTES,
            self.most_open,
        )


@dataclass(frozen=True, slots=True)
class Pace:
    """How often clients are asked to come, and how far they are spread, in seconds."""

    interval: int
    jitter: int


class Request:
    """An announce that may be made: who, what, from where. A plain class: every request makes one."""

    __slots__ = ("announce", "ep4", "ep6", "holder", "torrent")

    def __init__(self, announce: Announce, holder: Holder, torrent: Torrent, ep4: bytes, ep6: bytes) -> None:
        self.announce = announce
        self.holder = holder
        self.torrent = torrent
        self.ep4 = ep4
        self.ep6 = ep6


@dataclass(frozen=True, slots=True)
class Tally:
    """What a mark stands for counts upward, as long as the live store does not lose it."""

    born: str = ""
    """One born anew counts from zero."""
    uploaded: int = 0
    downloaded: int = 0
    time: int = 0


@dataclass(frozen=True, slots=True)
class Swarm(Tally):
    """An upload's swarm in the live store."""

    seeders: int = 0
    leechers: int = 0


@dataclass(frozen=True, slots=True)
class Standing(Tally):
    """A member on an upload in the live store."""

    seeding: int = 0
    leeching: int = 0
    complete: bool | None = None
    """None: the live store does not know."""
    snatched: int | None = None
    hnr: int | None = None


@dataclass(frozen=True, slots=True)
class Seen(Tally):
    """What was last seen behind a mark; `version` is 0 where nothing was."""

    hnr: bool = False
    version: int = 0


@dataclass(frozen=True, slots=True)
class Participation:
    """A member on an upload, whatever clients he had."""

    seeding: int = 0
    leeching: int = 0
    complete: bool = False
    snatched: float | None = None
    time: int = 0
    uploaded: int = 0
    downloaded: int = 0
    hnr: float | None = None
    exempt: bool = False
