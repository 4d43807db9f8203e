"""The head of an HTTP request as trackers get it: what is asked, by whom, and whether more will follow."""

import re
from dataclasses import dataclass
from enum import StrEnum

HEAD_END = b"\r\n\r\n"
CLOSE = re.compile(rb"\r\nconnection:[^\r\n]*close", re.IGNORECASE)
KEEP = re.compile(rb"\r\nconnection:[^\r\n]*keep-alive", re.IGNORECASE)
FORWARDED = re.compile(rb"\r\nx-forwarded-for:([^\r\n]*)", re.IGNORECASE)


class Verb(StrEnum):
    ANNOUNCE = "announce"
    SCRAPE = "scrape"
    OTHER = "other"


VERBS = {
    b"announce": Verb.ANNOUNCE,
    b"announce.php": Verb.ANNOUNCE,
    b"scrape": Verb.SCRAPE,
    b"scrape.php": Verb.SCRAPE,
}


@dataclass(slots=True)
class TrackerRequest:
    verb: Verb
    passkey: bytes
    query: bytes
    path: bytes
    keep_alive: bool


def read_head(head: bytes) -> TrackerRequest:
    """Read what stands before the empty line. What is no request asks for nothing."""
    line, _, rest = head.partition(b"\r\n")
    words = line.split(b" ")
    if len(words) != 3 or words[0] != b"GET":
        return TrackerRequest(Verb.OTHER, b"", b"", b"", keep_alive=False)
    target, protocol = words[1], words[2]
    keep = protocol == b"HTTP/1.1" and not (rest and CLOSE.search(head))
    if protocol == b"HTTP/1.0":
        keep = KEEP.search(head) is not None
    path, _, query = target.partition(b"?")
    passkey, verb = _named(path, query)
    return TrackerRequest(verb, passkey, query, path, keep)


def _named(path: bytes, query: bytes) -> tuple[bytes, Verb]:
    """`/KEY/announce` as we print it; `/announce/KEY` and `/announce?passkey=KEY` as others do."""
    parts = path.split(b"/")
    if len(parts) == 3:
        verb = VERBS.get(parts[2])
        return (parts[1], verb) if verb else (parts[2], VERBS.get(parts[1], Verb.OTHER))
    if len(parts) == 2 and parts[1] in VERBS:
        for pair in query.split(b"&"):
            if pair.startswith(b"passkey="):
                return pair[8:], VERBS[parts[1]]
        return b"", VERBS[parts[1]]
    return b"", Verb.OTHER


def forwarded_for(head: bytes) -> list[str]:
    """What proxies say of where the request comes from, each header by itself."""
    return [value.decode("latin-1") for value in FORWARDED.findall(head)]
