"""A tracker that starts before its store does waits for it, and hears all that it is told from then on."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from holdfast.clock import SystemClock
from holdfast.store.live import Patience, open_live
from holdfast.tracker.model import Limits
from holdfast.tracker.register import Register
from holdfast.tracker.service.reap import Reaper, keep_hearing
from holdfast.tracker.service.watch import keep_watching
from tests.servers import RunningServer, embedded_valkey
from tests.system.tracker.ground import until
from tests.system.tracker.live_swarm import LiveSwarm, make_request

LIMITS = Limits(interval=60, timeout=1)


class Loops:
    """What a worker does beside answering, in a thread of its own."""

    def __init__(self, server: RunningServer) -> None:
        self._address = server.address
        self._begun = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._live()))
        self.register: Register
        self.ended: list[asyncio.Task[None]] = []

    @contextmanager
    def running(self) -> Iterator["Loops"]:
        self._thread.start()
        assert self._begun.wait(10)
        try:
            yield self
        finally:
            self._loop.call_soon_threadsafe(self._stopping.set)
            self._thread.join()

    async def _live(self) -> None:
        self._loop, self._stopping, clock = asyncio.get_running_loop(), asyncio.Event(), SystemClock()
        async with open_live(self._address, clock=clock, patience=Patience(wait=0.05)) as live:
            self.register, reaper = Register(live, clock), Reaper(live, clock, LIMITS)
            tasks = [
                asyncio.create_task(keep_watching(self.register, live, clock)),
                asyncio.create_task(keep_hearing(reaper, live, clock, 0)),
            ]
            self._begun.set()
            done, _ = await asyncio.wait(
                [*tasks, asyncio.create_task(self._stopping.wait())], return_when=asyncio.FIRST_COMPLETED
            )
            self.ended = [task for task in tasks if task in done]
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)


def test_loops_outlive_a_store_that_comes_late() -> None:
    with embedded_valkey() as server:
        server.stop()
        with Loops(server).running() as loops:
            server.start()
            until("words are heard", lambda: server.ask("PUBSUB", "NUMPAT"))
            swarm = LiveSwarm(server, LIMITS)
            swarm.announce([make_request(1, 1, 1, left=1)], int(SystemClock().now()))
            until("the peer has left", lambda: not swarm.ask("SCARD", f"t:tpeers:{'01' * 20}"))
            swarm.ask("HSET", "t:whitelist", "-TR", "Transmission")
            until("it is told", lambda: swarm.ask("PUBLISH", "t:pub:whitelist", ""))
            until("and known", lambda: loops.register.clients == (b"-TR",))
            swarm.close()
        assert loops.ended == []
