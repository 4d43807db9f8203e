"""What only a cluster does: slots move, primaries fail, replicas take over, and callers go on."""

import asyncio
from collections.abc import Iterator

import pytest

from holdfast.clock import SystemClock
from holdfast.errors import InvalidError, SettingsError, UnavailableError
from holdfast.store.live import (
    Gap,
    Layout,
    LiveReplyError,
    LiveStore,
    LiveStoreAway,
    Message,
    Patience,
    open_live,
)
from holdfast.store.live.slots import SLOTS, slot
from tests.servers import RunningServer, valkey_cluster
from tests.system.live.conftest import Story, T, tell

LONG = Patience(wait=20.0, pause=0.01, longest_pause=0.05)
HOME = "{a}"


def address(servers: tuple[RunningServer, ...]) -> str:
    return f"redis+cluster://{','.join(f'127.0.0.1:{server.where}' for server in servers)}"


def tell_all(servers: tuple[RunningServer, ...], story: Story[T], patience: Patience = LONG) -> T:
    return tell(address(servers), story, Layout.TAGGED, patience)


def owner(servers: tuple[RunningServer, ...], key: str) -> RunningServer:
    return next(server for server in servers if server.ask("CLUSTER", "COUNTKEYSINSLOT", slot(key)))


@pytest.fixture
def servers(cluster: tuple[RunningServer, ...]) -> tuple[RunningServer, ...]:
    for server in cluster:
        assert server.ask("FLUSHALL") == b"OK"
    return cluster


def move_slot(servers: tuple[RunningServer, ...], key: str) -> Iterator[str]:
    """Take the key's slot elsewhere by hand, a step at each turn."""
    place, source = slot(key), owner(servers, key)
    target = next(server for server in servers if server is not source)
    ids = {server: server.ask("CLUSTER", "MYID") for server in servers}
    assert target.ask("CLUSTER", "SETSLOT", place, "IMPORTING", ids[source]) == b"OK"
    assert source.ask("CLUSTER", "SETSLOT", place, "MIGRATING", ids[target]) == b"OK"
    yield "the slot is on its way, its keys still at the source"
    for name in source.ask("CLUSTER", "GETKEYSINSLOT", place, 1000):
        assert source.ask("MIGRATE", "127.0.0.1", target.where, name, 0, 5000) == b"OK"
    yield "the keys are at the target, the slot is not"
    for server in (target, source, *servers):
        assert server.ask("CLUSTER", "SETSLOT", place, "NODE", ids[target]) == b"OK"
    yield "the slot is at the target"


def test_callers_do_not_notice_that_a_slot_moves(servers: tuple[RunningServer, ...]) -> None:
    async def story(store: LiveStore) -> None:
        counted = 0
        await store.batch([("SET", f"{HOME}:n", 0), ("SET", "{b}:n", 0), ("SET", "{c}:n", 0)])
        packed = b"*2\r\n$4\r\nINCR\r\n$5\r\n{a}:n\r\n*2\r\n$3\r\nGET\r\n$5\r\n{a}:n\r\n"
        for _ in move_slot(servers, HOME):
            assert await store.call("INCR", f"{HOME}:n") == counted + 1
            answers = await store.batch([("INCR", f"{tag}:n") for tag in ("{b}", HOME, "{c}", HOME)])
            assert answers[1:4:2] == [counted + 2, counted + 3]
            assert await store.send(packed, 2, key=HOME) == [counted + 4, b"%d" % (counted + 4)]
            await asyncio.gather(*(store.call("INCR", f"{HOME}:n") for _ in range(50)))
            counted += 54
        assert await store.call("GET", f"{HOME}:n") == b"%d" % counted

    tell_all(servers, story)


def test_a_scan_during_which_slots_move_is_refused_rather_than_incomplete(
    servers: tuple[RunningServer, ...],
) -> None:
    async def story(store: LiveStore) -> None:
        await store.batch([("SET", f"k{n}", 1) for n in range(100)])
        await store.call("SET", HOME, 1)
        scan = store.scan(page=1)
        await anext(scan)
        for _ in move_slot(servers, HOME):
            pass
        await store.call("GET", HOME)
        with pytest.raises(LiveStoreAway, match="scan again"):
            async for _ in scan:
                pass

    tell_all(servers, story)


def test_keys_of_two_slots_in_one_command_are_refused_by_the_store(
    servers: tuple[RunningServer, ...],
) -> None:
    async def story(store: LiveStore) -> None:
        with pytest.raises(LiveReplyError, match="CROSSSLOT"):
            await store.call("MSET", "{a}", 1, "{b}", 2)
        await store.call("MSET", "{a}:1", 1, "{a}:2", 2)
        with pytest.raises(InvalidError, match="needs the key"):
            await store.send(b"*1\r\n$4\r\nPING\r\n", 1)

    tell_all(servers, story)


def test_one_lost_primary_takes_only_its_own_slots_along(servers: tuple[RunningServer, ...]) -> None:
    for server in servers:
        assert server.ask("CONFIG", "SET", "cluster-require-full-coverage", "no") == b"OK"
        assert server.ask("CONFIG", "SET", "appendfsync", "always") == b"OK"

    async def story(store: LiveStore) -> None:
        await store.batch([("SET", f"{{{n}}}", n) for n in range(30)])
        lost = owner(servers, "{0}")
        gone = [n for n in range(30) if lost.ask("CLUSTER", "COUNTKEYSINSLOT", slot(f"{n}"))]
        lost.kill()
        for number in set(range(30)) - set(gone):
            assert await store.call("GET", f"{{{number}}}") == b"%d" % number
        for _ in range(2):
            with pytest.raises(UnavailableError):
                await store.call("GET", "{0}")
        lost.start()
        while True:
            try:
                assert await store.call("GET", "{0}") == b"0"
            except UnavailableError:
                continue
            break

    tell_all(servers, story, Patience(wait=0.3, longest_pause=0.05))


def test_a_replica_that_takes_over_is_found_and_listened_to() -> None:
    with valkey_cluster(replicas=1) as started:
        first, replica = started[0], started[3]
        servers = tuple(started)
        for server in servers:
            assert server.ask("CONFIG", "SET", "notify-keyspace-events", "K$") == b"OK"
        key = next(f"{{{n}}}" for n in range(100) if slot(f"{n}") < SLOTS // 3)

        async def story(store: LiveStore) -> None:
            await store.call("SET", key, "v")
            assert await asyncio.to_thread(first.ask, "WAIT", 1, 5000) is not None
            async with store.subscribe(patterns=["__keyspace@0__:*"]) as heard:
                first.kill()
                assert await store.call("GET", key, repeat=True) == b"v"
                assert (await store.info()).servers[0].role == "primary"
                gaps = [await anext(heard), await anext(heard)]
                assert all(isinstance(gap, Gap) for gap in gaps)
                await store.call("SET", key, "w")
                assert await anext(heard) == Message(f"__keyspace@0__:{key}", b"set", "__keyspace@0__:*")
                assert replica.info("replication")["role"] == "master"

        tell_all(servers, story)


def test_a_cluster_wants_the_tagged_layout() -> None:
    with pytest.raises(SettingsError, match="tagged"):
        open_live("redis+cluster://127.0.0.1:1", clock=SystemClock())
