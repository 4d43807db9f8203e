"""A forwarded address is believed of the listed proxies, and of nobody else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.wire.forwarded import client_address, is_trusted, neighbourhood, networks

PROXIES = networks(["10.0.0.0/8", "::1/128"])
ADDRESS = st.ip_addresses().map(str)


def test_without_a_trusted_proxy_the_peer_is_who_asks() -> None:
    assert client_address("203.0.113.9", ["198.51.100.1"], PROXIES) == "203.0.113.9"
    assert client_address("10.0.0.1", ["198.51.100.1"], ()) == "10.0.0.1"


def test_the_rightmost_hop_that_is_no_proxy_is_who_asks() -> None:
    forged_then_real = ["192.0.2.66, 198.51.100.1", "10.0.0.7"]
    assert client_address("10.0.0.1", forged_then_real, PROXIES) == "198.51.100.1"


@pytest.mark.parametrize("hop", ["198.51.100.1:4711", "198.51.100.1"])
def test_a_hop_may_carry_its_port(hop: str) -> None:
    assert client_address("10.0.0.1", [hop], PROXIES) == "198.51.100.1"
    assert client_address("10.0.0.1", ["[2001:db8::5]:443"], PROXIES) == "2001:db8::5"


@pytest.mark.parametrize("hop", ["", "unknown", "_hidden", "300.1.1.1", "198.51.100.1 evil", "\x00"])
def test_a_hop_that_is_no_address_leaves_the_proxy_as_who_asks(hop: str) -> None:
    assert client_address("10.0.0.1", [hop], PROXIES) == "10.0.0.1"


@given(peer=ADDRESS, hops=st.lists(ADDRESS, max_size=5))
def test_who_is_not_trusted_is_never_believed(peer: str, hops: list[str]) -> None:
    found = client_address(peer, [", ".join(hops)], PROXIES)
    heard = [*hops, peer]
    assert found in heard
    # Everybody to the right of who was found is a proxy of ours.
    assert any(each == found and all(is_trusted(later, PROXIES) for later in heard[at + 1 :])
               for at, each in enumerate(heard))  # fmt: skip


def test_a_socket_without_an_address_is_nobody() -> None:
    assert client_address(None, ["198.51.100.1"], PROXIES) is None


@pytest.mark.parametrize(
    ("address", "stands_for"),
    [
        ("203.0.113.9", "203.0.113.9"),
        ("::ffff:203.0.113.9", "203.0.113.9"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2:ffff::1", "2001:db8:1:2::/64"),
        ("a socket", "a socket"),
    ],
)
def test_an_address_stands_for_its_line(address: str, stands_for: str) -> None:
    assert neighbourhood(address) == stands_for
