"""The head of an HTTP request as trackers get it: what is asked, by whom, and whether more will follow."""

import re
from dataclasses import dataclass
from enum import StrEnum

HEAD_END = b"\r\n\r\n"
# After a request with a body we could not tell where the next one begins; whoever guesses can be made to
# take one client's words for another's.
LAST = re.compile(
    rb"\r\n(?:connection:[^\r\n]*close|content-length:[ \t]*0*[1-9]|transfer-encoding:)", re.IGNORECASE
)
FORWARDED = re.compile(rb"\r\nx-forwarded-for:([^\r\n]*)", re.IGNORECASE)


class Verb(StrEnum):
    ANNOUNCE = "announce"
    SCRAPE = "scrape"
    UPDATE = "update"
    """What a site tells; its secret stands where a passkey would."""
    REPORT = "report"
    STATS = "stats"
    STATS_JSON = "stats.json"
    UNKNOWN = "unknown"
    """A path that is not ours."""
    OTHER_METHOD = "other method"
    NONSENSE = "nonsense"
    """Not even a request."""


VERBS = {
    b"announce": Verb.ANNOUNCE,
    b"announce.php": Verb.ANNOUNCE,
    b"scrape": Verb.SCRAPE,
    b"scrape.php": Verb.SCRAPE,
}
BOARD_VERBS = {b"stats": Verb.STATS, b"stats.json": Verb.STATS_JSON}
SITE_VERBS = {b"update": Verb.UPDATE, b"report": Verb.REPORT}


@dataclass(slots=True)
class TrackerRequest:
    verb: Verb
    passkey: bytes
    query: bytes
    keep_alive: bool


def read_head(head: bytes) -> TrackerRequest:
    """Read what stands before the empty line. What is no request asks for nothing."""
    line, _, rest = head.partition(b"\r\n")
    words = line.split(b" ")
    if len(words) != 3 or words[0] != b"GET" or not words[2].startswith(b"HTTP/1."):
        wrong = len(words) == 3 and words[0].isalpha() and words[2].startswith(b"HTTP/1.")
        return TrackerRequest(Verb.OTHER_METHOD if wrong else Verb.NONSENSE, b"", b"", keep_alive=False)
    target = words[1]
    if not target.startswith(b"/"):
        target = _without_host(target)
    path, _, query = target.partition(b"?")
    passkey, verb = named(path, query)
    keep = words[2] != b"HTTP/1.0" and not (rest and LAST.search(head))
    return TrackerRequest(verb, passkey, query, keep)


def _with_more(name: bytes) -> Verb:
    """BEP 48 has a tracker's address end in a name that begins with `announce`, whatever follows."""
    if name.startswith(b"announce"):
        return Verb.ANNOUNCE
    return Verb.SCRAPE if name.startswith(b"scrape") else Verb.UNKNOWN


def _without_host(target: bytes) -> bytes:
    """Clients behind a proxy may name the whole address."""
    parts = target.split(b"/", 3)
    return b"/" + parts[3] if len(parts) == 4 and parts[0].lower() in (b"http:", b"https:") else target


def named(path: bytes, query: bytes) -> tuple[bytes, Verb]:
    """`/KEY/announce` as we print it; `/announce/KEY` and `/announce?passkey=KEY` as others do."""
    parts = path.split(b"/")
    if len(parts) == 3 and not parts[0]:
        verb = VERBS.get(parts[2]) or SITE_VERBS.get(parts[2])
        if verb is None and parts[1] in VERBS:
            return parts[2], VERBS[parts[1]]
        return parts[1], verb or _with_more(parts[2])
    if len(parts) == 2 and not parts[0]:
        verb = VERBS.get(parts[1]) or BOARD_VERBS.get(parts[1]) or _with_more(parts[1])
        for pair in query.split(b"&"):
            if pair.startswith(b"passkey="):
                return pair[8:], verb
        return b"", verb
    return b"", Verb.UNKNOWN


def forwarded_for(head: bytes) -> tuple[str, ...]:
    """What proxies say of where the request comes from, each header by itself."""
    return tuple(value.decode("latin-1") for value in FORWARDED.findall(head))
