"""What the doors count is what was asked of them, and scripts read it in the live store a second later."""

import json
from collections.abc import Iterator

import pytest

from holdfast.settings.tree import Tracker as Settings
from tests.servers import RunningServer, embedded_valkey
from tests.system.tracker.ground import ANN, UPLOAD, Tracker, announce_target, request, tracker, until
from tests.system.tracker.test_udp_door import Client


@pytest.fixture
def server() -> Iterator[RunningServer]:
    with embedded_valkey() as running:
        yield running


@pytest.fixture
def door(server: RunningServer) -> Iterator[Tracker]:
    with tracker(server) as one:
        yield one


def told(door: Tracker, what: str) -> int:
    return int(door.server.ask("GET", f"t:stats:{what}") or 0)


def value(door: Tracker, name: str, **labels: str) -> float | None:
    return door.metrics.registry.get_sample_value(f"holdfast_tracker_{name}", labels)


def test_requests_of_both_doors_are_counted_and_told_by_the_second(door: Tracker) -> None:
    door.announce(ANN, left=1)
    door.announce("f" * 32)
    door.get(f"/{ANN}/scrape?info_hash={'%01' * 20}")
    door.say(request("/nonsense"))
    with Client(door) as client:
        client.ask(client.announce())
        client.ask(client.scrape(UPLOAD))
    until("all is told", lambda: told(door, "requests") == 7)
    assert (told(door, "announces"), told(door, "scrapes")) == (2, 2)
    assert (value(door, "requests_total"), value(door, "announces_total")) == (7, 2)
    assert value(door, "scrapes_total") == 2
    assert value(door, "failures_total", reason="unknown_passkey") == 1
    assert value(door, "client_announces_total", client="Transmission") == 1
    assert value(door, "answer_seconds_count") == 2


def test_open_connections_are_counted(door: Tracker) -> None:
    with door.connect() as connection:
        connection.sendall(request(announce_target()))
        assert connection.recv(100)
        assert value(door, "connections") == 1
    until("it is closed", lambda: value(door, "connections") == 0)


def test_what_could_not_be_told_while_the_store_was_away_is_told_later(door: Tracker) -> None:
    door.announce(ANN)
    until("it is told", lambda: told(door, "requests") == 1)
    assert door.server.ask("WAITAOF", 1, 0, 10_000)[0] == 1
    door.server.kill()
    for _ in range(3):
        assert door.announce(ANN)[b"retry in"] == 1
    assert value(door, "failures_total", reason="away") == 3
    door.server.start()
    until("all is told", lambda: told(door, "requests") == 4)


def test_the_totals_are_shown_to_anybody_where_the_operator_wants_that(server: RunningServer) -> None:
    with tracker(server, settings=Settings(stats=True)) as door:
        door.announce(ANN, left=1)
        door.server.ask("SET", "t:stats:scrapes", "nonsense")
        shown = door.say(request("/stats.json")).partition(b"\r\n\r\n")[2]
        totals = json.loads(shown)
        assert (totals["torrents"], totals["seeders"], totals["leechers"]) == (1, 0, 1)
        assert b"leechers 1\n" in door.say(request("/stats"))
        # Told again from memory, for a second.
        door.server.kill()
        assert b"leechers 1\n" in door.say(request("/stats"))
        door.clock.ahead += 2
        assert door.say(request("/stats")).startswith(b"HTTP/1.1 503 ")
        door.server.start()


def test_otherwise_the_totals_are_nobodys(door: Tracker) -> None:
    assert door.say(request("/stats")).startswith(b"HTTP/1.1 404 ")
    assert door.say(request("/stats.json")).startswith(b"HTTP/1.1 404 ")
