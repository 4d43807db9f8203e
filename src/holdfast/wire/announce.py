"""What BitTorrent clients ask a tracker over HTTP, read from the query strings that they really send."""

from enum import IntEnum
from typing import Final

from holdfast.errors import InvalidError

HASH_LENGTH = 20
# Beyond this no client counts honestly, and doubles inside the live store would no longer be exact.
LARGEST_COUNT = 2**53 - 1
NUMWANT_ABSENT = -1


class Event(IntEnum):
    """What a client says has just happened."""

    NONE = 0
    COMPLETED = 1
    STARTED = 2
    STOPPED = 3
    PAUSED = 4


class Code(IntEnum):
    """The numbers of refusals, for logs, metrics and `failure code`; mika's where mika had one."""

    MISSING_INFO_HASH = 101
    MISSING_PEER_ID = 102
    MISSING_PORT = 103
    INVALID_PORT = 104
    INVALID_INFO_HASH = 150
    INVALID_PEER_ID = 151
    INVALID_NUMBER = 152
    UNKNOWN_TORRENT = 480
    UNKNOWN_PASSKEY = 490
    TOO_MANY_PEERS = 491
    NO_SLOT = 492
    LEECHING_DENIED = 493
    DISABLED = 494
    CLIENT_DENIED = 495
    CROWDED = 496
    WRONG_UPLOAD = 497
    TOO_FAST = 500
    AWAY = 900
    QUERY = 902
    CRASHED = 903


class RefusedAnnounceError(InvalidError):
    """A request that gets a failure reason instead of peers; `retry` is in minutes."""

    def __init__(self, code: Code, reason: str, retry: int | None = None) -> None:
        super().__init__(reason)
        self.code = code
        self.reason = reason
        self.retry = retry


class Announce:
    """One announce, as the client means it. A plain class: one is made for every request."""

    __slots__ = (
        "compact",
        "downloaded",
        "event",
        "info_hash",
        "ip",
        "key",
        "left",
        "no_peer_id",
        "numwant",
        "peer_id",
        "port",
        "uploaded",
    )

    def __init__(
        self,
        info_hash: bytes,
        peer_id: bytes,
        port: int,
        uploaded: int,
        downloaded: int,
        left: int,
        event: Event,
        numwant: int,
        compact: bool = True,
        no_peer_id: bool = False,
        key: bytes = b"",
        ip: bytes = b"",
    ) -> None:
        self.info_hash = info_hash
        self.peer_id = peer_id
        self.port = port
        self.uploaded = uploaded
        self.downloaded = downloaded
        self.left = left
        self.event = event
        self.numwant = numwant
        self.compact = compact
        self.no_peer_id = no_peer_id
        self.key = key
        self.ip = ip


EVENTS: Final = {
    b"": Event.NONE,
    b"empty": Event.NONE,
    b"completed": Event.COMPLETED,
    b"started": Event.STARTED,
    b"stopped": Event.STOPPED,
    b"paused": Event.PAUSED,
}
READ: Final = (
    b"info_hash",
    b"peer_id",
    b"port",
    b"uploaded",
    b"downloaded",
    b"left",
    b"event",
    b"numwant",
    b"compact",
    b"no_peer_id",
    b"key",
    b"ip",
)


def unescape(text: bytes) -> bytes:
    """Bytes from their percent-escaped form; a `+` is itself, as clients leave it in info hashes."""
    if b"%" not in text:
        return text
    # Python's own escapes differ in nothing but the sign, and are read at the speed of C.
    escaped = text.replace(b"\\", b"\\\\").replace(b"%", b"\\x")
    try:
        return escaped.decode("unicode_escape").encode("latin-1")
    except UnicodeDecodeError:
        raise RefusedAnnounceError(
            Code.QUERY, "The request is wrongly escaped; update your BitTorrent client."
        ) from None


def read_fields(query: bytes) -> dict[bytes, bytes]:
    """The fields of a query, values still escaped.

    One that we read must not be named twice, lest two readers of it differ. Others may: libtorrent names each
    of its own addresses as one more `ipv6`.
    """
    pairs = [pair.partition(b"=") for pair in query.split(b"&") if pair]
    fields = {name: value for name, _, value in pairs}
    if len(fields) != len(pairs):
        _refuse_doubles([name for name, _, _ in pairs])
    return fields


