"""Peers that fell silent leave their swarms once, whoever tells it, how often, and whatever clocks say."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace

import pytest
import uvloop

from holdfast.clock import SystemClock
from holdfast.store.live import open_live
from holdfast.tracker.desk import REAP
from holdfast.tracker.model import Limits
from holdfast.tracker.service.reap import Reaper
from holdfast.wire.announce import Event
from tests.clocks import StillClock
from tests.servers import RunningServer, debian_redis, embedded_valkey, wait_for
from tests.system.tracker.live_swarm import DEADLINES, LiveSwarm, assert_agree, make_request, spot_of
from tests.system.tracker.swarm_model import Model

LIMITS = Limits(interval=300, min_interval=0, timeout=900, hnr_seconds=1000, hnr_bytes=50)
NOW = 1_000_000


@pytest.fixture(scope="module", params=["valkey", "redis7"])
def server(request: pytest.FixtureRequest) -> Iterator[RunningServer]:
    with embedded_valkey() if request.param == "valkey" else debian_redis() as running:
        yield running


@pytest.fixture
def live(server: RunningServer) -> Iterator[LiveSwarm]:
    with closing(LiveSwarm(server, LIMITS)) as worker:
        worker.ask("FLUSHALL")
        yield worker


def sweep(server: RunningServer, now: int, limits: Limits = LIMITS) -> int:
    """As the tracker's part does it, by the deadlines alone."""

    async def told() -> int:
        async with open_live(server.address, clock=SystemClock()) as store:
            reaper = Reaper(store, StillClock(now), limits)
            gone = await reaper.sweep()
            await reaper.hold_to_account()
            return gone

    return uvloop.run(told())


def test_with_notifications_off_the_sweep_alone_finds_everybody_who_fell_silent(
    server: RunningServer, live: LiveSwarm
) -> None:
    model = Model(LIMITS)
    requests = [make_request(1 + at % 3, 1 + at % 7, at, left=at % 2, up=at) for at in range(450)]
    for at in range(0, 450, 150):
        live.announce(requests[at : at + 150], NOW)
    for request in requests:
        model.announce(request, NOW)
    for gone in {spot_of(request) for request in requests[::2]} & set(model.alive):
        live.expire(gone)
        model.expire(gone)
    silent = [spot for spot, peer in model.peers.items() if peer.active and spot not in model.alive]
    assert sweep(server, NOW + 899) == 0
    assert sweep(server, NOW + 900) == model.reap(silent, NOW + 900) == len(silent) > 5
    assert sweep(server, NOW + 900) == 0
    assert_agree(live, model)


def test_a_peer_whose_time_has_really_run_out_is_reaped_once(server: RunningServer) -> None:
    limits = replace(LIMITS, timeout=1)
    with closing(LiveSwarm(server, limits)) as live:
        live.ask("FLUSHALL")
        model, request = Model(limits), make_request(1, 1, 1, left=1)
        live.announce([request], NOW)
        model.announce(request, NOW)
        spot = spot_of(request)
        wait_for(lambda: live.ask("EXISTS", f"t:ptimeout:1:{spot[1]}") == 0)
        model.expire(spot)
        assert [live.reap([spot, spot], NOW + 2), live.reap([spot], NOW + 2)] == [1, 0]
        assert model.reap([spot], NOW + 2) == 1
        assert_agree(live, model)


def test_a_deadline_of_a_peer_who_announced_again_is_put_off(server: RunningServer, live: LiveSwarm) -> None:
    request = make_request(1, 1, 1)
    live.announce([request], NOW)
    live.announce([request], NOW + 800)
    assert sweep(server, NOW + 901) == 0
    deadline = float(live.ask("ZRANGE", "t:x:deadlines", 0, -1, "WITHSCORES")[1])
    assert NOW + 901 < deadline <= NOW + 901 + 900


@pytest.mark.parametrize("word", ["", ":", "1:", "17", "1:zz", "no number:" + "ab" * 20, "1:" + "ab" * 20])
def test_a_word_that_names_no_peer_does_nothing(live: LiveSwarm, word: str) -> None:
    live.announce([make_request(1, 1, 1)], NOW)
    before = live.books()
    live.ask("ZADD", "t:x:deadlines", 1, word)
    answer = live.ask("FCALL", REAP.full_name, 1, DEADLINES, NOW, LIMITS.packed(), word)
    assert answer == 0
    assert live.books() == before


def test_a_clock_that_was_ahead_leaves_nobody_unlooked_for(server: RunningServer, live: LiveSwarm) -> None:
    """Deadlines written by the fast clock are brought forward by the first announce afterwards."""
    ahead = NOW + 10**8
    quiet = [make_request(1, 1 + at, at) for at in range(30)]
    live.announce(quiet, ahead)
    for request in quiet:
        live.expire(spot_of(request))
    live.announce([make_request(2, 50, 99)], NOW)
    assert sweep(server, NOW + 900) == 30


