"""What no honest client does: peer ids that could be mistaken for something else, announces without end."""

import socket
from collections.abc import Iterator
from contextlib import closing

import pytest

from holdfast.tracker.model import Limits
from holdfast.wire.announce import Event
from tests.servers import RunningServer
from tests.system.tracker.ground import ANN, BOB, Tracker, tracker
from tests.system.tracker.live_swarm import LiveSwarm, assert_sound, make_request
from tests.system.tracker.test_udp_door import Client

HOSTILE = {
    "separators": b":7:torrents:active:::"[:20],
    "the name of a key": b"t:x:deadlines:::::::",
    "a glob": b"*?[^]\\*?[^]\\*?[^]\\*?",
    "NUL": bytes(20),
    "no UTF-8": bytes(range(0xEC, 0x100)),
    "lines": b"\r\n$-1\r\n*1\r\n$8\r\nQUIT\r",
    "percent signs": b"%25%00%s%d%n%%%%%%%%",
}

ENDLESS, AT_ONCE = 50_176, 256


@pytest.fixture
def door(live_server: RunningServer) -> Iterator[Tracker]:
    with tracker(live_server) as one:
        yield one


@pytest.mark.parametrize("peer_id", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_peer_id_is_a_peer_like_any_other(door: Tracker, peer_id: bytes) -> None:
    """It comes over one door, leaves over the other, is found and credited, and touches no other keys."""
    door.announce(BOB, port=7000)
    with closing(LiveSwarm(door.server, Limits())) as live:
        alone = set(live.books())
        door.announce(ANN, peer_id=peer_id, port=7001, left=9, event="started")
        door.announce(ANN, peer_id=peer_id, port=7001, left=9, uploaded=11, downloaded=13)
        found = door.announce(BOB, port=7000)[b"peers"]
        assert found == socket.inet_aton("127.0.0.1") + (7001).to_bytes(2, "big")
        spot, books = f"t:p:7:{peer_id.hex()}", live.books()
        assert_sound(books)
        assert (books[spot]["uploaded"], books[spot]["downloaded"]) == ("11", "13")
        with Client(door) as client:
            client.ask(client.announce(ANN, peer_id=peer_id, port=7001, left=9, event=Event.STOPPED))
        books = live.books()
        assert_sound(books)
        left = {"t:stats:leechers", spot, "t:u:1", "t:u:1:incomplete", "t:ut:1:7"}
        assert set(books) - alone == left
        assert (books["t:u:1"]["uploaded"], books["t:u:1"]["downloaded"]) == ("11", "13")
    assert door.crashes() == 0


def test_one_peer_that_announces_without_end_is_credited_every_byte_once(live_server: RunningServer) -> None:
    limits = Limits()
    with closing(LiveSwarm(live_server, limits)) as live:
        for first in range(0, ENDLESS, AT_ONCE):
            steps = range(first, first + AT_ONCE)
            live.announce(
                [make_request(1, 1, 1, up=3 * step, down=step) for step in steps], 1_000_000 + first
            )
        books = live.books()
        assert_sound(books)
        moved = (str(3 * (ENDLESS - 1)), str(ENDLESS - 1))
        for name in (f"t:t:{'01' * 20}", "t:u:1", f"t:p:1:{b'-XX1000-000000000001'.hex()}"):
            assert (books[name]["uploaded"], books[name]["downloaded"]) == moved
        assert books["t:stats:announces"] == books[f"t:t:{'01' * 20}"]["announces"] == str(ENDLESS)
