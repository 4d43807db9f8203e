"""Whatever clients do, in whatever order, swarms and books in the live store are what the model says."""

from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, closing
from dataclasses import replace
from random import Random
from typing import Protocol

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from holdfast.tracker.model import Limits, Request, Status
from holdfast.tracker.records import Answer
from holdfast.wire.announce import Event
from tests.servers import RunningServer, debian_redis, embedded_valkey
from tests.system.tracker.live_swarm import LiveSwarm, assert_agree, make_request
from tests.system.tracker.swarm_model import LARGEST, Model

LIMITS = Limits(
    interval=300, min_interval=60, timeout=900, numwant=5, most_peers=20, hnr_seconds=1000, hnr_bytes=50
)
HOUSES = [
    LIMITS,
    replace(LIMITS, peers_per_upload=1),
    replace(LIMITS, download_slots=1, peers_per_upload=2),
    replace(LIMITS, hnr_clear_on_complete=True, hnr_seconds=300, peers_per_upload=0),
    replace(LIMITS, hnr_grace=1000),
]
BOUNDED = settings(
    max_examples=60,
    stateful_step_count=40,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=list(HealthCheck),
    # Shrinking a story of forty steps takes minutes: the story itself is printed.
    phases=[Phase.generate],
)
UPLOADS, MEMBERS, CLIENTS = 3, 3, 3
V4 = st.builds(lambda host, port: bytes((10, 0, 0, host, 0, port)), st.integers(1, 3), st.integers(1, 3))
V6 = st.builds(
    lambda host, port: b"\xfd" + bytes(14) + bytes((host, 0, port)), st.integers(1, 2), st.integers(1, 2)
)
ENDPOINTS = st.one_of(st.tuples(V4, st.just(b"")), st.tuples(st.just(b""), V6), st.tuples(V4, V6))
COUNTS = st.one_of(st.integers(0, 300), st.sampled_from([2**31, 2**32, 2**52, LARGEST]))
SHARES = st.sampled_from([(1000, 1000), (0, 0), (500, 1000), (1000, 500), (2000, 333), (1, 999)])


@pytest.fixture(scope="module", params=["valkey", "redis7"])
def server(request: pytest.FixtureRequest) -> Iterator[RunningServer]:
    with embedded_valkey() if request.param == "valkey" else debian_redis() as running:
        yield running