def test_a_clock_that_jumps_credits_no_time_and_loses_nobody(server: RunningServer, live: LiveSwarm) -> None:
    request = make_request(1, 1, 1)
    for now in (NOW, NOW + 10**7, NOW + 60, NOW - 10**6, NOW - 10**6 + 60):
        live.announce([request], now)
    peer = f"t:p:1:{spot_of(request)[1]}"
    assert live.ask("HMGET", peer, "total_time", "active") == [b"60", b"1"]
    assert sweep(server, NOW + 10**9) == 0


def test_whoever_takes_and_falls_silent_has_run_and_works_it_off(live: LiveSwarm) -> None:
    model, now, took = Model(LIMITS), NOW, 0

    def come(client: int, event: Event = Event.NONE) -> None:
        request = make_request(1, 1, client, down=took, event=event)
        live.announce([request], now)
        model.announce(request, now)

    come(1)
    took, now = 60, now + 300
    come(1)
    live.expire(spot_of(make_request(1, 1, 1)))
    model.expire(spot_of(make_request(1, 1, 1)))
    gone = [spot_of(make_request(1, 1, 1))]
    assert live.reap(gone, now) == model.reap(gone, now) == 1
    assert live.ask("SMEMBERS", "t:u:1:hnr") == [b"1"]
    for client in (2, 3):  # both at once, so that every second counts twice
        come(client)
    assert live.ask("SMEMBERS", "t:u:1:hnr") == [b"1"]
    now += 350
    come(2)
    assert live.ask("SMEMBERS", "t:u:1:hnr") == [b"1"]
    come(3)
    assert live.ask("SMEMBERS", "t:u:1:hnr") == []
    assert_agree(live, model)


def test_a_client_that_crashed_and_came_back_under_another_id_has_not_run(live: LiveSwarm) -> None:
    here = bytes((10, 0, 0, 1, 26, 225))
    live.announce([make_request(1, 1, 1, left=9, ep4=here)], NOW)
    live.announce([make_request(1, 1, 1, left=9, down=99, ep4=here)], NOW + 10)
    live.announce([make_request(1, 1, 2, left=9, ep4=here, event=Event.STARTED)], NOW + 20)
    assert live.ask("SMEMBERS", "t:u:1:hnr") == []
    assert live.ask("SCARD", f"t:tpeers:{'01' * 20}") == 1


GRACE = replace(LIMITS, hnr_grace=1000)


@pytest.fixture
def runner(server: RunningServer) -> Iterator[LiveSwarm]:
    """In a house with a time of grace, a member who took enough, fell silent and was reaped."""
    with closing(LiveSwarm(server, GRACE)) as live:
        live.ask("FLUSHALL")
        for took in (0, 60):
            live.announce([make_request(1, 1, 1, down=took)], NOW)
        live.expire(spot_of(make_request(1, 1, 1)))
        assert sweep(server, NOW + 900, GRACE) == 1
        yield live


def test_who_left_too_early_is_listed_when_the_time_of_grace_is_over(
    server: RunningServer, runner: LiveSwarm
) -> None:
    sweep(server, NOW + 1899, GRACE)
    assert runner.ask("SMEMBERS", "t:u:1:hnr") == []
    sweep(server, NOW + 1900, GRACE)
    assert runner.ask("SMEMBERS", "t:u:1:hnr") == [b"1"]
    assert runner.ask("EXISTS", "t:x:owing") == 0


def test_who_comes_back_within_the_time_of_grace_is_judged_when_he_leaves_again(
    server: RunningServer, runner: LiveSwarm
) -> None:
    runner.announce([make_request(1, 1, 1, down=60)], NOW + 1000)
    sweep(server, NOW + 1400, GRACE)
    assert runner.ask("SMEMBERS", "t:u:1:hnr") == []
    runner.announce([make_request(1, 1, 1, down=60, event=Event.STOPPED)], NOW + 1500)
    sweep(server, NOW + 2500, GRACE)
    assert runner.ask("SMEMBERS", "t:u:1:hnr") == [b"1"]


def test_who_is_freed_within_the_time_of_grace_is_never_listed(
    server: RunningServer, runner: LiveSwarm
) -> None:
    runner.exempt(1, 1, on=True)
    sweep(server, NOW + 1900, GRACE)
    assert runner.ask("SMEMBERS", "t:u:1:hnr") == []
    runner.exempt(1, 1, on=False)
    assert runner.ask("HGET", "t:ut:1:1", "exempt") is None


def test_an_announce_that_claims_more_than_a_line_can_carry_is_credited_and_reported(
    server: RunningServer,
) -> None:
    with closing(LiveSwarm(server, replace(LIMITS, fastest=1000))) as live:
        live.ask("FLUSHALL")
        for seconds, up in ((0, 0), (10, 10_000), (20, 20_001), (20, 21_002)):
            live.announce([make_request(1, 1, 1, up=up)], NOW + seconds)
        told = [
            dict(zip(each[::2], each[1::2], strict=True))
            for _, each in live.ask("XRANGE", "t:x:suspicions", "-", "+")
        ]
        assert [(each[b"up"], each[b"seconds"]) for each in told] == [(b"10001", b"10"), (b"1001", b"0")]
        assert {(each[b"kind"], each[b"uid"], each[b"tid"]) for each in told} == {(b"speed", b"1", b"1")}
        assert live.ask("HGET", "t:u:1", "uploaded") == b"21002"
