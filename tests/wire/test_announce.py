"""Announces are read as real clients write them, and refused with a reason that helps."""

from typing import Any
from urllib.parse import quote, quote_from_bytes

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from holdfast.wire.announce import (
    LARGEST_COUNT,
    NUMWANT_ABSENT,
    READ,
    Announce,
    Code,
    Event,
    RefusedAnnounceError,
    read_announce,
    read_scrape,
    unescape,
)

HASH = bytes(range(0x1E, 0x32))
PEER = b"-TR4000-0123456789ab"
PLAIN = {
    "info_hash": quote_from_bytes(HASH),
    "peer_id": quote_from_bytes(PEER),
    "port": "6881",
    "uploaded": "1",
    "downloaded": "2",
    "left": "3",
}


def query(**changes: str | None) -> bytes:
    said = {**PLAIN, **changes}
    return "&".join(f"{name}={value}" for name, value in said.items() if value is not None).encode("latin-1")


def seen(announce: Announce) -> dict[str, Any]:
    return {name: getattr(announce, name) for name in Announce.__slots__}


def refusal(asked: bytes) -> Code:
    with pytest.raises(RefusedAnnounceError) as refused:
        read_announce(asked)
    assert refused.value.reason.endswith(".")
    return refused.value.code


def test_a_plain_announce_says_what_it_says() -> None:
    assert seen(read_announce(query())) == {
        "info_hash": HASH,
        "peer_id": PEER,
        "port": 6881,
        "uploaded": 1,
        "downloaded": 2,
        "left": 3,
        "event": Event.NONE,
        "numwant": NUMWANT_ABSENT,
        "compact": True,
        "no_peer_id": False,
        "key": b"",
        "ip": b"",
    }


# What a client's encoder says is what we read --------------------------------------------------------------

ESCAPERS = (
    quote_from_bytes,  # as most do
    lambda raw: quote_from_bytes(raw, safe="~!*'()+$,;:@/"),  # leaving whatever may stand
    lambda raw: "".join(f"%{byte:02x}" for byte in raw),  # everything, in lower case
    lambda raw: "".join(f"%{byte:02X}" for byte in raw),  # everything, in upper case
    lambda raw: "".join(f"%{byte:02x}" if place % 2 else quote_from_bytes(bytes([byte]))
                        for place, byte in enumerate(raw)),
)  # fmt: skip
TWENTY = st.binary(min_size=20, max_size=20)
COUNT = st.integers(0, LARGEST_COUNT)


@given(
    info_hash=TWENTY,
    peer_id=TWENTY,
    escape=st.sampled_from(ESCAPERS),
    port=st.integers(1, 65535),
    counts=st.tuples(COUNT, COUNT, COUNT),
    event=st.sampled_from(Event),
    numwant=st.none() | st.integers(0, 10**9 - 1),
    compact=st.sampled_from([None, False, True]),
    key=st.binary(max_size=32),
    order=st.randoms(use_true_random=False),
)
def test_what_a_client_encodes_is_what_is_read(
    info_hash: bytes,
    peer_id: bytes,
    escape: Any,
    port: int,
    counts: tuple[int, int, int],
    event: Event,
    numwant: int | None,
    compact: bool | None,
    key: bytes,
    order: Any,
) -> None:
    pairs = [
        ("info_hash", escape(info_hash)),
        ("peer_id", escape(peer_id)),
        ("port", str(port)),
        ("uploaded", str(counts[0])),
        ("downloaded", str(counts[1])),
        ("left", str(counts[2])),
        ("key", escape(key)),
        ("supportcrypto", "1"),
    ]
    if event is not Event.NONE:
        pairs.append(("event", event.name.lower()))
    if numwant is not None:
        pairs.append(("numwant", str(numwant)))
    if compact is not None:
        pairs.append(("compact", str(int(compact))))
    order.shuffle(pairs)
    found = read_announce("&".join(f"{name}={value}" for name, value in pairs).encode())
    assert (found.info_hash, found.peer_id, found.port) == (info_hash, peer_id, port)
    assert (found.uploaded, found.downloaded, found.left) == counts
    assert (found.event, found.key) == (event, key)
    assert found.numwant == (NUMWANT_ABSENT if numwant is None else numwant)
    assert found.compact is (compact is not False)


