"""What one announce costs the live store: CPU of the server per announce, and memory per peer.

    python benchmarks/tracker/step.py [--before FOLDER] [--rounds N]

FOLDER holds another functions.lua and records.py; both are measured in turn, round by round.
"""

import argparse
import importlib.util
import os
import random
import socket
import sys
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

import hiredis
from tests.servers import RunningServer

from holdfast.store.live import Library
from holdfast.store.live.embedded import MEBIBYTE, EmbeddedServer
from holdfast.tracker import records
from holdfast.tracker.model import Holder, Limits, Request, Torrent
from holdfast.wire.announce import NUMWANT_ABSENT, Announce, Event

TORRENTS, PEERS, USERS, BATCH = 4000, 60, 3000, 64
BATCHES = 150
MIXES = {"idle": (0.0, 0.0), "seeding": (1.0, 0.0), "leeching": (1.0, 1.0)}
TURNOVER = "turnover"
LIMITS = Limits(min_interval=0, peers_per_upload=0)


@dataclass
class Client:
    """One peer of the swarms and what it has counted."""

    tid: int
    number: int
    left: int
    up: int = 0
    down: int = 0

    def request(self, event: Event = Event.NONE) -> Request:
        uid = self.number % USERS + 1
        ih = self.tid.to_bytes(20, "big")
        asked = Announce(
            ih,
            b"-XX1000-%012d" % self.number,
            6881,
            self.up,
            self.down,
            self.left,
            event,
            NUMWANT_ABSENT,
        )
        endpoint = (0x0A000000 + self.number).to_bytes(4, "big") + b"\x1a\xe1"
        return Request(asked, Holder(uid, True, True), Torrent(self.tid, ih.hex()), endpoint, b"")


class Side:
    """One version of the step in a server of its own, filled with the swarms."""

    def __init__(self, name: str, library: Library, packing: ModuleType, data: Path, torrents: int) -> None:
        self.name = name
        self._packing = packing
        embedded = EmbeddedServer(data, max_memory=2048 * MEBIBYTE)
        embedded.prepare()
        self.server = RunningServer(embedded.argv(), data, str(embedded.socket_path), embedded.environment())
        self.server.start()
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.connect(str(self.server.where))
        self._reader = hiredis.Reader()
        self.ask("FUNCTION", "LOAD", library.code)
        self._function = library.function("announce").full_name
        self.clients = [Client(1 + n // PEERS, n, n % 2) for n in range(torrents * PEERS)]
        empty = int(self.server.info("memory")["used_memory"])
        self.now = 1_800_000_000
        for at in range(0, len(self.clients), BATCH):
            self.announce(self.clients[at : at + BATCH])
        self.per_peer = (int(self.server.info("memory")["used_memory"]) - empty) / len(self.clients)

    def ask(self, *command: Any) -> Any:
        self._socket.sendall(hiredis.pack_command(command))
        while (reply := self._reader.gets()) is False:
            self._reader.feed(self._socket.recv(1 << 18))
        if isinstance(reply, Exception):
            raise reply
        return reply

    def announce(self, clients: list[Client], event: Event = Event.NONE) -> None:
        packed = b"".join(
            self._packing.pack(each.request(event), LIMITS, random.getrandbits(31)) for each in clients
        )
        self.ask("FCALL", self._function, 1, "t:x:deadlines", self.now, LIMITS.packed(), packed)

    def cpu(self) -> float:
        """Seconds the server has worked, every thread counted, by the scheduler's own clock."""
        tasks = Path(f"/proc/{self.server.pid}/task").iterdir()
        return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks) / 1e9

    def measure(self, mix: str) -> float:
        up, down = MIXES[mix]
        left = 1 if mix == "leeching" else 0
        kind = [each for each in self.clients if each.left == left]
        begun = self.cpu()
        for _ in range(BATCHES):
            self.now += 7
            batch = random.sample(kind, BATCH)
            for each in batch:
                each.up += int(up * 100_000)
                each.down += int(down * 100_000)
            self.announce(batch)
        return (self.cpu() - begun) / BATCHES / BATCH * 1e6

    def turnover(self) -> float:
        """Every one of them leaves and comes back."""
        begun = self.cpu()
        for _ in range(BATCHES // 2):
            self.now += 7
            batch = random.sample(self.clients, BATCH)
            self.announce(batch, Event.STOPPED)
            self.announce(batch, Event.STARTED)
        return (self.cpu() - begun) / BATCHES / BATCH * 1e6


def _load(folder: Path | None) -> tuple[Library, ModuleType]:
    if folder is None:
        return Library.read("holdfast.tracker"), records
    spec = importlib.util.spec_from_file_location("before_records", folder / "records.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return Library("tracker", (folder / "functions.lua").read_text("utf-8")), module


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--before", type=Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--torrents", type=int, default=TORRENTS)
    asked = parser.parse_args()
    versions: dict[str, Path | None] = {"before": asked.before} if asked.before else {}
    versions["now"] = None
    with TemporaryDirectory(prefix="hf-") as folder:
        sides = [
            Side(name, *_load(where), Path(folder, name), asked.torrents) for name, where in versions.items()
        ]
        try:
            report(sides, asked.rounds)
        finally:
            for side in sides:
                side.server.stop()


def report(sides: list[Side], rounds: int) -> None:
    peers, load = len(sides[0].clients), os.getloadavg()[0]
    print(f"{peers} peers, batches of {BATCH}, least of {rounds} rounds, load {load:.1f}")
    print("bytes per peer: " + ", ".join(f"{side.name} {side.per_peer:.0f}" for side in sides))
    for journal in ("yes", "no"):
        for side in sides:
            side.ask("CONFIG", "SET", "appendonly", journal)
        for mix in (*MIXES, TURNOVER):
            best = {side.name: float("inf") for side in sides}
            for _ in range(rounds):
                for side in sides:
                    best[side.name] = min(
                        best[side.name], side.turnover() if mix == TURNOVER else side.measure(mix)
                    )
            told = ", ".join(f"{name} {us:.2f} us" for name, us in best.items())
            ratio = f", ratio {best['now'] / best['before']:.2f}" if "before" in best else ""
            print(f"append-only {journal:3} {mix:9}: {told}{ratio}")


if __name__ == "__main__":
    main()
