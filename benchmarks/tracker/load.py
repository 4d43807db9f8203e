"""The load: wrk for HTTP and a program of ours for UDP, on a core that they do not share with the tracker."""

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from benchmarks.tracker.crowd import Crowd, packet_length
from benchmarks.tracker.trackers import LOAD_CORE, NotHereError, Tracker

HERE = Path(__file__).parent
CONNECTIONS = 64


@dataclass(frozen=True)
class Run:
    """What one run of the load found: answers a second, CPU microseconds per answer, milliseconds."""

    rate: float
    cost: dict[str, float]
    p50: float = 0.0
    p99: float = 0.0


@dataclass(frozen=True)
class Runs:
    """Several runs of one kind, as their medians."""

    runs: list[Run]

    @property
    def rate(self) -> float:
        return median(run.rate for run in self.runs)

    @property
    def p50(self) -> float:
        return median(run.p50 for run in self.runs)

    @property
    def p99(self) -> float:
        return median(run.p99 for run in self.runs)

    def cost(self, role: str) -> float:
        return median(run.cost.get(role, 0.0) for run in self.runs)


class Load:
    """The programs, compiled, and the announces of a crowd, written down once for each form of address."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.floor = self._compile("floor")
        self._udp = self._compile("udp_load")
        self._files: dict[tuple[Crowd, str, str], Path] = {}

    def http(
        self, tracker: Tracker, crowd: Crowd, way: str, seconds: float, pause: float | None = None
    ) -> Run:
        """`way` is close or keep; with a pause each connection rests so many milliseconds between two."""
        targets = self._file(crowd, tracker.path, "targets")
        argv = ["wrk", "-t1", f"-c{CONNECTIONS}", f"-d{seconds:g}", "--latency", "-s", str(HERE / "load.lua")]
        argv += [f"http://{tracker.host}:{tracker.port}/", "--", str(targets), str(tracker.pace.asked), way]
        said, spent = self._run(tracker, [*argv, *([f"{pause:.3f}"] if pause else [])])
        if said["refused"] or said["errors"] > said["requests"] // 100:
            raise RuntimeError(f"{tracker.name} did not answer all: {said}")
        return self._counted(tracker, said, spent)

    def udp(self, tracker: Tracker, crowd: Crowd, seconds: float) -> Run:
        packets = self._file(crowd, tracker.path, "packets")
        said, spent = self._run(tracker, self._udp_argv(tracker, packets, tracker.pace.asked, seconds))
        if said["refused"]:
            raise RuntimeError(f"{tracker.name} refused some: {said}")
        return self._counted(tracker, said, spent)

    def fill(self, tracker: Tracker, crowd: Crowd) -> None:
        """Everybody arrives."""
        packets = self._file(crowd, tracker.path, "arrivals")
        said, _ = self._run(tracker, self._udp_argv(tracker, packets, 0, 0))
        if said["refused"] or said["lost"] > said["sent"] // 50:
            raise RuntimeError(f"{tracker.name} did not take all peers: {said}")

    def _counted(self, tracker: Tracker, said: dict[str, float], spent: dict[str, float]) -> Run:
        tracker.pace.asked += int(said["requests"])
        cost = {role: seconds / said["requests"] * 1e6 for role, seconds in spent.items()}
        return Run(said["requests"] / said["seconds"], cost, said.get("p50", 0.0), said.get("p99", 0.0))

    def _run(self, tracker: Tracker, argv: list[str]) -> tuple[dict[str, float], dict[str, float]]:
        before = tracker.cpu()
        done = subprocess.run(
            ["taskset", "-c", str(LOAD_CORE), *argv], stdout=subprocess.PIPE, text=True, check=True
        )
        spent = {role: seconds - before[role] for role, seconds in tracker.cpu().items()}
        return json.loads(done.stdout.rstrip().rpartition("\n")[2]), spent

    def _udp_argv(self, tracker: Tracker, packets: Path, first: int, seconds: float) -> list[str]:
        width = packet_length(tracker.path)
        return [str(self._udp), str(tracker.port), str(packets), str(width), str(first), str(seconds)]

    def _file(self, crowd: Crowd, path: str, kind: str) -> Path:
        known = self._files.get((crowd, path, kind))
        if known is None:
            known = self.folder / f"{kind}-{len(self._files)}"
            if kind == "targets":
                crowd.write_targets(known, path)
            else:
                crowd.write_packets(known, path, arrive=kind == "arrivals")
            self._files[crowd, path, kind] = known
        return known

    def _compile(self, name: str) -> Path:
        made = self.folder / name
        source = HERE / f"{name}.c"
        try:
            subprocess.run(["gcc", "-O2", "-o", str(made), str(source)], check=True)
        except (OSError, subprocess.CalledProcessError) as fault:
            raise NotHereError(f"{source.name} cannot be compiled: {fault}") from fault
        return made
