"""The UDP door answers who has proven his address, and never gives more than it got to who has not."""

import random
import socket
import struct
from collections.abc import Iterator

import pytest

from holdfast.tracker.model import Limits
from holdfast.tracker.udp import ID_SECONDS, MOST_IN_DATAGRAM, STALE, ConnectionIds
from tests.clocks import StillClock
from tests.servers import RunningServer
from tests.system.tracker.ground import (
    ANN,
    BOB,
    PATIENCE,
    UPLOAD,
    Tracker,
    announce_target,
    need_ipv6,
    tracker,
    until,
)
from tests.wire.test_udp_announce import connect, url_data

SILENCE = 0.3
"""How long to listen for an answer that must not come."""


@pytest.fixture
def door(live_server: RunningServer) -> Iterator[Tracker]:
    with tracker(live_server) as one:
        yield one


class Client:
    """A UDP client on one port of its own."""

    def __init__(self, door: Tracker, host: str = "127.0.0.1") -> None:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self.socket = socket.socket(family, socket.SOCK_DGRAM)
        self.socket.settimeout(PATIENCE)
        self.socket.connect((host, door.port))
        self.id = 0

    def __enter__(self) -> "Client":
        self.socket.send(connect(9))
        action, transaction, self.id = struct.unpack(">IIQ", self.socket.recv(100))
        assert (action, transaction) == (0, 9)
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.close()

    def ask(self, packet: bytes) -> bytes:
        self.socket.send(packet)
        return self.socket.recv(65536)

    def hears_nothing(self) -> bool:
        self.socket.settimeout(SILENCE)
        try:
            self.socket.recv(65536)
        except TimeoutError:
            return True
        finally:
            self.socket.settimeout(PATIENCE)
        return False

    def announce(
        self,
        passkey: str = ANN,
        *,
        info_hash: bytes = UPLOAD,
        peer_id: bytes = b"-LT2080-0123456789ab",
        left: int = 0,
        event: int = 0,
        wanted: int = -1,
        port: int = 6881,
        ip: str = "0.0.0.0",
    ) -> bytes:
        head = struct.pack(">QII20s20s", self.id, 1, 5, info_hash, peer_id)
        body = struct.pack(">QQQI4sIiH", 0, left, 0, event, socket.inet_aton(ip), 77, wanted, port)
        return head + body + url_data(f"/{passkey}/announce".encode())

    def scrape(self, *hashes: bytes) -> bytes:
        return struct.pack(">QII", self.id, 2, 6) + b"".join(hashes)


def error(answer: bytes) -> str:
    action, _ = struct.unpack_from(">II", answer)
    assert action == 3, answer
    return answer[8:].decode()


def test_peers_meet_over_udp_and_over_http_alike(door: Tracker) -> None:
    door.announce(BOB, peer_id=b"-TR4000-0123456789ab", port=1002, left=9)
    with Client(door) as client:
        answer = client.ask(client.announce())
    action, transaction, interval, leechers, seeders = struct.unpack_from(">IIIII", answer)
    assert (action, transaction, leechers, seeders) == (1, 5, 1, 1)
    assert interval >= door.limits.interval
    assert answer[20:] == bytes([127, 0, 0, 1]) + (1002).to_bytes(2, "big")
    assert door.announce(BOB, peer_id=b"-TR4000-0123456789ab", port=1002, left=9)[b"complete"] == 1


def test_who_stops_leaves(door: Tracker) -> None:
    with Client(door) as client:
        client.ask(client.announce(event=2))
        answer = client.ask(client.announce(event=3, port=0))
    assert struct.unpack_from(">IIIII", answer)[3:] == (0, 0)


def test_a_scrape_tells_counts_in_order_and_nothing_of_what_is_unknown(door: Tracker) -> None:
    with Client(door) as client:
        client.ask(client.announce())
        answer = client.ask(client.scrape(b"x" * 20, UPLOAD))
    assert answer == struct.pack(">IIIIIIII", 2, 6, 0, 0, 0, 1, 0, 0)


def test_refusals_say_why(door: Tracker) -> None:
    with Client(door) as client:
        assert "passkey" in error(client.ask(client.announce("f" * 32)))
        assert "catalogue" in error(client.ask(client.announce(info_hash=b"y" * 20)))
        assert "port" not in error(client.ask(client.announce("../..")))
        bare = client.announce()[:98]
        assert "passkey" in error(client.ask(bare))


def test_a_forged_id_gets_an_error_that_is_no_longer_than_what_was_sent(door: Tracker) -> None:
    with Client(door) as client:
        client.id ^= 1
        for packet in (client.announce()[:98], client.scrape(UPLOAD)):
            answer = client.ask(packet)
            assert error(answer) == STALE
            assert len(answer) <= len(packet)
        assert door.server.ask("EXISTS", f"t:tpeers:{UPLOAD.hex()}") == 0


def test_nobody_can_be_flooded_through_us(door: Tracker) -> None:
    chance = random.Random(1)
    with Client(door) as client:
        for length in range(201):
            for head in (b"", struct.pack(">QI", 0x41727101980, 0), bytes(11) + b"\1", bytes(11) + b"\2"):
                packet = (head + chance.randbytes(200))[:length]
                client.socket.send(packet)
                # What comes next is the answer to this packet, or to the connect behind it.
                client.socket.send(connect(4_000_000_000))
                answer = client.socket.recv(65536)
                if struct.unpack_from(">II", answer)[1] != 4_000_000_000:
                    assert len(answer) <= length
                    client.socket.recv(65536)
    assert door.crashes() == 0


