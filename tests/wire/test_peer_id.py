"""What peer ids tell of the clients that made them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.wire.peer_id import NAMES, OTHER, Client, client_of

LONGEST = 16


@pytest.mark.parametrize(
    ("peer_id", "name", "version"),
    [
        (b"-TR4060-abcdefghijkl", "Transmission", "4.0.6"),
        (b"-TR2940-abcdefghijkl", "Transmission", "2.94"),
        (b"-TR3000-abcdefghijkl", "Transmission", "3.00"),
        (b"-qB4650-abcdefghijkl", "qBittorrent", "4.6.5"),
        (b"-LT20A0-abcdefghijkl", "libtorrent", "2.0.10"),
        (b"-lt0D80-abcdefghijkl", "rTorrent", "0.13.8"),
        (b"-DE211s-abcdefghijkl", "Deluge", "2.1.1"),
        (b"-AZ5771-abcdefghijkl", "Vuze", "5.7.7.1"),
        (b"-BI3500-abcdefghijkl", "BiglyBT", "3.5.0"),
        (b"-UT355S-abcdefghijkl", "µTorrent", "3.5.5"),
        (b"A2-1-36-0-abcdefghij", "aria2", "1.36.0"),
        (b"M7-4-3--abcdefghijkl", "BitTorrent", "7.4.3"),
        (b"T03I-----abcdefghijk", "BitTornado", "0.3.18"),
        (b"S58B-----abcdefghijk", "Shadow's client", "5.8.11"),
    ],
)
def test_a_peer_id_tells_client_and_version(peer_id: bytes, name: str, version: str) -> None:
    assert client_of(peer_id) == Client(name, version)


@pytest.mark.parametrize(
    "peer_id",
    [
        b"",
        b"-",
        bytes(20),
        b"\xff" * 20,
        b"-zz1000-abcdefghijkl",
        b"-TR40\xb2\xb3-abcdefghijk",
        b"T03I-abcdefghijklmno",
    ],
)
def test_what_nobody_knows_is_other(peer_id: bytes) -> None:
    assert client_of(peer_id) == Client(OTHER)


@given(
    st.one_of(
        st.binary(max_size=24),
        st.from_regex(rb"\A[-A-Za-z0-9]{1,9}[-0-9A-Za-z.\x00-\xff]{0,11}\Z"),
    )
)
def test_whatever_a_stranger_sends_the_names_and_the_length_of_versions_have_an_end(peer_id: bytes) -> None:
    client = client_of(peer_id)

    assert client.name in NAMES
    assert len(client.version) <= LONGEST
    assert client.version.isascii()
    assert client.version.isprintable()
