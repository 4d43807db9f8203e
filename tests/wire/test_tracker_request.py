"""Request heads as clients, proxies and strangers write them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.wire.tracker_request import TrackerRequest, Verb, forwarded_for, read_head

KEY = "a" * 32


def head(target: str, *headers: str, method: str = "GET", version: str = "HTTP/1.1") -> bytes:
    return "\r\n".join([f"{method} {target} {version}", "Host: tracker", *headers]).encode("latin-1")


@pytest.mark.parametrize(
    ("target", "verb", "passkey", "query"),
    [
        (f"/{KEY}/announce?x=1", Verb.ANNOUNCE, KEY, "x=1"),
        (f"/{KEY}/announce", Verb.ANNOUNCE, KEY, ""),
        (f"/announce/{KEY}?x=1?y=2", Verb.ANNOUNCE, KEY, "x=1?y=2"),
        (f"/announce?passkey={KEY}&x=1", Verb.ANNOUNCE, KEY, f"passkey={KEY}&x=1"),
        (f"/announce.php?x=1&passkey={KEY}", Verb.ANNOUNCE, KEY, f"x=1&passkey={KEY}"),
        (f"/{KEY}/announce.php?", Verb.ANNOUNCE, KEY, ""),
        (f"http://tracker:6969/{KEY}/announce?x=1", Verb.ANNOUNCE, KEY, "x=1"),
        (f"HTTPS://tracker/{KEY}/scrape", Verb.SCRAPE, KEY, ""),
        (f"/{KEY}/scrape?info_hash=x", Verb.SCRAPE, KEY, "info_hash=x"),
        (f"/scrape/{KEY}", Verb.SCRAPE, KEY, ""),
        (f"/scrape?passkey={KEY}", Verb.SCRAPE, KEY, f"passkey={KEY}"),
        ("/announce", Verb.ANNOUNCE, "", ""),
        ("/announce-more?x=1", Verb.ANNOUNCE, "", "x=1"),
        (f"/{KEY}/announce0001", Verb.ANNOUNCE, KEY, ""),
        (f"/{KEY}/scrape.asp?x=1", Verb.SCRAPE, KEY, "x=1"),
        (f"/{KEY}/nonsense", Verb.UNKNOWN, "", ""),
        ("//announce", Verb.ANNOUNCE, "", ""),
        ("/announce/announce", Verb.ANNOUNCE, "announce", ""),
        ("/", Verb.UNKNOWN, "", ""),
        ("/stats", Verb.STATS, "", ""),
        ("/stats.json?x", Verb.STATS_JSON, "", "x"),
        (f"/{KEY}/stats", Verb.UNKNOWN, "", ""),
        (f"/{KEY}/announce/", Verb.UNKNOWN, "", ""),
        (f"/x/{KEY}/announce", Verb.UNKNOWN, "", ""),
        (f"{KEY}/announce", Verb.UNKNOWN, "", ""),
        ("http://tracker", Verb.UNKNOWN, "", ""),
        ("*", Verb.UNKNOWN, "", ""),
    ],
)
def test_the_address_says_what_is_asked_and_by_whom(
    target: str, verb: Verb, passkey: str, query: str
) -> None:
    asked = read_head(head(target))
    assert asked.verb is verb
    if verb is not Verb.UNKNOWN:
        assert (asked.passkey, asked.query) == (passkey.encode(), query.encode())


@pytest.mark.parametrize(
    ("headers", "version", "keep"),
    [
        ((), "HTTP/1.1", True),
        (("Connection: keep-alive",), "HTTP/1.1", True),
        (("Connection: close",), "HTTP/1.1", False),
        (("CONNECTION:Close",), "HTTP/1.1", False),
        (("Connection: keep-alive, close",), "HTTP/1.1", False),
        (("X-Connection: close",), "HTTP/1.1", True),
        (("User-Agent: connection: close",), "HTTP/1.1", True),
        ((), "HTTP/1.0", False),
        (("Connection: keep-alive",), "HTTP/1.0", False),
        (("Content-Length: 0",), "HTTP/1.1", True),
        (("Content-Length: 7",), "HTTP/1.1", False),
        (("content-length:007",), "HTTP/1.1", False),
        (("Content-Length: 0", "Content-Length: 7"), "HTTP/1.1", False),
        (("Transfer-Encoding: chunked",), "HTTP/1.1", False),
    ],
)
def test_whether_more_requests_may_follow(headers: tuple[str, ...], version: str, keep: bool) -> None:
    assert read_head(head(f"/{KEY}/announce", *headers, version=version)).keep_alive is keep


@pytest.mark.parametrize("method", ["HEAD", "POST", "get", "OPTIONS"])
def test_only_get_is_served(method: str) -> None:
    asked = read_head(head(f"/{KEY}/announce", method=method))
    assert (asked.verb, asked.keep_alive) == (Verb.OTHER_METHOD, False)


@pytest.mark.parametrize(
    "said",
    [b"", b"GET", b"GET /x", b"GET  /x HTTP/1.1", b"GET /a b HTTP/1.1", b"GET /x HTTP/2", b"\x16\x03 a b"],
)
def test_what_is_no_request_is_nonsense(said: bytes) -> None:
    assert read_head(said).verb is Verb.NONSENSE


@given(
    st.binary(max_size=200) | st.binary(max_size=80).map(lambda tail: b"GET /" + tail + b" HTTP/1.1\r\nA: b")
)
def test_any_bytes_can_be_read(said: bytes) -> None:
    assert isinstance(read_head(said), TrackerRequest)
    assert isinstance(forwarded_for(said), tuple)


def test_every_forwarded_header_is_seen_in_order() -> None:
    said = head("/", "X-Forwarded-For: 192.0.2.1, 192.0.2.2", "Other: x", "x-forwarded-for:192.0.2.3")
    assert ",".join(forwarded_for(said)).replace(" ", "") == "192.0.2.1,192.0.2.2,192.0.2.3"
    assert forwarded_for(head("/")) == ()