@pytest.mark.parametrize(
    ("believed", "seen"), [(["127.0.0.0/8"], "198.51.100.1"), (["10.0.0.0/8"], "127.0.0.1")]
)
def test_the_address_in_a_packet_is_believed_of_trusted_networks_alone(
    live_server: RunningServer, believed: list[str], seen: str
) -> None:
    with tracker(live_server, believed=believed) as door, Client(door) as client:
        client.ask(client.announce(port=1001, ip="198.51.100.1"))
        answer = door.announce(BOB, peer_id=b"-TR4000-0123456789ab", left=1)
        assert answer[b"peers"] == socket.inet_aton(seen) + (1001).to_bytes(2, "big")


def test_an_id_of_another_address_is_worth_nothing(door: Tracker) -> None:
    with Client(door) as client, socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as other:
        other.bind(("127.0.0.2", 0))
        other.settimeout(PATIENCE)
        other.sendto(client.announce(), ("127.0.0.1", door.port))
        assert error(other.recv(65536)) == STALE


def test_an_id_is_good_for_two_to_four_minutes() -> None:
    clock = StillClock(now=ID_SECONDS * 1000)
    ids = ConnectionIds(b"secret", clock)
    given = ids.give("192.0.2.1")
    assert 0 <= given < 2**64
    clock.pass_by(2 * ID_SECONDS - 1)
    assert ids.good("192.0.2.1", given)
    assert not ids.good("192.0.2.2", given)
    assert not ids.good("192.0.2.1", given ^ 1)
    assert not ConnectionIds(b"other", clock).good("192.0.2.1", given)
    clock.pass_by(1)
    assert not ids.good("192.0.2.1", given)


def test_a_stale_id_is_told_so(door: Tracker) -> None:
    with Client(door) as client:
        door.clock.ahead += 2 * ID_SECONDS
        assert error(client.ask(client.announce())) == STALE


def test_packets_that_are_none_get_no_answer(door: Tracker) -> None:
    with Client(door) as client:
        for packet in (b"", b"x" * 15, client.announce()[:97], client.scrape(UPLOAD)[:35], bytes(16)):
            client.socket.send(packet)
        assert client.hears_nothing()
        assert client.ask(client.announce())


def test_an_answer_fits_into_one_datagram_however_many_peers_are_wanted(live_server: RunningServer) -> None:
    with tracker(live_server, limits=Limits(min_interval=0, most_peers=500)) as door:
        for number in range(250):
            door.member(f"{number:032}", 100 + number)
            door.announce(
                f"{number:032}", peer_id=f"-TR4000-{number:012}".encode(), port=1000 + number, left=1
            )
        with Client(door) as client:
            answer = client.ask(client.announce(wanted=500))
        assert len(answer) == 20 + MOST_IN_DATAGRAM


def test_ipv6_clients_get_ipv6_peers_and_mapped_ones_ipv4(live_server: RunningServer) -> None:
    need_ipv6()
    with tracker(live_server, host="::") as door, Client(door, "::1") as six, Client(door) as four:
        door.member("e" * 32, 3)
        door.member("d" * 32, 4)
        six.ask(six.announce(ANN, peer_id=b"-LT2080-00000000000a", port=1001, left=1))
        four.ask(four.announce(BOB, peer_id=b"-LT2080-00000000000b", port=1002, left=1))
        answer = six.ask(six.announce("e" * 32, peer_id=b"-LT2080-00000000000c", port=1003))
        assert answer[20:] == bytes(15) + b"\x01" + (1001).to_bytes(2, "big")
        answer = four.ask(four.announce("d" * 32, peer_id=b"-LT2080-00000000000d", port=1004))
        assert answer[20:] == bytes([127, 0, 0, 1]) + (1002).to_bytes(2, "big")


def test_without_the_live_store_clients_are_told_and_later_served(door: Tracker) -> None:
    with Client(door) as client:
        assert client.ask(client.announce())
        door.server.kill()
        try:
            assert "away" in error(client.ask(client.announce()))
            assert "away" in error(client.ask(client.scrape(UPLOAD)))
        finally:
            door.server.start()
        until("it goes on", lambda: client.ask(client.announce())[3] == 1)


def test_a_fault_of_ours_is_answered_and_counted(door: Tracker, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> bytes:
        raise ZeroDivisionError("a fault of ours")

    with Client(door) as client:
        with monkeypatch.context() as spoilt:
            spoilt.setattr("holdfast.tracker.udp.endpoints", broken)
            assert "mistake" in error(client.ask(client.announce()))
        assert door.crashes() == 1
        assert client.ask(client.announce())[3] == 1


def test_both_doors_share_one_port(door: Tracker) -> None:
    with Client(door) as client:
        client.ask(client.announce(ANN, left=1))
    assert door.get(announce_target(BOB, peer_id=b"-TR4000-0123456789ab"))[b"incomplete"] == 1
