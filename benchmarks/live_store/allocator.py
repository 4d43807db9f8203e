"""What the embedded server gains from jemalloc: its CPU per command and its memory, with and without."""

import asyncio
import random
import statistics
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

import uvloop
from tests.servers import RunningServer, embedded_valkey

from holdfast.clock import SystemClock
from holdfast.store.live import Command, open_live
from holdfast.store.live.embedded import allocator

COMMANDS, KEYS, BATCH, ROUNDS = 200_000, 50_000, 64, 3


def commands() -> list[Command]:
    """Peers as the tracker keeps them: a hash of ten fields, a time-out, a member of a set."""
    pick = random.Random(7)
    made: list[Command] = []
    while len(made) < COMMANDS:
        peer = pick.randrange(KEYS)
        fields = [part for name in range(10) for part in (f"field{name}", pick.randrange(10**9))]
        made += [
            ("HSET", f"t:p:{peer % 4000}:{peer}", *fields),
            ("SET", f"t:ptimeout:{peer % 4000}:{peer}", "1", "EX", 400),
            ("SADD", f"t:tpeers:{peer % 4000}", peer),
            ("HGETALL", f"t:p:{peer % 4000}:{peer}"),
        ]
    return made


async def drive(server: RunningServer, made: list[Command]) -> None:
    async with open_live(server.address, clock=SystemClock()) as store:
        groups = [made[first : first + BATCH] for first in range(0, len(made), BATCH)]
        for first in range(0, len(groups), 4):
            await asyncio.gather(*(store.batch(group) for group in groups[first : first + 4]))


def cpu(server: RunningServer) -> float:
    used = server.info("cpu")
    return float(used["used_cpu_sys"]) + float(used["used_cpu_user"])


def main() -> None:
    made = commands()
    print(f"{COMMANDS} commands on {KEYS} peers, batches of {BATCH}, append-only file on; {allocator()}")
    found: dict[str | None, list[tuple[float, float]]] = {None: [], allocator(): []}
    for _ in range(ROUNDS):
        for library, rounds in found.items():
            with embedded_valkey(preload=library) as server:
                before = cpu(server)
                uvloop.run(drive(server, made))
                memory = int(server.info("memory")["used_memory_rss"]) / 2**20
                rounds.append(((cpu(server) - before) / COMMANDS * 1e6, memory))
    plain = statistics.median(used for used, _ in found[None])
    for library, rounds in found.items():
        used = statistics.median(used for used, _ in rounds)
        memory = statistics.median(memory for _, memory in rounds)
        print(f"{library or 'libc'}: {used:.2f} us per command (x{plain / used:.2f}), {memory:.0f} MiB")


if __name__ == "__main__":
    main()
