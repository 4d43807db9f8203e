"""What docs/protocols.md says of each BEP, as far as no other test tells it: asked over the doors."""

import socket
import struct
from collections.abc import Iterator
from typing import Any

import pytest

from holdfast.catalogue.keys import CANONICAL
from tests.servers import RunningServer
from tests.system.tracker.ground import ANN, BOB, UPLOAD, Tracker, need_ipv6, tracker
from tests.system.tracker.test_udp_door import Client
from tests.wire.test_udp_announce import url_data

V1, V2 = bytes([1]) * 20, bytes([2]) * 20
HERE_6 = socket.inet_pton(socket.AF_INET6, "::1")


@pytest.fixture
def door(live_server: RunningServer) -> Iterator[Tracker]:
    with tracker(live_server) as one:
        yield one


def peer(number: int) -> bytes:
    return f"-TR4000-{number:012}".encode()


def scraped(door: Tracker, info_hash: bytes = UPLOAD) -> Any:
    said = door.get(f"/{ANN}/scrape?info_hash=" + "".join(f"%{byte:02x}" for byte in info_hash))
    return said[b"files"][info_hash]


def test_bep_7_peers_of_both_families_are_told_to_either(live_server: RunningServer) -> None:
    need_ipv6()
    with tracker(live_server, host="::", believed=["127.0.0.0/8", "::1/128"]) as door:
        door.announce(ANN, peer_id=peer(1), port=1, left=1, ipv6="2001:db8::1", host="127.0.0.1")
        answer = door.announce(BOB, peer_id=peer(2), port=2, left=1, ipv4="192.0.2.7", host="::1")
        assert answer[b"peers"] == bytes([127, 0, 0, 1]) + (1).to_bytes(2, "big")
        assert answer[b"peers6"] == socket.inet_pton(socket.AF_INET6, "2001:db8::1") + (1).to_bytes(2, "big")
        listed = door.announce(BOB, peer_id=peer(2), port=2, left=1, ipv4="192.0.2.7", compact=0, host="::1")
        assert [each[b"ip"] for each in listed[b"peers"]] == [b"127.0.0.1", b"2001:db8::1"]


def test_bep_15_a_scrape_by_udp_asks_for_as_many_as_a_packet_holds(live_server: RunningServer) -> None:
    with tracker(live_server) as door, Client(door) as client:
        client.ask(client.announce(ANN))
        answer = client.ask(client.scrape(*[bytes([number]) * 20 for number in range(49)], UPLOAD))
        assert len(answer) == 8 + 50 * 12
        assert struct.unpack(">III", answer[-12:]) == (1, 0, 0)


def test_bep_21_partial_seeds_are_leechers_who_want_no_more(door: Tracker) -> None:
    door.announce(ANN, peer_id=peer(1), left=9, event="started")
    door.announce(BOB, peer_id=peer(2), left=9, event="paused")
    assert scraped(door) == {b"complete": 0, b"downloaded": 0, b"incomplete": 2, b"downloaders": 1}
    # Said without the event, it wants more again.
    door.announce(BOB, peer_id=peer(2), left=9)
    assert scraped(door)[b"downloaders"] == 2
    # To have all and say `paused` is to be a seeder.
    door.announce(BOB, peer_id=peer(2), left=0, event="paused")
    assert scraped(door) == {b"complete": 1, b"downloaded": 0, b"incomplete": 1, b"downloaders": 1}


@pytest.mark.parametrize(("compact", "kind"), [(None, bytes), (1, bytes), (0, list)])
def test_bep_23_peers_come_packed_unless_that_is_declined(
    door: Tracker, compact: int | None, kind: type
) -> None:
    door.announce(ANN, peer_id=peer(1), left=1)
    assert isinstance(door.announce(BOB, peer_id=peer(2), left=1, compact=compact)[b"peers"], kind)


def test_bep_24_a_client_is_told_its_address_of_whichever_family(live_server: RunningServer) -> None:
    need_ipv6()
    with tracker(live_server, host="::") as door:
        assert door.announce(ANN, host="127.0.0.1")[b"external ip"] == bytes([127, 0, 0, 1])
        assert door.announce(BOB, peer_id=peer(2), host="::1")[b"external ip"] == HERE_6


def test_bep_41_a_path_may_come_in_pieces_between_other_options(door: Tracker) -> None:
    path = f"/{ANN}/announce?x=1".encode()
    options = b"\x01" + url_data(path[:5]) + b"\x01\x01\x7f\x02xx" + url_data(path[5:]) + b"\x00garbage"
    with Client(door) as client:
        packet = client.announce("x")[:98]
        assert client.ask(packet + options)[:8] == struct.pack(">II", 1, 5)


def test_bep_48_what_is_unknown_is_left_out_of_a_scrape(door: Tracker) -> None:
    asked = f"info_hash={'%ff' * 20}&info_hash=" + "".join(f"%{byte:02x}" for byte in UPLOAD)
    assert set(door.get(f"/{ANN}/scrape?{asked}")[b"files"]) == {UPLOAD}


def test_bep_52_both_hashes_of_a_hybrid_are_one_swarm(door: Tracker) -> None:
    door.server.ask("SET", CANONICAL.name(door.layout, torrent_id=8), V1.hex())
    for info_hash in (V1, V2):
        door.upload(info_hash, 8)
    door.announce(ANN, info_hash=V1, peer_id=peer(1), port=11, left=1)
    answer = door.announce(BOB, info_hash=V2, peer_id=peer(2), left=1)
    assert (answer[b"incomplete"], answer[b"peers"][4:]) == (2, (11).to_bytes(2, "big"))
    # A client of a hybrid announces both; it is one peer for all that.
    assert door.announce(ANN, info_hash=V2, peer_id=peer(1), port=11, left=1)[b"incomplete"] == 2
    assert scraped(door, V1) == scraped(door, V2)
