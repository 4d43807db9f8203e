"""The store is away: killed, halted, not yet started, locked; nobody waits without end or is lied to."""

import asyncio
import os
import signal
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import pytest

from holdfast.store.live import (
    Gap,
    Library,
    LiveAnswerLost,
    LiveStore,
    LiveStoreAway,
    Message,
    Patience,
    replies,
)
from holdfast.store.live.single import SingleStore
from tests.servers import RunningServer, debian_redis, embedded_valkey
from tests.system.live.conftest import tell

BRIEF = Patience(wait=0.2, silence=0.2)
LONG = Patience(wait=20.0, pause=0.01, longest_pause=0.05)
COUNT = Library("away", "register('count', function(keys) return redis.call('INCR', keys[1]) end)")


@pytest.fixture(params=["embedded", "redis7"])
def server(request: pytest.FixtureRequest, stack: ExitStack) -> RunningServer:
    """A server of the test's own, to be killed; Redis with an append-only file, so that both remember."""
    if request.param == "embedded":
        return stack.enter_context(embedded_valkey(fsync="always"))
    return stack.enter_context(debian_redis("--appendonly", "yes", "--appendfsync", "always"))


@contextmanager
def halted(server: RunningServer) -> Iterator[None]:
    """Alive and silent: connections are accepted by the system, nothing is answered."""
    os.kill(server.pid, signal.SIGSTOP)
    try:
        yield
    finally:
        if server.running:
            os.kill(server.pid, signal.SIGCONT)


def test_a_call_while_the_store_is_away_fails_in_bounded_time_and_says_what_to_do(
    server: RunningServer,
) -> None:
    server.kill()

    async def story(store: LiveStore) -> None:
        for _ in range(2):
            with pytest.raises(
                LiveStoreAway, match=r"is away .*; check that it runs, then try again"
            ) as away:
                await store.call("GET", "k")
            assert not isinstance(away.value, LiveAnswerLost)
        answers = await asyncio.gather(*(store.call("GET", "k") for _ in range(500)), return_exceptions=True)
        assert {type(answer) for answer in answers} == {LiveStoreAway}
        with pytest.raises(LiveStoreAway):
            async with store.subscribe(["c"]):
                pass
        with pytest.raises(LiveStoreAway):
            _ = [key async for key in store.scan()]

    tell(server.address, story, patience=BRIEF)


def test_calls_made_while_the_store_is_away_are_done_once_it_is_back(server: RunningServer) -> None:
    async def story(store: LiveStore) -> None:
        await store.call("SET", "k", 1)
        server.kill()
        await _until_noticed(store)
        waiting = [asyncio.ensure_future(store.call("INCR", "k")) for _ in range(50)]
        await asyncio.sleep(0.05)
        server.start(ready=False)
        assert sorted(replies.integers(await asyncio.gather(*waiting))) == list(range(2, 52))

    tell(server.address, story, patience=LONG)


def test_everything_acknowledged_is_there_after_kill_9(server: RunningServer) -> None:
    async def story(store: LiveStore) -> None:
        acknowledged = 0

        async def count() -> None:
            nonlocal acknowledged
            while True:
                acknowledged = replies.integer(await store.call("INCR", "n"))

        counting = asyncio.ensure_future(count())
        await asyncio.sleep(0.2)
        server.kill()
        with pytest.raises(LiveStoreAway):
            await counting
        server.start(ready=False)
        kept = replies.integer(await store.call("GET", "n", repeat=True))
        assert 0 < acknowledged <= kept <= acknowledged + 1

    tell(server.address, story, patience=LONG)


def test_an_answer_that_was_lost_is_told_and_the_command_not_repeated(server: RunningServer) -> None:
    async def story(store: LiveStore) -> None:
        await store.call("SET", "n", 0)
        with halted(server):
            lost = [asyncio.ensure_future(store.call("INCR", "n")) for _ in range(3)]
            await asyncio.sleep(0.01)
            server.kill()
        for call in lost:
            with pytest.raises(LiveAnswerLost, match="look whether the change was made"):
                await call
        server.start(ready=False)
        assert await store.call("INCR", "n") == 1

    tell(server.address, story, patience=LONG)


def test_what_may_be_repeated_is_sent_again_until_it_is_answered(server: RunningServer) -> None:
    async def story(store: LiveStore) -> None:
        await store.call("SET", "k", "v")
        with halted(server):
            read = asyncio.ensure_future(store.call("GET", "k", repeat=True))
            write = asyncio.ensure_future(store.batch([("SET", "a", 1), ("GET", "k")], repeat=True))
            await asyncio.sleep(0.01)
            server.kill()
        server.start(ready=False)
        assert await read == b"v"
        assert await write == [b"OK", b"v"]

    tell(server.address, story, patience=LONG)


