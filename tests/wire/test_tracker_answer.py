"""Answers are canonical bencode that every client can read."""

from ipaddress import IPv4Address, IPv6Address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.wire.announce import Code, RefusedAnnounceError
from holdfast.wire.bencode import decode, encode
from holdfast.wire.tracker_answer import (
    METHOD_NOT_ALLOWED,
    NO_REQUEST,
    NOT_FOUND,
    TOO_LONG,
    announce_answer,
    failure,
    http_answer,
    scrape_answer,
)

NUMBER = st.integers(0, 2**32 - 1)
PORT = st.integers(0, 65535)
PEERS_4 = st.lists(st.tuples(st.ip_addresses(v=4), PORT), max_size=8)
PEERS_6 = st.lists(st.tuples(st.ip_addresses(v=6), PORT), max_size=8)


def packed(peers: list[tuple[IPv4Address | IPv6Address, int]]) -> bytes:
    return b"".join(address.packed + port.to_bytes(2, "big") for address, port in peers)


@given(
    st.tuples(NUMBER, NUMBER, NUMBER, NUMBER, NUMBER),
    PEERS_4,
    PEERS_6,
    st.booleans(),
    st.sampled_from([0, 4, 16]),
)
def test_an_answer_says_what_it_was_given_in_canonical_form(
    numbers: tuple[int, int, int, int, int],
    four: list[tuple[IPv4Address, int]],
    six: list[tuple[IPv6Address, int]],
    compact: bool,
    external: int,
) -> None:
    said = announce_answer(*numbers, packed(four), packed(six), compact=compact, external=bytes(external))  # type: ignore[arg-type]
    read = decode(said)
    assert isinstance(read, dict)
    assert encode(read) == said
    seeders, leechers, snatches, interval, least = numbers
    assert (read[b"complete"], read[b"incomplete"], read[b"downloaded"]) == (seeders, leechers, snatches)
    assert (read[b"interval"], read[b"min interval"]) == (interval, least)
    assert (b"external ip" in read) == bool(external)
    # Some clients take its absence for an error.
    assert b"peers" in read
    if compact:
        assert read[b"peers"] == packed(four)  # type: ignore[arg-type]
        assert read.get(b"peers6", b"") == packed(six)  # type: ignore[arg-type]
    else:
        listed = [{b"ip": str(address).encode(), b"port": port} for address, port in (*four, *six)]
        assert read[b"peers"] == listed
        assert b"peers6" not in read


def test_an_answer_to_the_byte() -> None:
    assert announce_answer(1, 2, 3, 1800, 60, b"\x7f\0\0\1\x1a\xe1", b"", external=b"\1\2\3\4") == (
        b"d8:completei1e10:downloadedi3e11:external ip4:\1\2\3\4"
        b"10:incompletei2e8:intervali1800e12:min intervali60e5:peers6:\x7f\0\0\1\x1a\xe1e"
    )


@given(st.sampled_from(Code), st.text(max_size=60), st.none() | st.integers(0, 10_000))
def test_a_failure_has_its_code_its_reason_and_when_to_try_again(
    code: Code, reason: str, retry: int | None
) -> None:
    said = failure(RefusedAnnounceError(code, reason, retry))
    expected: dict[bytes, int | bytes] = {b"failure code": int(code), b"failure reason": reason.encode()}
    if retry is not None:
        expected[b"retry in"] = retry
    assert decode(said) == expected
    assert encode(expected) == said


@given(st.dictionaries(st.binary(min_size=20, max_size=20), st.tuples(*[NUMBER] * 4), max_size=6))
def test_a_scrape_tells_each_hash_in_canonical_form(files: dict[bytes, tuple[int, int, int, int]]) -> None:
    said = scrape_answer(files)
    read = decode(said)
    assert encode(read) == said
    assert read == {
        b"files": {
            each: {
                b"complete": seeders,
                b"downloaded": snatches,
                b"downloaders": some,
                b"incomplete": leechers,
            }
            for each, (seeders, snatches, leechers, some) in files.items()
        }
    }


@given(st.binary(max_size=100), st.booleans())
def test_http_says_how_long_the_body_is(body: bytes, keep_alive: bool) -> None:
    head, _, said = http_answer(body, keep_alive=keep_alive).partition(b"\r\n\r\n")
    assert said == body
    assert head.startswith(b"HTTP/1.1 200 OK\r\n")
    assert f"Content-Length: {len(body)}".encode() in head
    assert (b"Connection: close" in head) is not keep_alive


@pytest.mark.parametrize("answer", [METHOD_NOT_ALLOWED, NO_REQUEST, NOT_FOUND, TOO_LONG])
def test_answers_to_strangers_are_whole_and_the_last(answer: bytes) -> None:
    head, _, said = answer.partition(b"\r\n\r\n")
    assert f"Content-Length: {len(said)}".encode() in head
    assert b"Connection: close" in head