class Crowd(RuleBasedStateMachine):
    """Members with several clients each, over one connection to the store."""

    server: RunningServer

    @initialize(limits=st.sampled_from(HOUSES))
    def open(self, limits: Limits) -> None:
        self.live = LiveSwarm(self.server, limits)
        self.live.ask("FLUSHALL")
        self.model = Model(limits)
        self.now = 1_000_000
        self.past: list[Request] = []
        self.booked: dict[str, tuple[int, ...]] = {}

    def teardown(self) -> None:
        if hasattr(self, "live"):
            self.live.close()

    def _announce(self, request: Request, chance: int) -> None:
        (answer,) = self.live.announce([request], self.now, chance)
        self.past = [*self.past[-20:], request]
        self._check(request, answer, self.model.announce(request, self.now))

    def _check(self, request: Request, answer: Answer, status: Status) -> None:
        check_answer(self.model, request, answer, status)

    @rule(
        tid=st.integers(1, UPLOADS),
        uid=st.integers(1, MEMBERS),
        client=st.integers(1, CLIENTS),
        shared=st.booleans(),
        up=COUNTS,
        down=COUNTS,
        left=st.sampled_from([0, 0, 1, 700, LARGEST]),
        event=st.sampled_from(Event),
        numwant=st.integers(-1, 200),
        ends=ENDPOINTS,
        shares=SHARES,
        chance=st.integers(0, 2**31 - 1),
    )
    def anything(
        self,
        tid: int,
        uid: int,
        client: int,
        shared: bool,
        up: int,
        down: int,
        left: int,
        event: Event,
        numwant: int,
        ends: tuple[bytes, bytes],
        shares: tuple[int, int],
        chance: int,
    ) -> None:
        """A shared client is one whose peer id several members have."""
        peer = client if shared else uid * 10 + client
        self._announce(
            make_request(
                tid,
                uid,
                peer,
                up=up,
                down=down,
                left=left,
                event=event,
                numwant=numwant,
                ep4=ends[0],
                ep6=ends[1],
                shares=shares,
            ),
            chance,
        )

    @precondition(lambda self: self.past)
    @rule(
        data=st.data(),
        more_up=st.integers(0, 90),
        more_down=st.integers(0, 90),
        event=st.sampled_from([Event.NONE, Event.NONE, Event.COMPLETED, Event.STOPPED]),
    )
    def goes_on(self, data: st.DataObject, more_up: int, more_down: int, event: Event) -> None:
        """As honest clients do: the same client, its counts a little higher."""
        last = data.draw(st.sampled_from(self.past))
        before = last.announce
        self._announce(
            make_request(
                last.torrent.torrent_id,
                last.holder.user_id,
                int(before.peer_id[8:]),
                up=min(LARGEST, before.uploaded + more_up),
                down=min(LARGEST, before.downloaded + more_down),
                left=0 if event is Event.COMPLETED else before.left,
                event=event,
                ep4=last.ep4,
                ep6=last.ep6,
                shares=(last.torrent.share_up, last.torrent.share_down),
            ),
            more_up,
        )

    @precondition(lambda self: self.past)
    @rule(data=st.data())
    def repeats(self, data: st.DataObject) -> None:
        self._announce(data.draw(st.sampled_from(self.past)), 7)

    @rule(
        seconds=st.sampled_from(
            [0, 1, 30, 59, 60, 61, 299, 300, 900, 1199, 1200, 5000, -1, -500, 10**6, -(10**6)]
        )
    )
    def time_goes(self, seconds: int) -> None:
        self.now += seconds

    @precondition(lambda self: self.model.peers)
    @rule(data=st.data(), times=st.integers(1, 2))
    def falls_silent(self, data: st.DataObject, times: int) -> None:
        spot = data.draw(st.sampled_from(sorted(self.model.peers)))
        self.live.expire(spot)
        self.model.expire(spot)
        spots = [spot] * times
        assert self.live.reap(spots, self.now) == self.model.reap(spots, self.now)

    @precondition(lambda self: self.model.peers)
    @rule()
    def is_reaped_for_nothing(self) -> None:
        spots = [*sorted(self.model.peers), (9, "ab" * 20)]
        assert self.live.reap(spots, self.now) == self.model.reap(spots, self.now) == 0

    @precondition(lambda self: self.model.peers)
    @rule(data=st.data())
    def is_forgotten(self, data: st.DataObject) -> None:
        spot = data.draw(st.sampled_from(sorted(self.model.peers)))
        if not self.model.peers[spot].active:
            self.live.ask("DEL", f"t:p:{spot[0]}:{spot[1]}")
            self.model.forget(spot)

    @rule(uid=st.integers(1, MEMBERS), tid=st.integers(1, UPLOADS), on=st.booleans())
    def is_freed(self, uid: int, tid: int, on: bool) -> None:
        self.live.exempt(uid, tid, on=on)
        self.model.free(uid, tid, on=on)

    @rule(pairs=st.lists(st.tuples(st.integers(1, MEMBERS), st.integers(1, UPLOADS)), max_size=9))
    def grace_ends(self, pairs: list[tuple[int, int]]) -> None:
        judged = self.live.hold_to_account(pairs, self.now)
        assert judged == self.model.hold_to_account(pairs, self.now)

    @invariant()
    def all_agrees(self) -> None:
        if hasattr(self, "live"):
            assert_agree(self.live, self.model)

    @invariant()
    def the_records_are_told_of_whatever_changed(self) -> None:
        if hasattr(self, "live"):
            before, self.booked = self.booked, self.model.totals()
            changed = {what for what, totals in self.booked.items() if before.get(what) != totals}
            assert changed <= self.live.taken()


def check_answer(model: Model, request: Request, answer: Answer, status: Status) -> None:
    """Active peers of the family that was asked over, nobody twice, as many as there are and are wanted."""
    tid = request.torrent.torrent_id
    roles = [peer.role for peer in model.active(tid).values()]
    seeders = sum(role == 1 for role in roles)
    assert answer.status == status
    assert (answer.seeders, answer.leechers) == (seeders, len(roles) - seeders)
    asks = status is Status.OK and request.announce.event is not Event.STOPPED
    for endpoint, packed, width in (
        (request.ep4, answer.peers4, 6),
        (request.ep6, answer.peers6, 18),
    ):
        given = [packed[at : at + width] for at in range(0, len(packed), width)]
        others = model.others(request, six=width == 18) if asks and endpoint else set()
        assert set(given) <= others
        if len(others) == others_of(model, request, width == 18):
            assert len(set(given)) == len(given)
            assert len(given) == min(model.wanted(request), len(others))


