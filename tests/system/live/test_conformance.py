"""What `LiveStore` promises, asked of every installation in every layout that it can have."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from holdfast.store.live import (
    Command,
    Function,
    Gap,
    KeyName,
    Layout,
    Library,
    LiveReplyError,
    LiveStore,
    LiveStoreAway,
    LiveStoreUnready,
    Message,
    replies,
)
from tests.servers import wait_for
from tests.system.live.conftest import Place

ACTIVE = KeyName("t:u:{user_id}:active", "set", "uploads the user seeds or fetches", owner="user_id")
TOTALS = KeyName("t:u:{user_id}", "hash", "totals", owner="user_id")

STEPS = Library(
    "steps",
    """
    local function join(keys, args)
        redis.call('SADD', keys[1], args[1])
        return redis.call('HINCRBY', keys[2], 'joined', 1)
    end
    register('join', join)
    register('joined', function(keys) return redis.call('HGET', keys[1], 'joined') end, 'no-writes')
    register('fail', function() return redis.error_reply('ERR as told') end)
    """,
)


def test_a_call_answers_what_the_store_says(place: Place) -> None:
    async def story(store: LiveStore) -> None:
        replies.done(await store.call("SET", "k", "v"))
        assert replies.text(await store.call("GET", "k")) == "v"
        assert replies.text_or_none(await store.call("GET", "none")) is None
        assert replies.integer(await store.call("INCRBY", "n", 41)) == 41
        assert replies.number(await store.call("INCRBYFLOAT", "f", 0.5)) == 0.5
        assert replies.integer(await store.call("HSET", "h", "a", 1, "b", "two")) == 2
        assert replies.mapping(await store.call("HGETALL", "h")) == {"a": "1", "b": "two"}
        assert replies.scores(await store.call("ZRANGE", "z", 0, -1, "WITHSCORES")) == []
        assert replies.flag(await store.call("SISMEMBER", "s", "m")) is False

    place.tell(story)


def test_bytes_go_in_and_come_out_as_they_are(place: Place) -> None:
    every = bytes(range(256)) + b"\r\n$3\r\n"

    async def story(store: LiveStore) -> None:
        await store.call("SET", every, every)
        assert await store.call("GET", every) == every
        assert [key.encode("utf-8", "surrogateescape") async for key in store.scan()] == [every]
        await store.call("SET", "", "the empty key")
        assert await store.call("GET", "") == b"the empty key"

    place.tell(story)


def test_a_command_of_the_wrong_type_raises_with_the_stores_own_words(place: Place) -> None:
    async def story(store: LiveStore) -> None:
        await store.call("SET", "k", "v")
        with pytest.raises(LiveReplyError, match="WRONGTYPE") as refused:
            await store.call("LPUSH", "k", "x")
        assert refused.value.code == "WRONGTYPE"
        with pytest.raises(LiveReplyError, match="unknown command"):
            await store.call("NOSUCHCOMMAND", "k")

    place.tell(story)


def test_a_batch_keeps_its_order_and_an_error_spoils_no_neighbour(place: Place) -> None:
    async def story(store: LiveStore) -> None:
        commands: list[Command] = [("SET", f"k{n}", n) for n in range(50)]
        commands[25:25] = [("LPUSH", "k0", "x")]
        answers = await store.batch([*commands, *[("GET", f"k{n}") for n in range(50)]])
        assert isinstance(answers[25], LiveReplyError)
        assert answers[:25] + answers[26:51] == [b"OK"] * 50
        assert replies.texts(answers[51:]) == [str(n) for n in range(50)]
        with pytest.raises(LiveReplyError, match="WRONGTYPE"):
            replies.all_done(answers)
        assert await store.batch([]) == []

    place.tell(story)


def test_a_batch_costs_one_write_per_server(place: Place) -> None:
    async def story(store: LiveStore) -> int:
        await store.batch([("GET", f"k{n}") for n in range(300)])
        before = store.traffic.writes
        await store.batch([("GET", f"k{n}") for n in range(300)])
        return store.traffic.writes - before

    assert place.tell(story) == len(place.servers)


def test_a_thousand_callers_share_one_write_per_server(place: Place) -> None:
    async def story(store: LiveStore) -> None:
        await asyncio.gather(*(store.call("GET", f"k{n}") for n in range(300)))
        writes, reads = store.traffic.writes, place.total("stats", "total_reads_processed")
        counts = await asyncio.gather(*(store.call("INCR", f"k{n % 100}") for n in range(1000)))
        assert store.traffic.writes - writes == len(place.servers)
        assert place.total("stats", "total_reads_processed") - reads <= 12 * len(place.servers)
        assert sorted(replies.integers(counts)) == [n for n in range(1, 11) for _ in range(100)]

    place.tell(story)


def test_commands_in_wire_form_are_sent_as_they_are(place: Place) -> None:
    packed = b"*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$1\r\nv\r\n"
    packed += b"*2\r\n$3\r\nGET\r\n$1\r\nk\r\n*2\r\n$4\r\nLLEN\r\n$1\r\nk\r\n"

    async def story(store: LiveStore) -> None:
        for _ in range(2):
            done, value, refused = await store.send(packed, 3, key="k")
            assert (done, value) == (b"OK", b"v")
            assert isinstance(refused, LiveReplyError)
        assert await store.send(b"", 0, key="k") == []

    place.tell(story)


def test_a_cancelled_caller_shifts_nobodys_answer(place: Place) -> None:
    async def story(store: LiveStore) -> None:
        await store.batch([("SET", f"k{n}", n) for n in range(400)])
        for delay in range(4):
            tasks = [asyncio.ensure_future(store.call("GET", f"k{n}")) for n in range(400)]
            for _ in range(delay):
                await asyncio.sleep(0)
            for task in tasks[::3]:
                task.cancel()
            answers = await asyncio.gather(*tasks, return_exceptions=True)
            for number, answer in enumerate(answers):
                if not isinstance(answer, asyncio.CancelledError):
                    assert answer == str(number).encode()
        assert await store.call("GET", "k7") == b"7"

    place.tell(story)


def test_a_huge_answer_and_a_huge_question_pass(place: Place) -> None:
    huge = b"\x00\r\n" * 8_000_000

    async def story(store: LiveStore) -> None:
        await store.call("SET", "huge", huge)
        after = asyncio.ensure_future(store.call("PING"))
        assert await store.call("GET", "huge") == huge
        assert await after == b"PONG"
        await store.call("RPUSH", "many", *range(200_000))
        assert await store.call("LRANGE", "many", 0, -1) == [b"%d" % n for n in range(200_000)]

    place.tell(story)


def test_a_function_is_one_atomic_step_and_brought_where_it_is_missing(place: Place) -> None:
    async def story(store: LiveStore) -> None:
        join, joined, fail = (STEPS.function(name) for name in ("join", "joined", "fail"))
        keys = [ACTIVE.name(store.layout, user_id=7), TOTALS.name(store.layout, user_id=7)]
        assert replies.integer(await store.function(join, keys, [101])) == 1
        for server in place.servers:
            assert server.ask("FUNCTION", "FLUSH") == b"OK"
        assert replies.integer(await store.function(join, keys, [102])) == 2
        assert replies.text(await store.function(joined, [keys[1]])) == "2"
        with pytest.raises(LiveReplyError, match="as told"):
            await store.function(fail, [keys[0]])
        assert sorted(replies.integers(await store.call("SMEMBERS", keys[0]))) == [101, 102]

    place.tell(story)


def test_two_versions_of_a_library_serve_side_by_side(place: Place) -> None:
    old, new = (
        Library("steps", f"register('which', function() return '{word}' end)").function("which")
        for word in ("old", "new")
    )

    async def story(store: LiveStore) -> None:
        async def say(step: Function) -> str:
            return replies.text(await store.function(step, [f"k{step.full_name}"]))

        assert [await say(old), await say(new), await say(old)] == ["old", "new", "old"]
        said = await asyncio.gather(*(say(step) for step in (old, new) * 50))
        assert said == ["old", "new"] * 50

    place.tell(story)


def test_many_callers_may_bring_the_same_library_at_once(place: Place) -> None:
    join = STEPS.function("join")

    async def story(store: LiveStore) -> None:
        def keys(user: int) -> list[str]:
            return [ACTIVE.name(store.layout, user_id=user), TOTALS.name(store.layout, user_id=user)]

        answers = await asyncio.gather(*(store.function(join, keys(user), [user]) for user in range(64)))
        assert answers == [1] * 64

    place.tell(story)


def test_lua_that_does_not_compile_is_refused_with_its_line_plus_one(place: Place) -> None:
    broken = Library("broken", "local x = 1\nlocal y = = 2\nregister('x', x)").function("x")

    async def story(store: LiveStore) -> None:
        with pytest.raises(LiveReplyError, match=":3:"):
            await store.function(broken, ["k"])

    place.tell(story)


def test_published_messages_arrive_once_and_in_order(place: Place) -> None:
    async def story(store: LiveStore) -> None:
        async with store.subscribe(["news"], ["t:pub:*"]) as heard:
            for number in range(100):
                await store.call("PUBLISH", "news", number)
            await store.call("PUBLISH", "t:pub:user", b"\xff")
            messages = [await anext(heard) for _ in range(101)]
        assert messages[:-1] == [Message("news", b"%d" % number) for number in range(100)]
        assert messages[-1] == Message("t:pub:user", b"\xff", "t:pub:*")

    place.tell(story)


def test_keys_that_change_are_heard_from_every_server(place: Place) -> None:
    async def story(store: LiveStore) -> None:
        async with store.subscribe(patterns=["__keyspace@0__:t:*"]) as heard:
            await store.batch([("SET", f"t:{n}", 1) for n in range(30)])
            await store.batch([("SET", f"other:{n}", 1) for n in range(30)])
            channels = [await _channel(heard) for _ in range(30)]
        assert sorted(channels) == sorted(f"__keyspace@0__:t:{n}" for n in range(30))

    place.tell(story)


async def _channel(heard: AsyncIterator[Message | Gap]) -> str:
    message = await anext(heard)
    assert isinstance(message, Message)
    return message.channel


def test_a_slow_listener_is_told_how_much_he_missed_and_slows_nobody(place: Place) -> None:
    async def story(store: LiveStore) -> None:
        async with store.subscribe(["flood"], limit=10) as heard, store.subscribe(["flood"]) as prompt:
            await store.batch([("PUBLISH", "flood", n) for n in range(1000)])
            for _ in range(1000):
                await anext(prompt)
            await store.call("PUBLISH", "flood", "last")
            while (message := await anext(prompt)) != Message("flood", b"last"):
                raise AssertionError(message)
            gap = await anext(heard)
            assert isinstance(gap, Gap)
            assert "99" in gap.reason
            rest = [await anext(heard) for _ in range(10)]
            assert isinstance(rest[0], Message)
            assert int(rest[0].data) >= 990

    place.tell(story)


def test_leaving_a_subscription_leaves_no_connection_behind(place: Place) -> None:
    async def story(store: LiveStore) -> None:
        await store.batch([("GET", f"k{n}") for n in range(100)])
        before = place.total("clients", "connected_clients")
        for _ in range(3):
            with pytest.raises(ZeroDivisionError):
                async with store.subscribe(["c"], ["__keyspace@0__:*"]):
                    raise ZeroDivisionError
        await asyncio.to_thread(wait_for, lambda: place.total("clients", "connected_clients") <= before)

    place.tell(story)


def test_a_scan_finds_every_key_on_every_server(place: Place) -> None:
    names = {ACTIVE.name(place.layout, user_id=user) for user in range(3000)}

    async def story(store: LiveStore) -> None:
        await store.batch([("SADD", name, 1) for name in names])
        await store.batch([("SET", f"other:{n}", 1) for n in range(100)])
        found = {key async for key in store.scan(ACTIVE.glob(store.layout), page=100)}
        assert found == names
        one = {key async for key in store.scan(ACTIVE.glob(store.layout, user_id=8))}
        assert one == {ACTIVE.name(store.layout, user_id=8)}

    place.tell(story)


def test_the_store_tells_how_it_is(place: Place) -> None:
    async def story(store: LiveStore) -> None:
        health = await store.info()
        assert len(health.run_ids) == len(place.servers)
        assert set(health.run_ids) == {server.info("server")["run_id"] for server in place.servers}
        assert health.version.split(".")[0] in {"7", "9"}
        assert {server.role for server in health.servers} == {"primary"}
        assert health.used_memory > 100_000
        assert {frozenset(server.notifications or "") for server in health.servers} == {frozenset("Kx$g")}

    place.tell(story)


def test_a_full_store_says_so_and_still_answers_reads(place: Place) -> None:
    async def story(store: LiveStore) -> None:
        await store.call("SET", "k", "v")
        for server in place.servers:
            server.ask("CONFIG", "SET", "maxmemory", 1)
        try:
            with pytest.raises(LiveStoreUnready, match="full"):
                await store.call("SET", "k", "w")
            assert await store.call("GET", "k") == b"v"
        finally:
            for server in place.servers:
                server.ask("CONFIG", "SET", "maxmemory", 0)
        await store.call("SET", "k", "w")

    place.tell(story)


def test_the_owners_keys_are_named_as_the_layout_says(place: Place) -> None:
    expected = {Layout.CLASSIC: "t:u:7:active", Layout.TAGGED: "t:u:{7}:active"}

    async def story(store: LiveStore) -> None:
        await store.call("SADD", ACTIVE.name(store.layout, user_id=7), 1)
        assert [key async for key in store.scan()] == [expected[store.layout]]

    place.tell(story)


def test_a_store_that_was_closed_says_so(place: Place) -> None:
    async def story(store: LiveStore) -> None:
        async with store.subscribe(["c"]) as heard:
            await store.close()
            with pytest.raises(LiveStoreAway, match="closed"):
                await anext(heard)
        with pytest.raises(LiveStoreAway, match="closed"):
            await store.call("GET", "k")

    place.tell(story)
