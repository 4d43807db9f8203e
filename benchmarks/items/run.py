"""Claims and reports per second over HTTP, what they cost the store, and memory for each item in each state.

    python benchmarks/items/run.py [--items N] [--seconds S] [--rounds R]
    python benchmarks/items/run.py --url http://127.0.0.1:9080/demo      # any tracker of this protocol

Needs wrk (Debian). Loopback only.
"""

import argparse
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from tests.system.running import Running, running

HERE = Path(__file__).parent
SLUG = "bench"
AT_ONCE = 10_000
UNITS = {"us": 1e-3, "ms": 1.0, "s": 1e3}


@dataclass(frozen=True)
class Figures:
    """What one run gave; times in milliseconds, processor time in microseconds a request."""

    rate: float
    p50: float
    p99: float
    web: float = 0.0
    store: float = 0.0


def load(url: str, kind: str, seconds: int, connections: int) -> Figures:
    """wrk on as many connections; it fails when the tracker refuses anything."""
    program = ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--latency", "-s", str(HERE / "load.lua")]
    said = subprocess.run([*program, url, "--", kind], capture_output=True, text=True, check=True).stdout
    if "Non-2xx" in said or "Socket errors" in said:
        sys.exit(f"The tracker did not answer everything:\n{said}")
    rate = float(re.search(r"Requests/sec:\s+([\d.]+)", said)[1])  # type: ignore[index]
    return Figures(rate, _time(said, "50%"), _time(said, "99%"))


def _time(said: str, share: str) -> float:
    number, unit = re.search(rf"{share}\s+([\d.]+)(us|ms|s)", said).groups()  # type: ignore[union-attr]
    return float(number) * UNITS[unit]


class House:
    """A whole Holdfast with one project."""

    def __init__(self, one: Running) -> None:
        self._one = one
        self.url = f"{one.run.here}/{SLUG}"

    def fill(self, many: int, start: int = 0) -> None:
        with self._one.door() as door:
            for first in range(start, start + many, AT_ONCE):
                names = [f"item:{number:011}" for number in range(first, min(first + AT_ONCE, start + many))]
                door.post(f"/projects/{SLUG}/items", {"items": names})

    def memory(self) -> int:
        return int(self._info("memory")["used_memory"])

    def measured(self, kind: str, seconds: int, connections: int) -> Figures:
        before = self._busy()
        found = load(self.url, kind, seconds, connections)
        web, store = (after - was for after, was in zip(self._busy(), before, strict=True))
        requests = found.rate * seconds
        return Figures(found.rate, found.p50, found.p99, web / requests * 1e6, store / requests * 1e6)

    def counts(self) -> dict[str, int]:
        with self._one.door() as door:
            found: dict[str, int] = door.get(f"/projects/{SLUG}")["counts"]
        return found

    def _busy(self) -> tuple[float, float]:
        """Seconds of processor time of the web door and of the store."""
        cpu = self._info("cpu")
        fields = Path(f"/proc/{self._one.pids['web']}/stat").read_text().rpartition(")")[2].split()
        ticks = int(fields[11]) + int(fields[12])
        return ticks / 100, float(cpu["used_cpu_user"]) + float(cpu["used_cpu_sys"])

    def _info(self, section: str) -> dict[str, str]:
        lines = self._one.ask("INFO", section).decode().splitlines()
        return dict(line.split(":", 1) for line in lines if ":" in line)


@contextmanager
def house() -> Iterator[House]:
    with running(changes=["live.max_memory=8 GiB"]) as one:
        with one.door() as door:
            door.post("/projects", {"slug": SLUG, "title": "Benchmark"})
            door.patch(f"/projects/{SLUG}", {"state": "active", "item_pattern": "item:[0-9]{11}"})
        yield House(one)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--url", help="Another tracker's project, filled with items.")
    parser.add_argument("--items", type=int, default=1_000_000)
    parser.add_argument("--seconds", type=int, default=5)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--connections", type=int, default=64)
    asked = parser.parse_args()
    if not shutil.which("wrk"):
        sys.exit("This needs wrk; on Debian: apt-get install wrk")
    if asked.url:
        for kind in ("claims", "both"):
            print(kind, load(asked.url, kind, asked.seconds, asked.connections))
        return
    with house() as one:
        one.fill(100_000)
        small = one.measured("both", asked.seconds, asked.connections)
        print(f"{'':24} {'req/s':>8} {'p50 ms':>8} {'p99 ms':>8} {'web us':>8} {'store us':>8}")
        _show("both, 100,000 items", small)
        before = one.memory()
        one.fill(asked.items, start=200_000)
        opened = one.memory()
        print(f"each open item: {(opened - before) / asked.items:.0f} bytes")
        _show(f"both, {asked.items:,} items", _middle(one, "both", asked))
        out, before = one.counts()["out"], one.memory()
        _show(f"claims, {asked.items:,} items", _middle(one, "claims", asked))
        more = (one.memory() - before) / (one.counts()["out"] - out)
        print(f"each claim, beyond what it was while open: {more:.0f} bytes")


def _middle(one: House, kind: str, asked: argparse.Namespace) -> Figures:
    runs = [one.measured(kind, asked.seconds, asked.connections) for _ in range(asked.rounds)]
    return Figures(
        *(median(getattr(run, name) for run in runs) for name in ("rate", "p50", "p99", "web", "store"))
    )


def _show(what: str, found: Figures) -> None:
    print(
        f"{what:24} {found.rate:8.0f} {found.p50:8.1f} {found.p99:8.1f} {found.web:8.0f} {found.store:8.1f}"
    )


if __name__ == "__main__":
    main()
