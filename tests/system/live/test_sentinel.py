"""Behind sentinels: the primary is asked for, verified, and followed when it changes."""

import asyncio
import os
import signal
from collections.abc import Iterator

import pytest

from holdfast.store.live import Gap, LiveStore, LiveStoreAway, Message, Patience
from tests.servers import SentinelGroup, sentinel_group
from tests.system.live.conftest import tell

LONG = Patience(wait=20.0, pause=0.01, longest_pause=0.05)


@pytest.fixture
def group() -> Iterator[SentinelGroup]:
    with sentinel_group() as started:
        yield started


def test_the_store_follows_the_primary_that_the_sentinels_choose(group: SentinelGroup) -> None:
    async def story(store: LiveStore) -> None:
        await store.call("SET", "k", "v")
        assert (await store.info()).run_ids == (group.primary.info("server")["run_id"],)
        async with store.subscribe(["c"]) as heard:
            assert await store.call("WAIT", 1, 5000) == 1
            group.primary.kill()
            assert await store.call("GET", "k", repeat=True) == b"v"
            assert await store.call("SET", "k", "w") == b"OK"
            assert (await store.info()).run_ids == (group.replica.info("server")["run_id"],)
            assert isinstance(await anext(heard), Gap)
            await store.call("PUBLISH", "c", "x")
            assert await anext(heard) == Message("c", b"x")

    tell(group.address, story, patience=LONG)


def test_a_primary_that_was_made_a_replica_by_hand_is_left(group: SentinelGroup) -> None:
    """All the while the old primary answers: only the sentinels' word, or its refusal to write, tells."""

    async def story(store: LiveStore) -> None:
        await store.call("SET", "n", 0)
        assert group.sentinels[0].ask("SENTINEL", "FAILOVER", "holdfast") == b"OK"
        chosen = (group.replica.info("server")["run_id"],)
        while (await store.info()).run_ids != chosen:  # noqa: ASYNC110 - nothing announces it
            await asyncio.sleep(0.05)
        assert await store.call("SET", "n", 1) == b"OK"

    tell(group.address, story, patience=LONG)


def test_a_primary_that_hangs_is_left_on_the_sentinels_word(group: SentinelGroup) -> None:
    """Its connections stay open, and our own patience with silence is without end here."""

    async def story(store: LiveStore) -> None:
        await store.call("SET", "k", "v")
        assert await store.call("WAIT", 1, 5000) == 1
        os.kill(group.primary.pid, signal.SIGSTOP)
        try:
            assert await store.call("GET", "k", repeat=True) == b"v"
        finally:
            os.kill(group.primary.pid, signal.SIGCONT)
        assert (await store.info()).run_ids == (group.replica.info("server")["run_id"],)

    tell(group.address, story, patience=Patience(wait=20.0, silence=3600.0, longest_pause=0.05))


def test_one_living_sentinel_is_enough_and_none_or_another_service_is_told(group: SentinelGroup) -> None:
    async def found(store: LiveStore) -> None:
        assert await store.call("PING") == b"PONG"

    async def refused(store: LiveStore) -> None:
        with pytest.raises(LiveStoreAway, match="no sentinel names a primary"):
            await store.call("PING")

    async def unknown(store: LiveStore) -> None:
        with pytest.raises(LiveStoreAway, match="knows no service 'other'"):
            await store.call("PING")

    for sentinel in group.sentinels[:-1]:
        sentinel.kill()
    tell(group.address, found)
    brief = Patience(wait=0.3)
    tell(group.address.replace("/holdfast", "/other"), unknown, patience=brief)
    group.sentinels[-1].kill()
    tell(group.address, refused, patience=brief)
