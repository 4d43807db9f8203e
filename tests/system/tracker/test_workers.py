"""Several workers serve one tracker on one port: over both doors, in one swarm, and when one of them dies."""

import os
import signal
import socket
import struct
from collections.abc import Iterator
from contextlib import ExitStack
from urllib.parse import urlsplit

import pytest

from tests.system.running import Running, running, until
from tests.system.tracker.ground import ANN, BOB, PATIENCE, UPLOAD, announce_target, body, one_answer, request
from tests.wire.test_udp_announce import connect, url_data

WORKERS = 3
CALLS = 60
"""So many come that each worker has some: the chance that one has none is 1 in 10,000,000,000."""
LONG = 30.0
"""Seconds that a part rests here once it died: longer than clients are willing to wait."""


@pytest.fixture(scope="module")
def house() -> Iterator[Running]:
    with running(
        rests=(LONG, LONG), changes=(f"tracker.workers={WORKERS}", "tracker.min_interval=0 s")
    ) as one:
        one.ask("HSET", f"t:user:{ANN}", "user_id", 1)
        one.ask("HSET", f"t:user:{BOB}", "user_id", 2)
        one.ask("SET", f"t:info_hash:{UPLOAD.hex()}", 7)
        yield one


def where(house: Running) -> tuple[str, int]:
    return "127.0.0.1", urlsplit(house.run.tracker).port or 0


def over_http(house: Running) -> None:
    """Everybody comes at once, and each is answered."""
    with ExitStack() as stack:
        callers = [
            stack.enter_context(socket.create_connection(where(house), timeout=PATIENCE))
            for _ in range(CALLS)
        ]
        for caller in callers:
            caller.sendall(request(announce_target()))
        for caller in callers:
            assert b"peers" in body(one_answer(caller)[0])


def over_udp(house: Running) -> None:
    """The connection id comes from one port, hence from one worker; it is used from another."""
    with ExitStack() as stack:
        callers = [
            stack.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM)) for _ in range(CALLS)
        ]
        for caller in callers:
            caller.settimeout(PATIENCE)
            caller.connect(where(house))
            caller.send(connect())
        ids = [struct.unpack(">IIQ", caller.recv(100))[2] for caller in callers]
        for caller, given in zip(callers, [*ids[1:], ids[0]], strict=True):
            head = struct.pack(">QII20s20s", given, 1, 5, UPLOAD, b"-LT2080-0123456789ab")
            rest = struct.pack(">QQQIIIiH", 0, 9, 0, 0, 0, 77, -1, 6881)
            caller.send(head + rest + url_data(f"/{BOB}/announce".encode()))
        for caller in callers:
            assert struct.unpack_from(">II", caller.recv(65536)) == (1, 5)


def test_every_worker_is_a_part_of_its_own_that_is_seen_everywhere(house: Running) -> None:
    names = {f"tracker-{number}" for number in range(1, WORKERS + 1)}
    assert names <= set(house.pids)

    def seen() -> bool:
        parts = house.cli("status", "--json").json["parts"]
        return {part["name"] for part in parts if part["beat"] is not None} >= names

    until("all of them were heard", seen)
    doctor = house.cli("doctor").out
    with house.http() as web:
        metrics = web.get("/metrics").text
    for name in names:
        assert name in doctor
        assert f'part="{name}"' in metrics


def test_all_workers_serve_one_swarm_over_both_doors(house: Running) -> None:
    over_http(house)
    over_udp(house)


def test_workers_that_race_on_one_peer_credit_it_once(house: Running) -> None:
    """A client with many addresses says the same over each, at once."""
    passkey, rounds = "c" * 32, 100
    house.ask("HSET", f"t:user:{passkey}", "user_id", 3)
    with ExitStack() as stack:
        callers = [
            stack.enter_context(socket.create_connection(where(house), timeout=PATIENCE)) for _ in range(12)
        ]
        for moved in range(rounds):
            said = announce_target(
                passkey, peer_id=b"-XX1000-racing peer!", uploaded=moved, downloaded=2 * moved
            )
            for caller in callers:
                caller.sendall(request(said))
            for caller in callers:
                assert b"peers" in body(one_answer(caller)[0])
    assert house.ask("HMGET", "t:u:3", "uploaded", "downloaded") == [b"99", b"198"]
    peer = f"t:p:7:{b'-XX1000-racing peer!'.hex()}"
    assert house.ask("HMGET", peer, "uploaded", "downloaded", "active") == [b"99", b"198", b"1"]


def test_when_a_worker_is_killed_the_others_serve_its_clients_too(house: Running) -> None:
    over_http(house)
    pid = house.signal("tracker-2", signal.SIGKILL)
    until("it is gone", lambda: house.pids.get("tracker-2") != pid)
    for _ in range(3):
        over_http(house)
        over_udp(house)
    assert house.parts["tracker-2"].state == "resting"


def test_a_worker_that_hangs_holds_up_nobody_who_comes_later(house: Running) -> None:
    pid = house.signal("tracker-3", signal.SIGSTOP)
    try:
        over_http(house)
        over_udp(house)
    finally:
        os.kill(pid, signal.SIGCONT)
