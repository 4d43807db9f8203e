"""What it costs the clerk to bring a thousand members over to the records: CPU of its process per pass.

    PYTHONPATH=. python benchmarks/tracker/books.py [--members N] [--rounds N]

Each member seeds one of a hundred uploads; a round is one announce of each, and one pass over what it marked.
On two cores shared with others (Python 3.11, SQLite 3.40, PostgreSQL 15, Valkey 9.1), for 1,000 members:

    sqlite     all come     140 ms of CPU, 127 us a mark      bytes moved     90 ms, 82 us
    postgresql all come     320 ms of CPU, 290 us a mark      bytes moved    135 ms, 125 us
"""

import argparse
import asyncio
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.clocks import StillClock
from tests.conftest import opened
from tests.databases import private_postgresql
from tests.servers import embedded_valkey
from tests.system.tracker.bookkeeping import LIMITS, Bookkeeping
from tests.system.tracker.live_swarm import LiveSwarm, make_request

from holdfast.clock import SystemClock
from holdfast.store.live import open_live
from holdfast.store.records.engine import RecordsAddress, records_address
from holdfast.store.records.migrate import migrate
from holdfast.wire.announce import Event

UPLOADS = 100


@contextmanager
def database(kind: str) -> Iterator[RecordsAddress]:
    with ExitStack() as stack:
        if kind == "sqlite":
            yield records_address("sqlite", Path(stack.enter_context(TemporaryDirectory())))
        else:
            yield stack.enter_context(stack.enter_context(private_postgresql()).database())


async def measure(books: Bookkeeping, members: int, rounds: int) -> list[tuple[str, int, float]]:
    """What each pass did: its name, how many marks it settled, and milliseconds of CPU."""
    found = []
    async with open_live(books.server.address, clock=SystemClock()) as live:
        collector = books.collector(live)
        for each in range(rounds + 1):
            event = Event.NONE if each else Event.STARTED
            for uid in range(1, members + 1):
                tid, ep4 = uid % UPLOADS + 1, uid.to_bytes(6, "big")
                asked = make_request(tid, uid, uid, up=each * 1000, ep4=ep4, event=event)
                books.worker.announce([asked], int(books.clock.now()) + each, each)
            before = time.process_time()
            settled = await collector.collect()
            spent = (time.process_time() - before) * 1000
            found.append(("all come" if not each else "bytes moved", settled, spent))
    return found


def main() -> None:
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--members", type=int, default=1000)
    arguments.add_argument("--rounds", type=int, default=3)
    asked = arguments.parse_args()
    for kind in ("sqlite", "postgresql"):
        with database(kind) as address, embedded_valkey() as server, opened(address) as records:
            migrate(records)
            with closing(LiveSwarm(server, LIMITS)) as worker:
                books = Bookkeeping(records, server, worker, StillClock())
                books.furnish(asked.members, UPLOADS)
                for name, settled, spent in asyncio.run(measure(books, asked.members, asked.rounds)):
                    each = 1000 * spent / settled
                    print(f"{kind:10} {name:11} {settled:5} marks {spent:6.0f} ms of CPU, {each:.0f} us each")


if __name__ == "__main__":
    main()
