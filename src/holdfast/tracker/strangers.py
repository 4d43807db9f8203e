"""The open mode's swarms: whatever the catalogue does not have, shared by whoever comes, booked on nobody.

Nothing is handed out for them and nothing need be kept of them: a torrent's number and the name of its keys
are made of its info hash, a stranger's number of his peer id. Such a number is longer than any upload's and
the name is no hash, so that an upload with the same hash may come to the catalogue at any time.
"""

from base64 import b32encode
from typing import Final
from zlib import crc32

from holdfast.tracker.model import Holder, Torrent

NUMBERS: Final = 2**160
"""From here on torrents are numbered by their info hashes; functions.lua knows them by their length."""
NAME: Final = "open----"


def stranger(peer_id: bytes) -> Holder:
    """His number keeps him from meeting himself; two who have one by chance do not meet each other."""
    return Holder(crc32(peer_id), enabled=True, can_leech=True, share_up=0, share_down=0)


def torrent(info_hash: bytes) -> Torrent:
    return Torrent(NUMBERS + int.from_bytes(info_hash, "big"), name(info_hash), share_up=0, share_down=0)


def name(info_hash: bytes) -> str:
    """As long as an info hash in hex."""
    return NAME + b32encode(info_hash).decode().lower()