def others_of(model: Model, request: Request, six: bool) -> int:
    """How many peers there are to tell of; two may have one endpoint when members share an address."""
    seeds = request.announce.left == 0
    return sum(
        1
        for peer in model.active(request.torrent.torrent_id).values()
        if (peer.ep6 if six else peer.ep4)
        and peer.user_id != request.holder.user_id
        and not (seeds and peer.role == 1)
    )


def test_swarms_and_books_agree_with_the_model_after_every_step(server: RunningServer) -> None:
    class Here(Crowd):
        pass

    Here.server = server
    run_state_machine_as_test(Here, settings=BOUNDED)


class House(Protocol):
    def __call__(self, limits: Limits = LIMITS, *, empty: bool = True) -> LiveSwarm: ...


@pytest.fixture
def house(server: RunningServer) -> Iterator[House]:
    """Workers on the same store, which the first finds empty."""
    with ExitStack() as stack:

        def enter(limits: Limits = LIMITS, *, empty: bool = True) -> LiveSwarm:
            live = stack.enter_context(closing(LiveSwarm(server, limits)))
            if empty:
                live.ask("FLUSHALL")
            return live

        yield enter


def random_stream(seed: int, length: int, clients: int = 90) -> list[Request]:
    """A busy house: many clients, most of them steady, some on two families, some confused."""
    random = Random(seed)
    counts = [[0, 0] for _ in range(clients)]
    stream = []
    for _ in range(length):
        client = random.randrange(clients)
        uid, tid = client // 2 % 30 + 1, client % 3 + 1
        counts[client][0] += random.choice([0, 0, 5, 333])
        counts[client][1] += random.choice([0, 0, 7, 1001])
        ep4 = bytes((10, 0, uid, client, 26, 225)) if client % 3 else b""
        ep6 = b"" if client % 3 == 1 else b"\xfd" + bytes(13) + bytes((uid, client, 26, 225))
        if client % 3 == 2 and random.random() < 0.8:
            ep4, ep6 = random.choice([(ep4, b""), (b"", ep6)])
        up, down = counts[client]
        if random.random() < 0.05:
            up, down = up // 2, down // 2
        stream.append(
            make_request(
                tid,
                uid,
                client,
                up=up,
                down=down,
                left=random.choice([0, 0, 5]) if random.random() < 0.2 else client % 2,
                event=random.choices(list(Event), (80, 5, 5, 7, 3))[0],
                numwant=random.choice([-1, 0, 1, 30, 200]),
                ep4=ep4,
                ep6=ep6,
                shares=random.choice([(1000, 1000), (500, 333), (0, 2000)]),
            )
        )
    return stream


@pytest.mark.parametrize("seed", range(3))
def test_a_busy_house_is_told_the_truth_announce_by_announce(house: House, seed: int) -> None:
    limits = replace(LIMITS, numwant=20, most_peers=100, min_interval=10)
    live, model, now, chances = house(limits), Model(limits), 1_000_000, Random(seed)
    for at, request in enumerate(random_stream(seed, 900)):
        now += chances.choice([0, 1, 5, 40])
        (answer,) = live.announce([request], now, chances.getrandbits(31))
        check_answer(model, request, answer, model.announce(request, now))
        if at % 50 == 49:
            assert_agree(live, model)