def _refuse_doubles(names: list[bytes]) -> None:
    for name in READ:
        if names.count(name) > 1:
            raise RefusedAnnounceError(
                Code.QUERY,
                f"The request names the field {name.decode()} twice; update your BitTorrent client.",
            )


def read_announce(query: bytes) -> Announce:
    """The announce that a query string makes, or the reason why it cannot be taken."""
    fields = read_fields(query)
    get = fields.get
    event = get(b"event", b"")
    said = EVENTS.get(event)
    if said is None:
        said = EVENTS.get(unescape(event).lower(), Event.NONE)
    stopped = said is Event.STOPPED
    return Announce(
        read_hash(get(b"info_hash")),
        read_peer_id(get(b"peer_id")),
        read_port(get(b"port"), stopped),
        read_count(get(b"uploaded", b"0"), b"uploaded"),
        read_count(get(b"downloaded", b"0"), b"downloaded"),
        read_count(get(b"left", b""), b"left"),
        said,
        read_numwant(get(b"numwant")),
        get(b"compact", b"1") != b"0",
        get(b"no_peer_id", b"0") == b"1",
        unescape(get(b"key", b""))[:32],
        get(b"ip", b""),
    )


def read_hash(escaped: bytes | None) -> bytes:
    if not escaped:
        raise RefusedAnnounceError(
            Code.MISSING_INFO_HASH, "The request names no info hash; update your BitTorrent client."
        )
    raw = unescape(escaped)
    if len(raw) != HASH_LENGTH:
        raise RefusedAnnounceError(
            Code.INVALID_INFO_HASH,
            f"The info hash has {len(raw)} bytes instead of 20; fetch the torrent again.",
        )
    return raw


def read_peer_id(escaped: bytes | None) -> bytes:
    if not escaped:
        raise RefusedAnnounceError(
            Code.MISSING_PEER_ID, "The request names no peer id; update your BitTorrent client."
        )
    raw = unescape(escaped)
    if len(raw) != HASH_LENGTH:
        raise RefusedAnnounceError(
            Code.INVALID_PEER_ID,
            f"The peer id has {len(raw)} bytes instead of 20; update your BitTorrent client.",
        )
    return raw


def read_port(text: bytes | None, stopped: bool) -> int:
    """Clients that stop may say port 0: they will not listen any more."""
    if not text:
        raise RefusedAnnounceError(
            Code.MISSING_PORT, "The request names no port; update your BitTorrent client."
        )
    port = int(text) if text.isdigit() and len(text) <= 5 else -1
    if not (0 if stopped else 1) <= port <= 65535:
        raise RefusedAnnounceError(
            Code.INVALID_PORT,
            "The port must be from 1 to 65535; set a listening port in your BitTorrent client.",
        )
    return port


def read_count(text: bytes, name: bytes) -> int:
    """A count of bytes. Some clients say `left=-1` while they know no size yet: all of it is to come."""
    if text.isdigit() and len(text) <= 20:
        return min(int(text), LARGEST_COUNT)
    if name == b"left" and text.startswith(b"-") and text[1:].isdigit():
        return LARGEST_COUNT
    raise RefusedAnnounceError(
        Code.INVALID_NUMBER,
        f"The field {name.decode()} must be a whole number of bytes; update your BitTorrent client.",
    )


def read_numwant(text: bytes | None) -> int:
    """How many peers are wanted; absent, negative or nonsense is taken as the tracker's own default."""
    if text is None or not text.isdigit() or len(text) > 9:
        return NUMWANT_ABSENT
    return int(text)


def read_scrape(query: bytes, most: int) -> list[bytes]:
    """The info hashes of a scrape, at most so many; further ones are left out, as BEP 48 allows."""
    named = [pair[10:] for pair in query.split(b"&") if pair.startswith(b"info_hash=")]
    if not named:
        raise RefusedAnnounceError(
            Code.MISSING_INFO_HASH, "A scrape must name the info hashes it asks for; it cannot ask for all."
        )
    return [read_hash(escaped) for escaped in named[:most]]
