"""Addresses that clients name: read as BEP 3 and BEP 7 have them, and nothing else is taken for one."""

from ipaddress import IPv6Address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.wire.announce import RefusedAnnounceError
from holdfast.wire.named_address import named_endpoints, packed_address

FOUR, SIX = bytes([192, 0, 2, 1]), IPv6Address("2001:db8::1").packed
PORT, OTHER = (6881).to_bytes(2, "big"), (80).to_bytes(2, "big")


@pytest.mark.parametrize(
    ("query", "four", "six"),
    [
        (b"x=1", b"", b""),
        (b"ip=192.0.2.1", FOUR + PORT, b""),
        (b"ip=2001:db8::1", b"", SIX + PORT),
        (b"ip=2001%3Adb8%3A%3A1", b"", SIX + PORT),
        (b"ipv4=192.0.2.1&ipv6=2001:db8::1", FOUR + PORT, SIX + PORT),
        (b"ipv4=192.0.2.1:80&ipv6=[2001:db8::1]:80", FOUR + OTHER, SIX + OTHER),
        (b"ipv6=%5B2001:db8::1%5D", b"", SIX + PORT),
        (b"ipv6=2001:db8::1&ipv6=2001:db8::2", b"", SIX + PORT),
        (b"ipv6=fe80::1&ipv6=2001:db8::1", b"", SIX + PORT),
        (b"ipv6=::ffff:192.0.2.1", FOUR + PORT, b""),
        (b"ip=tracker.example&ip=", b"", b""),
        (b"ip=0.0.0.0&ipv6=::", b"", b""),
        (b"ip=127.0.0.1&ipv6=::1", b"", b""),
        (b"ip=224.0.0.1&ipv6=ff02::1", b"", b""),
        (b"ip=192.0.2.1:99999", b"", b""),
        (b"ip=192.0.2.1:", b"", b""),
        (b"ip=3221225985", b"", b""),
        (b"xip=192.0.2.1&ipv5=192.0.2.1", b"", b""),
    ],
)
def test_the_first_address_of_each_family_is_read(query: bytes, four: bytes, six: bytes) -> None:
    assert named_endpoints(query, 6881) == (four, six)


@given(st.binary(max_size=60).map(lambda said: b"ip=" + said))
def test_any_bytes_can_be_read(query: bytes) -> None:
    try:
        four, six = named_endpoints(query, 1)
    except RefusedAnnounceError:
        return
    assert len(four) in (0, 6)
    assert len(six) in (0, 18)


@given(st.ip_addresses())
def test_whatever_is_read_as_an_address_can_be_written_as_one(address: object) -> None:
    assert len(packed_address(str(address))) in (0, 4, 16)
