"""A store that dies, hangs or changes hands under load costs nobody a byte, and leaves nothing askew."""

import os
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from random import Random
from typing import Any
from urllib.parse import urlsplit

import pytest

from holdfast.store.live import Layout, Patience
from holdfast.store.live.slots import SLOTS, slot
from holdfast.tracker.model import Limits
from tests.servers import RunningServer, embedded_valkey, sentinel_group, valkey_cluster, wait_for
from tests.system.running import running
from tests.system.tracker.ground import Tracker, announce_target, body, one_answer, request, until
from tests.system.tracker.live_swarm import Books, LiveSwarm, assert_sound

MEMBERS, UPLOADS, PEERS_EACH = 4, 3, 3
Peer = tuple[int, int, int]
"""Member, upload, client."""
LIMITS = Limits(min_interval=0, peers_per_upload=0, timeout=3600)
REALM = slot("t")
PATIENT = Patience(wait=0.5, silence=1.0, longest_pause=0.05)


@dataclass
class Place:
    """A store that something will happen to: how it is reached, what happens, and who has it afterwards."""

    address: str
    layout: Layout
    holder: Callable[[], RunningServer]
    fault: Callable[[], None]

    def ask(self, *command: str | int | bytes) -> Any:
        """All of the tracker's keys are with one server."""
        return self.holder().ask(*command)


@contextmanager
def killed() -> Iterator[Place]:
    with embedded_valkey() as server:

        def fault() -> None:
            assert server.ask("WAITAOF", 1, 0, 10_000)[0] == 1
            server.kill()
            server.start()

        yield Place(server.address, Layout.CLASSIC, lambda: server, fault)


@contextmanager
def hanging() -> Iterator[Place]:
    """Longer than a call waits, so that announces are refused meanwhile, and answered by nobody twice."""
    with embedded_valkey() as server:

        def fault() -> None:
            os.kill(server.pid, signal.SIGSTOP)
            threading.Event().wait(1.5)
            os.kill(server.pid, signal.SIGCONT)

        yield Place(server.address, Layout.CLASSIC, lambda: server, fault)


@contextmanager
def handed_over() -> Iterator[Place]:
    with sentinel_group() as group:

        def fault() -> None:
            assert group.primary.ask("WAIT", 1, 10_000) == 1
            group.primary.kill()
            wait_for(group.replica.leads)

        def holder() -> RunningServer:
            return group.primary if group.primary.running else group.replica

        yield Place(group.address, Layout.CLASSIC, holder, fault)