def test_a_batch_of_announces_leaves_what_the_same_announces_leave_one_by_one(house: House) -> None:
    stream, now = random_stream(7, 1024), 1_000_000
    left, answers = [], []
    for many in (1, 256):
        live, given = house(), []
        for at in range(0, len(stream), many):
            given += live.announce(stream[at : at + many], now + at // 256 * 100, chance=at)
        left.append(live.books())
        answers.append(given)
    assert left[0] == left[1]
    assert answers[0] == answers[1]


def test_two_workers_racing_on_one_peer_credit_it_once(house: House) -> None:
    """The same announces on two connections at once: whatever the order, the counts end the same."""
    limits = replace(LIMITS, min_interval=0)
    one, two, model = house(limits), house(limits, empty=False), Model(limits)
    for step in range(200):
        requests = [make_request(1, 1, 1, up=step * 10, down=step * 3, left=step % 2)]
        commands = [worker.announce_command(requests, 1_000_000 + step, step) for worker in (one, two)]
        for worker, command in zip((one, two), commands, strict=True):
            worker.send(command)
        assert [len(worker.receive()) for worker in (one, two)] == [1, 1]
        for _ in range(2):
            model.announce(requests[0], 1_000_000 + step)
    assert_agree(one, model)
    assert one.ask("HMGET", "t:u:1", "uploaded", "downloaded") == [b"1990", b"597"]


@pytest.mark.parametrize("harm", ["cut", "longer", "empty record"])
def test_a_batch_with_a_malformed_announce_is_refused_before_anything_is_written(
    house: House, harm: str
) -> None:
    live = house()
    *head, batch = live.announce_command([make_request(1, 1, client, left=1) for client in range(9)], 1, 0)
    harmed = {"cut": batch[:-1], "longer": batch + b"\x99", "empty record": batch + bytes(150)}[harm]
    answer = live.ask(*head, harmed)
    assert isinstance(answer, Exception)
    assert "not taken" in str(answer)
    assert live.books() == {}


def test_a_full_store_refuses_the_batch_before_anything_is_written(house: House) -> None:
    live = house()
    live.announce([make_request(1, 1, 1, left=1)], 1_000_000)
    before = live.books()
    ceiling = live.ask("CONFIG", "GET", "maxmemory")[1]
    live.ask("CONFIG", "SET", "maxmemory", 1000)
    try:
        batch = [make_request(1, 1, client, left=1, up=9) for client in range(9)]
        answer = live.ask(*live.announce_command(batch, 1_000_100, 0))
    finally:
        live.ask("CONFIG", "SET", "maxmemory", ceiling)
    assert str(answer).startswith("OOM")
    assert live.books() == before


def test_a_thousand_small_credits_of_a_third_lose_nothing(house: House) -> None:
    live = house()
    stream = [make_request(1, 1, 1, up=step, shares=(333, 0)) for step in range(1001)]
    for at in range(0, len(stream), 200):
        live.announce(stream[at : at + 200], 1_000_000)
    assert live.ask("HGET", "t:u:1", "uploaded") == b"333"


def test_a_count_at_its_largest_stays_there(house: House) -> None:
    """Again and again the most that can be said, at twice its worth: nothing overflows, nobody is refused."""
    live, now = house(), 1_000_000
    for _ in range(1100):
        now += 1
        live.announce(
            [
                make_request(1, 1, 1, event=Event.STARTED),
                make_request(1, 1, 1, up=LARGEST, down=LARGEST, shares=(2000, 65_535)),
            ],
            now,
        )
    most = str(LARGEST).encode()
    assert live.ask("HMGET", "t:u:1", "uploaded", "downloaded") == [most, most]
    peer = f"t:p:1:{make_request(1, 1, 1).announce.peer_id.hex()}"
    assert live.ask("HMGET", peer, "uploaded", "downloaded") == [most, most]
    assert live.ask("HMGET", f"t:t:{'01' * 20}", "uploaded", "downloaded") == [most, most]


def test_what_the_site_wrote_of_a_torrent_outlives_its_first_peer(house: House) -> None:
    live = house()
    live.ask("HSET", f"t:t:{'01' * 20}", "snatches", 57, "announces", 1000, "multi_up", 2)
    live.announce([make_request(1, 1, 1)], 1_000_000)
    assert live.ask("HMGET", f"t:t:{'01' * 20}", "snatches", "announces", "multi_up") == [
        b"57",
        b"1001",
        b"2",
    ]
    assert live.ask("ZSCORE", "t:i:snatches", 1) == b"57"


def test_every_peer_of_a_big_swarm_is_told_of_equally(house: House) -> None:
    live, many = house(replace(LIMITS, peers_per_upload=0)), 200
    live.announce([make_request(1, 2 + peer % 50, peer, left=1) for peer in range(150)], 1_000_000)
    live.announce([make_request(1, 2 + peer % 50, peer, left=1) for peer in range(150, many)], 1_000_000)
    met: Counter[bytes] = Counter()
    for chance in range(many + 1):
        asker = make_request(1, 1, 999, numwant=10, event=Event.STARTED)
        (answer,) = live.announce([asker], 1_000_001, chance)
        met.update(answer.peers4[at : at + 6] for at in range(0, len(answer.peers4), 6))
    assert len(met) == many
    assert set(met.values()) <= {10, 11}  # one may stand where the asker himself was left out


def test_announces_repeated_endlessly_leave_no_more_than_one(house: House) -> None:
    live = house()
    batch = [make_request(1, 1, 1, up=5, down=5)] * 256
    live.announce(batch, 1_000_000)
    once = live.books()
    for _ in range(20):
        live.announce(batch, 1_000_000)
    again = live.books()
    for books in (once, again):
        del books[f"t:t:{'01' * 20}"]["announces"], books["t:stats:announces"]
    assert again == once
