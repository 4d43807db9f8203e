"""UDP packets of every length and shape are read or left alone, and answers are what BEP 15 says."""

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.wire.announce import LARGEST_COUNT, NUMWANT_ABSENT, Event
from holdfast.wire.udp_announce import (
    ANNOUNCE_LENGTH,
    PROTOCOL,
    Connect,
    UdpAnnounce,
    UdpScrape,
    announced,
    connected,
    passkey_in,
    read_packet,
    refused,
    scraped,
)

HASH, PEER = bytes(range(20)), b"-LT2080-0123456789ab"
LARGE = st.integers(0, 2**64 - 1)
WORD = st.integers(0, 2**32 - 1)


def connect(transaction: int = 1, protocol: int = PROTOCOL) -> bytes:
    return struct.pack(">QII", protocol, 0, transaction)


def announce(
    counts: tuple[int, int, int] = (1, 2, 3),
    *,
    event: int = 0,
    key: int = 0,
    wanted: int = -1,
    port: int = 6881,
    options: bytes = b"",
    transaction: int = 1,
) -> bytes:
    downloaded, left, uploaded = counts
    head = struct.pack(">QII20s20s", 5, 1, transaction, HASH, PEER)
    return head + struct.pack(">QQQIIIiH", downloaded, left, uploaded, event, 0, key, wanted, port) + options


def scrape(*hashes: bytes, transaction: int = 1) -> bytes:
    return struct.pack(">QII", 5, 2, transaction) + b"".join(hashes)


def url_data(path: bytes, width: int = 255) -> bytes:
    """A path in as many options as BEP 41 needs for it."""
    parts = [path[start : start + width] for start in range(0, len(path), width)]
    return b"".join(bytes([2, len(part)]) + part for part in parts)


@given(
    counts=st.tuples(LARGE, LARGE, LARGE),
    event=WORD | st.integers(0, 3),
    key=WORD,
    wanted=st.integers(-(2**31), 2**31 - 1),
    port=st.integers(0, 65535),
    path=st.binary(max_size=600),
    width=st.integers(1, 255),
    transaction=WORD,
    tail=st.sampled_from([b"", b"\0", b"\1", b"\1\1\0\2\5x"]),
)
def test_what_a_client_packs_is_what_is_read(
    counts: tuple[int, int, int],
    event: int,
    key: int,
    wanted: int,
    port: int,
    path: bytes,
    width: int,
    transaction: int,
    tail: bytes,
) -> None:
    options = b"\1" + url_data(path, width) + tail
    packet = announce(
        counts, event=event, key=key, wanted=wanted, port=port, options=options, transaction=transaction
    )
    read = read_packet(packet, 74)
    assert isinstance(read, UdpAnnounce)
    assert (read.connection, read.transaction, read.path) == (5, transaction, path)
    found = read.announce
    assert (found.info_hash, found.peer_id, found.port) == (HASH, PEER, port)
    assert (found.downloaded, found.left, found.uploaded) == tuple(
        min(each, LARGEST_COUNT) for each in counts
    )
    known = (Event.NONE, Event.COMPLETED, Event.STARTED, Event.STOPPED)
    assert found.event is (known[event] if event < 4 else Event.NONE)
    assert found.numwant == (wanted if wanted >= 0 else NUMWANT_ABSENT)
    assert found.key == key.to_bytes(4, "big")


@pytest.mark.parametrize("whole", [connect(), announce(options=b"\1" * 102), scrape(*[HASH] * 9, b"\0" * 4)])
def test_packets_of_every_length_from_nothing_to_two_hundred_bytes(whole: bytes) -> None:
    needs = {Connect: 16, UdpAnnounce: ANNOUNCE_LENGTH, UdpScrape: 36}
    for length in range(201):
        packet = whole.ljust(200, b"\0")[:length]
        read = read_packet(packet, 74)
        kind = type(read_packet(whole, 74))
        assert (type(read) is kind) == (length >= needs[kind]), length
        assert read is None or type(read) is kind


@given(st.binary(max_size=200))
def test_any_datagram_can_be_read(data: bytes) -> None:
    for action in (data, connect()[:8] + data, announce()[:12] + data, announce() + data, scrape() + data):
        read_packet(action, 74)


@given(st.integers(0, 80))
def test_options_may_be_cut_off_anywhere(cut: int) -> None:
    path = b"/" + b"a" * 32 + b"/announce"
    options = b"\1" + url_data(path, 20) + b"\0"
    read = read_packet(announce(options=options[:cut]), 74)
    assert isinstance(read, UdpAnnounce)
    assert path.startswith(read.path)


def test_unknown_options_are_passed_over_and_nothing_is_read_behind_the_end() -> None:
    options = b"\x09\x03abc" + url_data(b"/key/announce") + b"\0" + url_data(b"/more")
    read = read_packet(announce(options=options), 74)
    assert isinstance(read, UdpAnnounce)
    assert read.path == b"/key/announce"


def test_only_the_protocol_number_makes_a_connect() -> None:
    assert read_packet(connect(7), 74) == Connect(7)
    assert read_packet(connect(7, PROTOCOL + 1), 74) is None


def test_a_scrape_is_cut_to_the_cap_and_to_whole_hashes() -> None:
    hashes = [bytes([number]) * 20 for number in range(5)]
    assert read_packet(scrape(*hashes, b"rest"), 74) == UdpScrape(5, 1, tuple(hashes))
    assert read_packet(scrape(*hashes), 2) == UdpScrape(5, 1, tuple(hashes[:2]))


@pytest.mark.parametrize(
    ("path", "passkey"),
    [
        (b"/key/announce", b"key"),
        (b"/announce/key", b"key"),
        (b"/announce?passkey=key", b"key"),
        (b"/key/announce?x=1", b"key"),
        (b"/key/scrape", b""),
        (b"/announce", b""),
        (b"key/announce", b""),
        (b"", b""),
    ],
)
def test_the_path_names_the_member_in_the_forms_that_http_knows(path: bytes, passkey: bytes) -> None:
    assert passkey_in(path) == passkey


def test_answers_to_the_byte() -> None:
    assert connected(7, 2**64 - 1) == bytes(4) + b"\0\0\0\7" + b"\xff" * 8
    answer = announced(7, 1800, 2, 3, b"\x7f\0\0\1\x1a\xe1")
    assert answer == struct.pack(">IIIII", 1, 7, 1800, 2, 3) + b"\x7f\0\0\1\x1a\xe1"
    assert scraped(7, [(1, 2, 3), (0, 0, 0)]) == struct.pack(">IIIIIIII", 2, 7, 1, 2, 3, 0, 0, 0)
    assert refused(7, "no") == b"\0\0\0\3\0\0\0\7no"