@contextmanager
def taken_over() -> Iterator[Place]:
    followed = next(at for at in range(3) if SLOTS * (at + 1) // 3 > REALM)
    with valkey_cluster(replicas=1, followed=followed) as servers:
        primary, replica = servers[followed], servers[3]

        def fault() -> None:
            assert primary.ask("WAIT", 1, 10_000) == 1
            primary.kill()
            wait_for(replica.leads)

        def holder() -> RunningServer:
            return primary if primary.running else replica

        address = ",".join(f"127.0.0.1:{server.where}" for server in servers)
        yield Place(f"redis+cluster://{address}", Layout.TAGGED, holder, fault)


class Crowd:
    """Clients that announce without a rest, and know what they have moved."""

    def __init__(self, connect: Callable[[], socket.socket]) -> None:
        self._connect = connect
        self._stopping = threading.Event()
        self.moved = {
            (uid, tid, client): 0
            for uid in range(1, MEMBERS + 1)
            for tid in range(1, UPLOADS + 1)
            for client in range(PEERS_EACH)
        }
        self.acknowledged = 0
        self._threads = [threading.Thread(target=self._live, args=(uid,)) for uid in range(1, MEMBERS + 1)]

    def _announce(self, peer: Peer, connection: socket.socket) -> bool:
        """Whether it was heard; a refusal must say when to come again."""
        uid, tid, client = peer
        moved = self.moved[peer]
        target = announce_target(
            passkey_of(uid),
            info_hash=bytes((tid,)) * 20,
            peer_id=peer_id_of(peer),
            port=1000 + uid * 100 + tid * 10 + client,
            uploaded=moved,
            downloaded=moved // 2,
            left=client,
        )
        connection.sendall(request(target))
        answer = body(one_answer(connection)[0])
        assert b"peers" in answer or answer[b"retry in"] == 1, answer
        return b"peers" in answer

    def everybody(self) -> None:
        """Each announces until heard."""
        waiting = list(self.moved)
        with self._connect() as connection:
            while waiting:
                waiting = [peer for peer in waiting if not self._announce(peer, connection)]

    def _live(self, uid: int) -> None:
        random = Random(uid)
        peers = [peer for peer in self.moved if peer[0] == uid]
        while not self._stopping.is_set():
            try:
                with self._connect() as connection:
                    while not self._stopping.is_set():
                        peer = random.choice(peers)
                        self.moved[peer] += random.randrange(1_000_000)
                        self.acknowledged += self._announce(peer, connection)
            except (ConnectionError, AssertionError) as fault:
                # A worker that was killed leaves its clients without an answer, at worst with half of one.
                if isinstance(fault, AssertionError) and "closed after" not in str(fault):
                    raise

    def __enter__(self) -> "Crowd":
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopping.set()
        for thread in self._threads:
            thread.join()

    def goes_on(self) -> None:
        before = self.acknowledged
        until("the crowd is heard", lambda: self.acknowledged > before + 200)

    def assert_booked(self, books: Books) -> None:
        assert_sound(books)
        for peer, moved in self.moved.items():
            found = books[f"t:p:{peer[1]}:{peer_id_of(peer).hex()}"]
            assert (found["uploaded"], found["downloaded"]) == (str(moved), str(moved // 2))
        for uid in range(1, MEMBERS + 1):
            theirs = [moved for peer, moved in self.moved.items() if peer[0] == uid]
            assert books[f"t:u:{uid}"]["uploaded"] == str(sum(theirs))
            assert books[f"t:u:{uid}"]["downloaded"] == str(sum(moved // 2 for moved in theirs))


def passkey_of(uid: int) -> str:
    return f"{uid:032d}"


def peer_id_of(peer: Peer) -> bytes:
    return b"-XX1000-%04d%04d%04d" % peer


@pytest.mark.parametrize("kind", [killed, hanging, handed_over, taken_over], ids=lambda kind: kind.__name__)
def test_whatever_befalls_the_store_under_load_the_books_are_right_to_the_byte_afterwards(
    kind: Callable[[], Any],
) -> None:
    with ExitStack() as stack:
        place = stack.enter_context(kind())
        tracker = Tracker(place, limits=LIMITS, layout=place.layout, patience=PATIENT)
        tracker.start()
        stack.callback(tracker.stop)
        for uid in range(1, MEMBERS + 1):
            tracker.member(passkey_of(uid), uid)
        for tid in range(1, UPLOADS + 1):
            tracker.upload(bytes((tid,)) * 20, tid)
        crowd = Crowd(tracker.connect)
        crowd.everybody()
        with crowd:
            crowd.goes_on()
            place.fault()
            crowd.goes_on()
        crowd.everybody()
        prefix = "{t}:" if place.layout is Layout.TAGGED else "t:"
        with closing(LiveSwarm(place.holder(), LIMITS, prefix)) as live:
            crowd.assert_booked(live.books())
        assert tracker.crashes() == 0


def test_workers_and_store_killed_under_load_cost_nobody_a_byte() -> None:
    with running(
        rests=(0.05, 0.1), changes=("tracker.min_interval=0 s", "tracker.peers_per_upload=0")
    ) as house:
        for uid in range(1, MEMBERS + 1):
            house.ask("HSET", f"t:user:{passkey_of(uid)}", "user_id", uid)
        for tid in range(1, UPLOADS + 1):
            house.ask("SET", f"t:info_hash:{(bytes((tid,)) * 20).hex()}", tid)
        port = urlsplit(house.run.tracker).port
        crowd = Crowd(lambda: socket.create_connection(("127.0.0.1", port or 0), timeout=60))
        crowd.everybody()
        assert house.ask("WAITAOF", 1, 0, 10_000)[0] == 1
        with crowd:
            for part in ("tracker", "tracker", "live", "tracker", "live"):
                crowd.goes_on()
                house.signal(part, signal.SIGKILL)
            crowd.goes_on()
        crowd.everybody()
        where = house.run.live.removeprefix("embedded, ")
        with closing(LiveSwarm(where, LIMITS)) as live:
            crowd.assert_booked(live.books())