# Refusals as data ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("asked", "code"),
    [
        (b"", Code.MISSING_INFO_HASH),
        (query(info_hash=None), Code.MISSING_INFO_HASH),
        (query(info_hash=""), Code.MISSING_INFO_HASH),
        (query(info_hash="x" * 19), Code.INVALID_INFO_HASH),
        (query(info_hash="x" * 21), Code.INVALID_INFO_HASH),
        (query(info_hash=HASH.hex()), Code.INVALID_INFO_HASH),
        (query(info_hash="%61" * 21), Code.INVALID_INFO_HASH),
        (query(info_hash="%6" + "x" * 19), Code.QUERY),
        (query(info_hash="x" * 19 + "%"), Code.QUERY),
        (query(info_hash="x" * 19 + "%4"), Code.QUERY),
        (query(info_hash="%zz" + "x" * 19), Code.QUERY),
        (query(info_hash="%+1" + "x" * 19), Code.QUERY),
        (query(info_hash="%u0041" + "x" * 19), Code.QUERY),
        (query(peer_id=None), Code.MISSING_PEER_ID),
        (query(peer_id=""), Code.MISSING_PEER_ID),
        (query(peer_id="short"), Code.INVALID_PEER_ID),
        (query(peer_id="x" * 21), Code.INVALID_PEER_ID),
        (query(port=None), Code.MISSING_PORT),
        (query(port=""), Code.MISSING_PORT),
        (query(port="0"), Code.INVALID_PORT),
        (query(port="65536"), Code.INVALID_PORT),
        (query(port="-1"), Code.INVALID_PORT),
        (query(port="+6881"), Code.INVALID_PORT),
        (query(port="6881.0"), Code.INVALID_PORT),
        (query(port=" 6881"), Code.INVALID_PORT),
        (query(port="\xb2"), Code.INVALID_PORT),
        (query(port="000006881"), Code.INVALID_PORT),
        (query(left=None), Code.INVALID_NUMBER),
        (query(left=""), Code.INVALID_NUMBER),
        (query(left="-"), Code.INVALID_NUMBER),
        (query(left="all"), Code.INVALID_NUMBER),
        (query(uploaded=""), Code.INVALID_NUMBER),
        (query(uploaded="-1"), Code.INVALID_NUMBER),
        (query(downloaded="1e3"), Code.INVALID_NUMBER),
        (query(downloaded="9" * 21), Code.INVALID_NUMBER),
        (query(uploaded="0x10"), Code.INVALID_NUMBER),
        (query(event="%"), Code.QUERY),
        (query(key="%f"), Code.QUERY),
    ],
)
def test_what_is_missing_or_wrong_is_refused(asked: bytes, code: Code) -> None:
    assert refusal(asked) == code


@pytest.mark.parametrize("name", [name.decode() for name in READ])
def test_a_field_that_is_read_may_not_be_named_twice(name: str) -> None:
    once = query(**{name: PLAIN.get(name, "1")})
    assert refusal(once + f"&{name}={PLAIN.get(name, '1')}".encode()) == Code.QUERY


def test_fields_that_are_not_read_may_be_doubled_empty_or_nonsense() -> None:
    odd = b"&ipv6=%5B::1%5D&ipv6=fe80::1&&supportcrypto=1&supportcrypto=1&=&=x&trackerid&%zz=%zz&"
    assert seen(read_announce(query() + odd)) == seen(read_announce(query()))


# What clients really say -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("spelling", "event"),
    [
        (None, Event.NONE),
        ("", Event.NONE),
        ("empty", Event.NONE),
        ("none", Event.NONE),
        ("resumed", Event.NONE),
        ("Started", Event.STARTED),
        ("STOPPED", Event.STOPPED),
        ("%63ompleted", Event.COMPLETED),
        ("completed", Event.COMPLETED),
        ("paused", Event.PAUSED),
        ("%ff", Event.NONE),
    ],
)
def test_events_in_odd_spellings(spelling: str | None, event: Event) -> None:
    assert read_announce(query(event=spelling)).event is event


@pytest.mark.parametrize(
    ("said", "wanted"),
    [(None, NUMWANT_ABSENT), ("", NUMWANT_ABSENT), ("-1", NUMWANT_ABSENT), ("many", NUMWANT_ABSENT),
     ("0", 0), ("50", 50), ("999999999", 999999999), ("9" * 30, NUMWANT_ABSENT)],
)  # fmt: skip
def test_wanting_nonsense_is_wanting_the_default(said: str | None, wanted: int) -> None:
    assert read_announce(query(numwant=said)).numwant == wanted


