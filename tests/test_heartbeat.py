"""Heartbeats are heard while a part runs, and not afterwards."""

import asyncio
from collections.abc import Iterator

import pytest

from holdfast import heartbeat
from holdfast.clock import SystemClock
from holdfast.heartbeat import beat, beating
from holdfast.observe.metrics import Metrics
from holdfast.store.live import LiveStore, Patience, open_live
from tests.servers import RunningServer, embedded_valkey


class Slow(SystemClock):
    """A clock whose every wait is over at once, after the others had their turn."""

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(0.01)


@pytest.fixture(name="server")
def server_fixture() -> Iterator[RunningServer]:
    with embedded_valkey() as server:
        yield server


def opened(server: RunningServer) -> LiveStore:
    return open_live(server.address, clock=SystemClock(), patience=Patience(wait=0.3))


async def heard(live: LiveStore, count: int) -> list[heartbeat.Heartbeat]:
    """The heartbeats, once there are so many."""
    for _ in range(2000):
        if len(found := await beating(live)) == count:
            return found
        await asyncio.sleep(0.01)
    raise AssertionError(f"{found} are not {count}")


def test_a_part_is_heard_while_it_runs_and_gone_when_it_stops(server: RunningServer) -> None:
    async def main() -> None:
        metrics = Metrics()
        metrics.counter("web_things_total", "Things.").at().inc()
        async with opened(server) as live, asyncio.TaskGroup() as tasks:
            assert await beating(live) == []
            one = tasks.create_task(beat(live, metrics, "web", "here-1", SystemClock()))
            two = tasks.create_task(beat(live, Metrics(), "tracker", "here-2", SystemClock()))
            tracker, web = await heard(live, 2)
            assert (tracker.part, web.part, web.instance) == ("tracker", "web", "here-1")
            assert web.resident > 1 << 20
            assert web.cpu > 0
            assert b"holdfast_web_things" in web.metrics
            assert 0 < await live.call("TTL", "hf:part:web:here-1") <= 20  # type: ignore[operator]
            one.cancel()
            await heard(live, 1)
            two.cancel()
            await heard(live, 0)

    asyncio.run(main())


def test_one_that_was_killed_falls_silent_and_is_not_listed(server: RunningServer) -> None:
    async def main() -> None:
        async with opened(server) as live, asyncio.TaskGroup() as tasks:
            task = tasks.create_task(beat(live, Metrics(), "web", "here", SystemClock()))
            await heard(live, 1)
            server.ask("DEL", "hf:part:web:here")
            assert await beating(live) == []
            task.cancel()

    asyncio.run(main())


def test_it_beats_on_after_the_store_was_away(server: RunningServer) -> None:
    async def main() -> None:
        async with opened(server) as live, asyncio.TaskGroup() as tasks:
            task = tasks.create_task(beat(live, Metrics(), "web", "here", Slow()))
            await heard(live, 1)
            server.kill()
            server.start()
            server.ask("FLUSHALL")
            await asyncio.sleep(0.5)
            assert len(await heard(live, 1)) == 1
            task.cancel()

    asyncio.run(main())


@pytest.mark.parametrize("wild", ["x", ":", "web:", "web:no such", "a:b:c"])
def test_what_nobody_of_ours_wrote_is_no_heartbeat(server: RunningServer, wild: str) -> None:
    async def main() -> None:
        async with opened(server) as live:
            server.ask("ZADD", "hf:parts", 1, wild)
            server.ask("HSET", "hf:part:web:no such", "pid", "many")
            assert await beating(live) == []

    asyncio.run(main())