def test_a_store_that_hangs_is_given_up_and_found_again(server: RunningServer) -> None:
    async def story(store: LiveStore) -> None:
        await store.call("SET", "k", "v")
        with halted(server):
            with pytest.raises(LiveAnswerLost, match=r"no answer within 0\.2 s"):
                await store.call("GET", "k")
            with pytest.raises(LiveStoreAway, match=r"no answer within 0\.2 s"):
                await store.call("GET", "k")
        await _until_back(store)
        assert await store.call("GET", "k") == b"v"

    tell(server.address, story, patience=BRIEF)


def test_functions_are_there_again_after_a_restart_with_nothing_kept(stack: ExitStack) -> None:
    server = stack.enter_context(debian_redis())
    count = COUNT.function("count")

    async def story(store: LiveStore) -> None:
        await store.load(COUNT)
        server.kill()
        server.start()
        await _until_back(store)
        assert server.ask("FUNCTION", "LIST")[0][1] == COUNT.full_name.encode()
        assert await store.function(count, ["n"]) == 1

    tell(server.address, story, patience=LONG)


def test_a_listener_is_told_of_the_gap_and_hears_again(server: RunningServer) -> None:
    async def story(store: LiveStore) -> None:
        async with store.subscribe(["c"], ["p:*"]) as heard:
            await store.call("PUBLISH", "c", 1)
            assert await anext(heard) == Message("c", b"1")
            server.kill()
            server.start()
            gap = await anext(heard)
            assert isinstance(gap, Gap)
            assert "connection was lost" in gap.reason
            await _until_back(store)
            await store.call("PUBLISH", "p:x", 2)
            assert await anext(heard) == Message("p:x", b"2", "p:*")

    tell(server.address, story, patience=LONG)


def test_a_silent_listener_finds_out_that_its_server_hangs(server: RunningServer) -> None:
    async def story(store: LiveStore) -> None:
        async with store.subscribe(["c"]) as heard:
            with halted(server):
                await asyncio.sleep(0.5)
            gap = await anext(heard)
            assert isinstance(gap, Gap)
            assert "no answer within" in gap.reason

    tell(server.address, story, patience=BRIEF)


def test_a_scan_across_a_restart_is_refused_rather_than_incomplete(server: RunningServer) -> None:
    async def story(store: LiveStore) -> None:
        await store.batch([("SET", f"k{n}", 1) for n in range(5000)])
        scan = store.scan(page=10)
        await anext(scan)
        server.kill()
        server.start()
        await _until_back(store)
        with pytest.raises(LiveStoreAway, match="scan again"):
            async for _ in scan:
                pass

    tell(server.address, story, patience=LONG)


def test_a_store_that_starts_later_is_found(stack: ExitStack) -> None:
    server = stack.enter_context(embedded_valkey())
    server.kill()

    async def story(store: LiveStore) -> None:
        call = asyncio.ensure_future(store.call("PING"))
        await asyncio.sleep(0.05)
        server.start(ready=False)
        assert await call == b"PONG"

    tell(server.address, story, patience=LONG)


def test_a_wrong_password_is_told_and_never_shown(stack: ExitStack, caplog: pytest.LogCaptureFixture) -> None:
    server = stack.enter_context(debian_redis("--requirepass", "right", ready=False))
    server.password = "right"
    server.wait_until_ready()

    async def refused(store: LiveStore) -> None:
        with pytest.raises(LiveStoreAway, match="WRONGPASS") as away:
            await store.call("PING")
        assert "s3cret" not in str(away.value) + repr(away.value) + repr(store)

    async def accepted(store: LiveStore) -> None:
        assert await store.call("PING") == b"PONG"
        async with store.subscribe(["c"]) as heard:
            await store.call("PUBLISH", "c", "x")
            assert await anext(heard) == Message("c", b"x")

    tell(f"redis://:s3cret@127.0.0.1:{server.where}", refused, patience=BRIEF)
    tell(f"redis://:right@127.0.0.1:{server.where}", accepted)
    tell(f"redis://default:right@127.0.0.1:{server.where}/3", accepted)


def test_a_server_that_is_no_live_store_is_told_apart(stack: ExitStack) -> None:
    async def story() -> None:
        async def greet(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
            await reader.read()
            writer.close()

        other = await asyncio.start_server(greet, "127.0.0.1", 0)
        port = other.sockets[0].getsockname()[1]
        from holdfast.clock import SystemClock
        from holdfast.store.live import open_live

        async with (
            other,
            open_live(f"redis://127.0.0.1:{port}", clock=SystemClock(), patience=BRIEF) as store,
        ):
            with pytest.raises(LiveStoreAway, match="does not speak the protocol"):
                await store.call("PING")

    asyncio.run(story())


async def _until_noticed(store: LiveStore) -> None:
    """Until the broken connection is found broken."""
    assert isinstance(store, SingleStore)
    async with asyncio.timeout(20):
        while store._link.connected:  # noqa: ASYNC110 - nothing announces it
            await asyncio.sleep(0)


async def _until_back(store: LiveStore) -> None:
    """Until a call is answered again; the connection may have to be found broken first."""
    while True:
        try:
            await store.call("PING")
        except LiveStoreAway:
            continue
        return
