"""A million peers in a hundred thousand swarms: what they hold in memory, and how soon all serves again."""

import socket
import time
from dataclasses import dataclass
from pathlib import Path

from benchmarks.tracker.crowd import Crowd, request
from benchmarks.tracker.load import Load
from benchmarks.tracker.trackers import Tracker, introduce, register, resident, store, worker
from tests.servers import RunningServer

from holdfast.store.live.embedded import MEBIBYTE

MILLION = Crowd(torrents=100_000, peers=10, users=100_000)
GIVE_UP = 120.0


@dataclass(frozen=True)
class Held:
    """MiB and seconds, where nothing else is said."""

    bytes_per_peer: float
    store: float
    journal: float
    worker_at_first: float
    worker: float
    """Once it has served every member and every upload."""
    restart_of_all: float
    restart_of_worker: float


def measure(load: Load, folder: Path, crowd: Crowd = MILLION) -> Held:
    with store(folder) as server:
        empty = used(server)
        register(server, crowd)
        with worker(server, folder) as tracker:
            until_served(tracker, crowd)
            (pid,) = tracker.pids["worker"]
            at_first = resident(pid)
            introduce(tracker, crowd)
            load.fill(tracker, crowd)
            after = resident(pid)
        held = (used(server) - empty) / (crowd.torrents * crowd.peers)
        in_memory = resident(server.pid)
        journal = sum(file.stat().st_size for file in (folder / "live" / "appendonlydir").iterdir())
        server.kill()
        began = time.perf_counter()
        server.start()
        with worker(server, folder) as tracker:
            until_served(tracker, crowd)
            both = time.perf_counter() - began
        began = time.perf_counter()
        with worker(server, folder) as tracker:
            until_served(tracker, crowd)
            alone = time.perf_counter() - began
    return Held(held, in_memory, journal / MEBIBYTE, at_first, after, both, alone)


def used(server: RunningServer) -> int:
    return int(server.info("memory")["used_memory"])


def until_served(tracker: Tracker, crowd: Crowd) -> None:
    """Until an announce is answered with peers, not with a reason to come again."""
    give_up = time.monotonic() + GIVE_UP
    asked = request(tracker.path, next(iter(crowd.everybody())))
    while time.monotonic() < give_up:
        with socket.create_connection((tracker.host, tracker.port)) as connection:
            connection.sendall(asked)
            if b"5:peers" in connection.recv(65536):
                return
        time.sleep(0.01)
    raise TimeoutError(f"{tracker.name} does not serve")