def test_who_stops_need_not_listen_any_more() -> None:
    assert read_announce(query(port="0", event="stopped")).port == 0
    assert refusal(query(port="0", event="started")) == Code.INVALID_PORT


@pytest.mark.parametrize("left", ["-1", "-9223372036854775808", "18446744073709551615", "9" * 20])
def test_who_does_not_know_the_size_yet_lacks_all_of_it(left: str) -> None:
    assert read_announce(query(left=left)).left == LARGEST_COUNT


def test_counts_beyond_what_is_exact_are_taken_as_the_largest() -> None:
    found = read_announce(query(uploaded="18446744073709551615", downloaded="9007199254740993"))
    assert (found.uploaded, found.downloaded) == (LARGEST_COUNT, LARGEST_COUNT)


def test_a_plus_is_a_plus() -> None:
    assert read_announce(query(info_hash="+" * 20)).info_hash == b"+" * 20


@pytest.mark.parametrize(("said", "compact"), [(None, True), ("1", True), ("0", False), ("", True)])
def test_the_compact_form_is_given_unless_it_is_declined(said: str | None, compact: bool) -> None:
    assert read_announce(query(compact=said)).compact is compact


# Anything at all -------------------------------------------------------------------------------------------

NAMES = st.sampled_from([name.decode() for name in READ] + ["", "x", "passkey", "%69nfo_hash"])
VALUES = st.one_of(
    st.text(alphabet="0123456789-+.eE%abcfxz=", max_size=24),
    st.binary(max_size=24).map(quote_from_bytes),
    TWENTY.map(quote_from_bytes),
    st.integers().map(str),
    st.text(max_size=10).map(quote),
)
PIECES = st.lists(st.tuples(NAMES, VALUES).map("=".join), max_size=16).map("&".join)


ASKED = PIECES.map(str.encode) | PIECES.map(lambda tail: query() + b"&" + tail.encode()) | st.binary()


@given(ASKED)
@example(b"info_hash=%")
@example(b"%=%&%=%")
def test_only_refusals_escape(asked: bytes) -> None:
    try:
        found = read_announce(asked)
    except RefusedAnnounceError:
        return
    assert len(found.info_hash) == len(found.peer_id) == 20
    assert 0 <= found.port <= 65535
    assert all(0 <= count <= LARGEST_COUNT for count in (found.uploaded, found.downloaded, found.left))
    assert found.numwant >= NUMWANT_ABSENT
    assert len(found.key) <= 32


@given(st.binary(max_size=200), st.integers(0, 60))
def test_only_refusals_escape_from_scrapes(asked: bytes, most: int) -> None:
    for tried in (asked, b"info_hash=" + asked, b"info_hash=%41" + b"x" * 19 + b"&" + asked):
        try:
            assert all(len(each) == 20 for each in read_scrape(tried, most))
        except RefusedAnnounceError:
            continue


@given(st.binary(max_size=60))
def test_escaping_and_unescaping_lead_back(raw: bytes) -> None:
    for escape in ESCAPERS:
        assert unescape(escape(raw).encode()) == raw


@given(st.lists(st.sampled_from([b"%41", b"\\", b"x41", b"u0041", b"N{BULLET}", b"\xff", b"n"])))
def test_the_percent_sign_alone_escapes(parts: list[bytes]) -> None:
    assert unescape(b"".join(parts)) == b"".join(parts).replace(b"%41", b"A")


def test_a_scrape_names_its_hashes_up_to_the_cap() -> None:
    hashes = [bytes([number]) * 20 for number in range(5)]
    asked = "&".join(f"info_hash={quote_from_bytes(each)}" for each in hashes).encode()
    assert read_scrape(b"x=1&" + asked, 5) == hashes
    assert read_scrape(asked, 3) == hashes[:3]


@pytest.mark.parametrize("asked", [b"", b"info_hash", b"x=1"])
def test_a_bare_scrape_is_refused(asked: bytes) -> None:
    with pytest.raises(RefusedAnnounceError, match="must name") as refused:
        read_scrape(asked, 50)
    assert refused.value.code == Code.MISSING_INFO_HASH
