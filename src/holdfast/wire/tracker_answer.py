"""What a tracker answers: bencoded by hand, since every answer has the same few keys in the same order."""

from collections.abc import Iterable, Mapping
from ipaddress import IPv4Address, IPv6Address
from typing import Final

from holdfast.wire.announce import RefusedAnnounceError
from holdfast.wire.bencode import encode


def announce_answer(
    seeders: int,
    leechers: int,
    snatches: int,
    interval: int,
    min_interval: int,
    peers4: bytes,
    peers6: bytes,
    *,
    compact: bool = True,
    external: bytes = b"",
) -> bytes:
    """`peers` is there even when nobody is: some clients take its absence for an error."""
    head = b"d8:completei%de10:downloadedi%de" % (seeders, snatches)
    if external:
        head += b"11:external ip%d:%b" % (len(external), external)
    head += b"10:incompletei%de8:intervali%de12:min intervali%de" % (leechers, interval, min_interval)
    if not compact:
        return head + b"5:peers" + _listed(peers4, peers6) + b"e"
    if peers6:
        return head + b"5:peers%d:%b6:peers6%d:%be" % (len(peers4), peers4, len(peers6), peers6)
    return head + b"5:peers%d:%be" % (len(peers4), peers4)


def _listed(peers4: bytes, peers6: bytes) -> bytes:
    """Peers as dictionaries, for clients that cannot read the compact form."""
    four = [(str(IPv4Address(one[:4])), one[4:]) for one in _cut(peers4, 6)]
    six = [(str(IPv6Address(one[:16])), one[16:]) for one in _cut(peers6, 18)]
    return encode([{b"ip": ip.encode(), b"port": int.from_bytes(port, "big")} for ip, port in (*four, *six)])


def _cut(packed: bytes, width: int) -> Iterable[bytes]:
    return (packed[start : start + width] for start in range(0, len(packed), width))


def failure(refused: RefusedAnnounceError) -> bytes:
    """Clients show the reason to their user; the code is for those who read logs."""
    reason = refused.reason.encode()
    answer = b"d12:failure codei%de14:failure reason%d:%b" % (refused.code, len(reason), reason)
    if refused.retry is not None:
        answer += b"8:retry ini%de" % refused.retry
    return answer + b"e"


def scrape_answer(files: Mapping[bytes, tuple[int, int, int, int]]) -> bytes:
    """For each info hash its seeders, snatches, leechers and, as BEP 21 has it, who of these wants more."""
    names = (b"complete", b"downloaded", b"incomplete", b"downloaders")
    found = {info_hash: dict(zip(names, counts, strict=True)) for info_hash, counts in files.items()}
    return encode({b"files": dict(sorted(found.items()))})


def http_answer(body: bytes, *, keep_alive: bool) -> bytes:
    """A whole HTTP answer around a body."""
    if keep_alive:
        return b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: %d\r\n\r\n%b" % (
            len(body),
            body,
        )
    return (
        b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%b"
        % (len(body), body)
    )


def site_answer(text: str = "") -> bytes:
    """To a site, which looks for the last line and takes what stands above it."""
    return http_answer(f"{text}\nsuccess".encode() if text else b"success", keep_alive=False)


def not_understood(sentence: str) -> bytes:
    """To a site; one that looks at the status alone must not take it for done either."""
    return _plain("400 Bad Request", f"{sentence}\n".encode())


def board_answer(text: str, kind: str) -> bytes:
    body = f"{text}\n".encode()
    lines = ["HTTP/1.1 200 OK", f"Content-Type: {kind}", f"Content-Length: {len(body)}", "Connection: close"]
    return "\r\n".join([*lines, "", ""]).encode() + body


def _plain(status: str, text: bytes = b"", *more: str) -> bytes:
    """An answer to what no BitTorrent client asks."""
    lines = [f"HTTP/1.1 {status}", "Content-Type: text/plain", f"Content-Length: {len(text)}", *more]
    return "\r\n".join([*lines, "Connection: close", "", ""]).encode() + text


NOT_FOUND: Final = _plain(
    "404 Not Found", b"This is a tracker; BitTorrent clients announce to /PASSKEY/announce.\n"
)
# Without a text, since the method may be HEAD.
METHOD_NOT_ALLOWED: Final = _plain("405 Method Not Allowed", b"", "Allow: GET")
NO_REQUEST: Final = _plain("400 Bad Request")
TOO_LONG: Final = _plain("431 Request Header Fields Too Large")
NOT_NOW: Final = _plain(
    "503 Service Unavailable", b"The tracker's store is away for a moment; say it again.\n", "Retry-After: 5"
)
FAULT: Final = _plain("500 Internal Server Error", b"The tracker made a mistake and has noted it.\n")
