"""The live store follows the records whatever is killed, flushed, late or twice."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator
from typing import Any, TypeVar

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from holdfast.catalogue.model import Freeleech, Member
from holdfast.catalogue.service.catalogue import Catalogue
from holdfast.catalogue.service.follow import AT_ONCE, TELL_REMOVED, Follower, keep_following, rebuilt
from holdfast.catalogue.store import announce_keys, freeleech, members, uploads, whitelist
from holdfast.clock import SystemClock
from holdfast.errors import UnavailableError
from holdfast.store.live import Layout, LiveReplyError, LiveStore
from holdfast.store.records import outbox
from tests.catalogue.ground import HYBRID, OPERATOR, V2, Ground
from tests.clocks import StillClock
from tests.servers import RunningServer, embedded_valkey
from tests.system.catalogue.mirrored import Stepped, held, live_store, told, wanted

T = TypeVar("T")
Story = Callable[[LiveStore], Awaitable[T]]
PATIENCE = 20.0


@pytest.fixture(params=Layout)
def layout(request: pytest.FixtureRequest) -> Layout:
    return Layout(request.param)


@pytest.fixture
def own_server() -> Iterator[RunningServer]:
    """A live store that a test may kill."""
    with embedded_valkey() as server:
        yield server


@pytest.fixture
def clock() -> StillClock:
    """The live store has a clock of its own, by which it forgets what was removed long ago."""
    return StillClock(float(int(time.time())))


def run(server: RunningServer, story: Story[T], layout: Layout = Layout.CLASSIC) -> T:
    async def told_on() -> T:
        async with live_store(server.address, layout) as live:
            return await story(live)

    return asyncio.run(told_on())


def a_bit_of_everything(ground: Ground) -> None:
    """Members, uploads and clients, some of them changed and gone again."""
    mark = ground.ask(members.count)
    ann = ground.member(f"ann-{mark}")
    bob = ground.member(f"bob-{mark}")
    ground.change(members.change, bob.id, enabled=False, may_leech=False)
    ground.change(members.change, ann.id, multi_up=1.5, multi_down=0.0, reason="a founder")
    ground.change(members.rotate, ann.id)
    film = ground.upload(ann, f"film-{mark}", HYBRID)
    ground.change(uploads.change, film.id, multi_down=0.25, reason="large")
    gone = ground.upload(ann, f"fake-{mark}", V2)
    for one in (film, gone):
        ground.change(announce_keys.make, bob, one)
    ground.change(uploads.remove, gone.id, "a fake")
    ground.change(whitelist.put, f"-A{mark}", "one client")
    ground.change(whitelist.put, f"-B{mark}", "another")
    ground.change(whitelist.remove, f"-A{mark}")
    begin_freeleech(ground)
    begin_freeleech(ground, after=3600.0)
    ended = begin_freeleech(ground)
    ground.change(freeleech.end, ended.id)


def begin_freeleech(ground: Ground, *, after: float = 0.0) -> Freeleech:
    starts = ground.clock.now() + after
    return ground.change(
        freeleech.add, starts=starts, ends=starts + 60, multi_up=2.0, multi_down=0.0, reason="New year"
    )


def test_what_a_site_wrote_itself_outlives_every_rebuilding(
    ground: Ground, live_server: RunningServer, layout: Layout
) -> None:
    a_bit_of_everything(ground)
    t = "{t}" if layout is Layout.TAGGED else "t"
    own = {
        f"{t}:user:{'z' * 32}": ("HSET", "user_id", "501"),
        f"{t}:info_hash:{'7' * 40}": ("SET", "70"),
        f"{t}:x:ih:70": ("SET", "7" * 40),
        f"{t}:t:{'7' * 40}": ("HSET", "multi_dn", "0"),
        f"{t}:x:gone:{'8' * 40}": ("SET", "Unregistered torrent"),
        f"{t}:x:tokens:70": ("SADD", "501"),
        f"{t}:x:pace": ("HSET", "interval", "1200"),
        f"{t}:whitelist": ("HSET", "-zz", "the site's"),
    }

    async def story(live: LiveStore) -> None:
        for key, (command, *said) in own.items():
            await live.call(command, key, *said)
        before = await live.batch([("DUMP", key) for key in own if "whitelist" not in key])
        follower = Follower(ground.records, live)
        await follower.follow()
        await follower.rebuild()
        assert await live.batch([("DUMP", key) for key in own if "whitelist" not in key]) == before
        assert await live.call("HGET", f"{t}:whitelist", "-zz") == b"the site's"

    run(live_server, story, layout)


def test_the_live_store_holds_what_the_records_say_and_nothing_else(
    ground: Ground, live_server: RunningServer, layout: Layout
) -> None:
    a_bit_of_everything(ground)
    events = {(row.id, row.key) for row in ground.ask(outbox.oldest, 1000) if row.kind == "event"}

    async def story(live: LiveStore) -> None:
        followed = await Follower(ground.records, live).follow()
        assert followed > 0
        assert await held(live) == wanted(ground.records)
        assert set(await told(live)) == events
        assert ground.ask(outbox.waiting) == (0, None)
        assert await Follower(ground.records, live).follow() == 0

    run(live_server, story, layout)
    found = wanted(ground.records)
    assert sum(key.startswith("t:user:") for key in found) == 3
    assert sum(key.startswith("t:info_hash:") for key in found) == 2
    assert sum(key.startswith("t:x:gone:") for key in found) == 1
    assert found["t:whitelist"] == {"-B0": "another"}
    assert len(found["t:x:windows"]) == 2
    users = [fields for key, fields in found.items() if key.startswith("t:user:")]
    assert sorted(fields.get("multi_up", "1") for fields in users) == ["1", "1", "1.5"]
    assert ["passkey", "torrent_id"] in [sorted(fields) for fields in users]
    assert [fields for key, fields in found.items() if key.startswith("t:t:")] == [{"multi_dn": "0.25"}]


def test_a_change_of_any_kind_is_followed(ground: Ground, live_server: RunningServer) -> None:
    ann, key = ground.change(members.add, name="ann")
    one = ground.upload(ann, "film.mkv")
    announced = f"t:info_hash:{one.info_hash_v1}"

    async def story(live: LiveStore) -> None:
        follower = Follower(ground.records, live)

        async def after(*change: Any, **named: Any) -> dict[str, Any]:
            ground.change(*change, **named)
            await follower.follow()
            return await held(live)

        user = f"t:user:{key}"
        assert (await after(members.change, "ann", enabled=False))[user]["enabled"] == "0"
        assert (await after(members.change, "ann", enabled=True, may_leech=False))[user] == {
            "user_id": str(ann.id),
            "enabled": "1",
            "can_leech": "0",
        }
        shared = await after(members.change, "ann", multi_up=0.07, multi_down=8.0, reason="why")
        assert shared[user].items() >= {"multi_up": "0.07", "multi_dn": "8"}.items()
        whole = await after(members.change, "ann", multi_up=1.0, multi_down=1.0, reason="why")
        assert not {"multi_up", "multi_dn"} & whole[user].keys()
        torrent = f"t:t:{one.info_hash_v1}"
        shared = await after(uploads.change, one.id, multi_down=0.0, reason="why")
        assert shared[torrent] == {"multi_dn": "0"}
        assert torrent not in await after(uploads.change, one.id, multi_down=1.0, reason="why")
        now = int(ground.clock.now())
        begin_freeleech(ground)
        assert (await after(whitelist.put, "-XX1", "x"))["t:x:windows"] == {"1": f"{now} {now + 60} 2 0"}
        assert (await after(freeleech.end, 1))["t:x:windows"] == {}
        await after(uploads.change, one.id, multi_down=0.0, reason="why")
        assert (await held(live))[announced] == str(one.id)
        removed = await after(uploads.remove, one.id, "a fake")
        assert announced not in removed
        until = int(ground.clock.now() + TELL_REMOVED)
        assert removed[f"t:x:gone:{one.info_hash_v1}"] == ("a fake", until)
        assert torrent not in removed
        assert user not in await after(members.rotate, "ann")
        await after(whitelist.remove, "-XX1")
        assert (await after(whitelist.put, "-TR4", "x"))["t:whitelist"] == {"-TR4": "x"}
        assert (await after(whitelist.put, "-TR4", "y"))["t:whitelist"] == {"-TR4": "y"}
        assert (await after(whitelist.remove, "-TR4"))["t:whitelist"] == {}

    run(live_server, story)


def test_why_an_upload_was_removed_is_told_by_both_its_hashes_and_for_a_while(
    ground: Ground, live_server: RunningServer, layout: Layout
) -> None:
    one = ground.upload(ground.member("ann"), "film.mkv", HYBRID)
    gone = [f"t:x:gone:{(whole or '')[:40]}" for whole in (one.info_hash_v1, one.info_hash_v2)]
    ground.change(uploads.remove, one.id, "a fake")

    async def story(live: LiveStore) -> None:
        for tell_removed in (TELL_REMOVED, 2 * TELL_REMOVED):
            follower = Follower(ground.records, live, tell_removed)
            await follower.rebuild()
            found = await held(live)
            assert [found[key] for key in gone] == [("a fake", int(ground.clock.now() + tell_removed))] * 2
        await Follower(ground.records, live, tell_removed=0.0).rebuild()
        assert not [key for key in await held(live) if key in gone]

    run(live_server, story, layout)


def test_an_upload_that_a_backup_brought_back_is_no_longer_called_removed(
    ground: Ground, live_server: RunningServer
) -> None:
    one = ground.upload(ground.member("ann"), "film.mkv")

    async def story(live: LiveStore) -> None:
        await live.call("SET", f"t:x:gone:{one.info_hash_v1}", "a fake")
        await Follower(ground.records, live).rebuild()
        assert await held(live) == wanted(ground.records)

    run(live_server, story)


def test_more_than_one_pass_holds_is_followed_in_several(ground: Ground, live_server: RunningServer) -> None:
    count = AT_ONCE + 100
    for n in range(3):
        ground.member(f"member-{n}")
    keys = [row.key for row in ground.behind()]
    ground.do(outbox.note, 1.0, "", [("passkey", keys[n % 3]) for n in range(count)])

    async def story(live: LiveStore) -> None:
        assert await Follower(ground.records, live).follow() >= count
        assert await held(live) == wanted(ground.records)

    run(live_server, story)


def test_whoever_asks_while_a_pass_runs_is_answered_by_the_next(
    ground: Ground, live_server: RunningServer
) -> None:
    """Fifty who committed share few passes, and each finds his own change in the live store."""

    async def story(live: LiveStore) -> int:
        before = live.traffic.commands
        catalogue = Catalogue(ground.records, Follower(ground.records, live), SystemClock(), "", 0, True)

        async def add(number: int) -> None:
            _, key = await catalogue.change(
                lambda tx, now: members.add(tx, now, OPERATOR, name=f"member-{number}")
            )
            assert await live.call("EXISTS", f"t:user:{key}") == 1

        await asyncio.gather(*map(add, range(50)))
        assert await held(live) == wanted(ground.records)
        return live.traffic.commands - before

    run(live_server, story)


def test_a_door_answers_though_the_live_store_is_away_and_all_is_caught_up_later(
    ground: Ground, own_server: RunningServer
) -> None:
    async def story(live: LiveStore) -> None:
        follower = Follower(ground.records, live)
        catalogue = Catalogue(ground.records, follower, SystemClock(), "", 0, True)
        await live.call("PING")
        own_server.kill()
        added, _ = await catalogue.change(lambda tx, now: members.add(tx, now, OPERATOR, name="ann"))
        assert ground.ask(members.get, "ann") == added
        assert ground.ask(outbox.waiting)[0] > 0
        with pytest.raises(UnavailableError):
            await follower.follow()
        own_server.start()
        await follower.follow()
        assert await held(live) == wanted(ground.records)

    run(own_server, story)


async def until(condition: Callable[[], Awaitable[bool]]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not await condition():  # noqa: ASYNC110 - the store cannot tell us when it agrees
            await asyncio.sleep(0.01)


class Following:
    """The catalogue's own loop, running beside a story."""

    def __init__(self, ground: Ground, live: LiveStore, sweep: float) -> None:
        self._ground = ground
        self._live = live
        follower = Follower(ground.records, live)
        self.task = asyncio.create_task(keep_following(follower, live, sweep))

    async def caught_up(self) -> None:
        async def agree() -> bool:
            assert not self.task.done(), self.task
            try:
                return await held(self._live) == wanted(self._ground.records)
            except UnavailableError:
                return False

        await until(agree)

    async def stop(self) -> None:
        self.task.cancel()
        async with asyncio.timeout(PATIENCE):
            await asyncio.wait([self.task])
        assert self.task.cancelled()


def test_a_sweep_finds_what_nobody_nudged_for(ground: Ground, live_server: RunningServer) -> None:
    async def story(live: LiveStore) -> None:
        following = Following(ground, live, sweep=0.02)
        for _ in range(3):
            a_bit_of_everything(ground)
            await following.caught_up()
        await following.stop()

    run(live_server, story)


def test_a_nudge_is_heard_long_before_the_next_sweep(ground: Ground, live_server: RunningServer) -> None:
    async def story(live: LiveStore) -> None:
        following = Following(ground, live, sweep=3600.0)

        async def heard() -> bool:
            return await live.call("PUBLISH", "hf:outbox", "") == 1

        await until(heard)
        a_bit_of_everything(ground)
        await live.call("PUBLISH", "hf:outbox", "")
        await following.caught_up()
        await following.stop()

    run(live_server, story)


def test_a_store_that_was_away_is_caught_up_by_itself(ground: Ground, own_server: RunningServer) -> None:
    async def story(live: LiveStore) -> None:
        following = Following(ground, live, sweep=0.02)
        a_bit_of_everything(ground)
        await following.caught_up()
        own_server.kill()
        a_bit_of_everything(ground)
        await asyncio.sleep(0.5)
        assert not following.task.done()
        own_server.start()
        await following.caught_up()
        await following.stop()

    run(own_server, story)


def test_a_store_that_is_away_at_the_start_is_waited_for(ground: Ground, own_server: RunningServer) -> None:
    async def story(live: LiveStore) -> None:
        own_server.kill()
        a_bit_of_everything(ground)
        following = Following(ground, live, sweep=0.02)
        await asyncio.sleep(0.7)
        assert not following.task.done()
        own_server.start()
        await following.caught_up()
        await following.stop()

    run(own_server, story)


def test_a_store_that_forgot_all_is_filled_again_by_itself(ground: Ground, own_server: RunningServer) -> None:
    """As after a crash that lost its file, or a failover to a replica that had nothing yet."""

    async def story(live: LiveStore) -> None:
        following = Following(ground, live, sweep=0.02)
        a_bit_of_everything(ground)
        await following.caught_up()
        assert own_server.ask("FLUSHALL") == b"OK"
        own_server.kill()
        own_server.start()
        await following.caught_up()
        await following.stop()

    run(own_server, story)


def test_a_key_of_the_wrong_kind_stops_neither_the_doors_nor_the_loop(
    ground: Ground, live_server: RunningServer
) -> None:
    """Somebody else's hand in the store is told, and all other keys are kept up."""
    ann, key = ground.change(members.add, name="ann")
    live_server.ask("SET", f"t:user:{key}", "nonsense")

    async def story(live: LiveStore) -> None:
        with pytest.raises(LiveReplyError, match="WRONGTYPE"):
            await Follower(ground.records, live).follow()
        await Follower(ground.records, live).follow_soon()
        following = Following(ground, live, sweep=0.02)
        one = ground.upload(ann, "film.mkv")

        async def there() -> bool:
            return await live.call("GET", f"t:info_hash:{one.info_hash_v1}") == str(one.id).encode()

        await until(there)
        assert not following.task.done()
        live_server.ask("DEL", f"t:user:{key}")
        await following.caught_up()
        await following.stop()

    run(live_server, story)


def test_a_flushed_store_is_rebuilt_and_nothing_foreign_is_touched(
    ground: Ground, live_server: RunningServer, layout: Layout
) -> None:
    a_bit_of_everything(ground)

    async def story(live: LiveStore) -> None:
        await Follower(ground.records, live).follow()
        await live.call("FLUSHALL")
        foreign = {"t:u:1:active": b"1", "other:key": b"2", "t:user": b"3", "hf:other": b"4"}
        for name, value in foreign.items():
            await live.call("SET", name, value)
        await Follower(ground.records, live).rebuild()
        assert await held(live) == wanted(ground.records)
        for name, value in foreign.items():
            assert await live.call("GET", name) == value

    run(live_server, story, layout)


def test_a_retired_passkey_never_comes_back_even_from_a_backup(
    ground: Ground, live_server: RunningServer
) -> None:
    ann, first = ground.change(members.add, name="ann")
    one = ground.upload(ann, "film.mkv")
    ground.change(whitelist.put, "-TR4", "x")

    async def story(live: LiveStore) -> None:
        await Follower(ground.records, live).follow()
        backup = await held(live)
        second = ground.change(members.rotate, "ann")
        ground.change(uploads.remove, one.id, "a fake")
        ground.change(whitelist.remove, "-TR4")
        await Follower(ground.records, live).follow()
        await live.call("HSET", f"t:user:{first}", *_flat(backup[f"t:user:{first}"]))
        await live.call("SET", f"t:info_hash:{one.info_hash_v1}", one.id)
        await live.call("HSET", "t:whitelist", "-TR4", "x")
        await Follower(ground.records, live).rebuild()
        found = await held(live)
        assert found == wanted(ground.records)
        assert [key for key in found if key.startswith("t:user:")] == [f"t:user:{second}"]

    run(live_server, story)


def _flat(fields: dict[str, str]) -> list[str]:
    return [word for pair in fields.items() for word in pair]


@pytest.mark.parametrize("work", ["follow", "rebuild"])
def test_one_that_is_killed_at_any_step_leaves_what_the_next_sweep_mends(
    ground: Ground, live_server: RunningServer, layout: Layout, work: str
) -> None:
    async def story(live: LiveStore) -> None:
        step = 0
        while True:
            a_bit_of_everything(ground)
            events = {(row.id, row.key) for row in ground.ask(outbox.oldest, 1000) if row.kind == "event"}
            killed = Stepped(ground.records, live, work)
            await killed.steps(step)
            completed = killed.done
            await killed.kill()
            await Follower(ground.records, live).follow()
            assert await held(live) == wanted(ground.records)
            assert events <= set(await told(live))
            assert ground.ask(outbox.waiting) == (0, None)
            if completed:
                assert step >= 5
                return
            step += 1

    run(live_server, story, layout)


def test_a_rebuild_that_is_overtaken_looks_again(ground: Ground, live_server: RunningServer) -> None:
    async def story(live: LiveStore) -> None:
        step = 0
        completed = False
        while not completed:
            ann = ground.member(f"ann-{step}")
            await Follower(ground.records, live).follow()
            slow = Stepped(ground.records, live, "rebuild")
            await slow.steps(step)
            completed = slow.done
            ground.change(members.rotate, ann.id)
            await Follower(ground.records, live).follow()
            await slow.finish()
            assert await held(live) == wanted(ground.records)
            step += 1

    run(live_server, story)


async def overtaken(ground: Ground, live: LiveStore) -> Stepped:
    """A slow follower that has looked, and another that has meanwhile followed a change and settled it."""
    ground.change(members.add, name="ann")
    slow = Stepped(ground.records, live)
    await slow.steps(2)  # it has read the outbox and the truth, and is about to write
    ground.change(members.rotate, "ann")
    await Follower(ground.records, live).follow()
    return slow


def test_a_slow_follower_mends_what_it_wrote_too_late(ground: Ground, live_server: RunningServer) -> None:
    async def story(live: LiveStore) -> None:
        slow = await overtaken(ground, live)
        await slow.finish()
        await Follower(ground.records, live).follow()
        assert await held(live) == wanted(ground.records)

    run(live_server, story)


def test_a_slow_follower_killed_after_its_late_write_is_mended_by_its_successor(
    ground: Ground, live_server: RunningServer
) -> None:
    """Nothing in the outbox tells of such a write, so every process with a follower rebuilds as it starts."""

    async def story(live: LiveStore) -> None:
        slow = await overtaken(ground, live)
        await slow.go()
        await slow.go()
        await slow.kill()
        assert await held(live) != wanted(ground.records)
        await rebuilt(Follower(ground.records, live))
        assert await held(live) == wanted(ground.records)

    run(live_server, story)


def change(ground: Ground, mark: str, what: int, which: int) -> None:
    """One of ten changes to one of three things."""
    name = f"{mark}-{which}"
    there = ground.ask(members.listing, q=name).items
    if there:
        CHANGES[what](ground, there[0], which)
    else:
        ground.member(name)


def share_or_remove(ground: Ground, one: Member, _: int) -> None:
    found = ground.ask(uploads.listing, uploader_id=one.id).items
    if found:
        ground.change(uploads.remove, found[0].id, "a fake")
    else:
        ground.clock.pass_by(1)
        ground.upload(one, f"{one.name} {ground.clock.now()}", HYBRID)


def change_share_of_uploads(ground: Ground, one: Member, _: int) -> None:
    for film in ground.ask(uploads.listing, uploader_id=one.id).items:
        ground.change(uploads.change, film.id, multi_down=1.5 - film.multi_down, reason="why")


def fetch_keys(ground: Ground, one: Member, _: int) -> None:
    for film in ground.ask(uploads.listing).items[:2]:
        ground.change(announce_keys.make, one, film)


def list_client(ground: Ground, _: Member, which: int) -> None:
    ground.change(whitelist.put, f"-{which}", f"client {ground.clock.now()}")


def strike_client(ground: Ground, _: Member, which: int) -> None:
    if any(listed.prefix == f"-{which}" for listed in ground.ask(whitelist.listing).items):
        ground.change(whitelist.remove, f"-{which}")


def begin_or_end_freeleech(ground: Ground, _: Member, which: int) -> None:
    if which == 0:
        begin_freeleech(ground)
    for window in ground.ask(freeleech.listing, now=ground.clock.now()).items[:which]:
        ground.change(freeleech.end, window.id)


CHANGES: tuple[Callable[[Ground, Member, int], object], ...] = (
    lambda ground, one, _: ground.change(members.change, one.id, enabled=not one.enabled),
    lambda ground, one, _: ground.change(members.change, one.id, may_leech=not one.may_leech),
    lambda ground, one, _: ground.change(members.rotate, one.id),
    share_or_remove,
    list_client,
    strike_client,
    lambda ground, one, _: ground.change(
        members.change, one.id, multi_down=1.5 - one.multi_down, reason="why"
    ),
    change_share_of_uploads,
    begin_or_end_freeleech,
    fetch_keys,
)


ACTS = st.one_of(
    st.tuples(st.just("change"), st.integers(0, len(CHANGES) - 1), st.integers(0, 2)),
    st.tuples(st.just("go"), st.integers(0, 1), st.integers(1, 6)),
)
KILLS = st.tuples(st.just("kill"), st.integers(0, 1), st.just(0))


async def live_through(ground: Ground, live: LiveStore, plan: list[tuple[str, int, int]]) -> None:
    """Changes, and two followers in steps between them; then one sweep has to do, by whoever comes after.

    A successor rebuilds as it starts; where one follower alone was at work, the sweep does without.
    """
    await live.call("FLUSHALL")
    ground.forget_outbox()
    await Follower(ground.records, live).rebuild()
    mark = f"m{ground.ask(members.count)}"
    followers: list[Stepped | None] = [None, None]
    events: set[tuple[int, str]] = set()
    for what, one, other in plan:
        match what:
            case "change":
                change(ground, mark, one, other)
                events |= {
                    (row.id, row.key) for row in ground.ask(outbox.oldest, 9999) if row.kind == "event"
                }
            case "go":
                at_work = followers[one]
                if at_work is None or at_work.done:
                    at_work = followers[one] = Stepped(ground.records, live)
                for _ in range(other):
                    await at_work.go()
            case _:
                at_work = followers[one]
                if at_work is not None:
                    await at_work.kill()
    killed = any(what == "kill" for what, *_ in plan)
    for left in followers:
        if left is not None:
            await (left.kill() if killed else left.finish())
    if killed and any(what == "go" and one == 1 for what, one, _ in plan):
        await rebuilt(Follower(ground.records, live))
    await Follower(ground.records, live).follow()
    assert await held(live) == wanted(ground.records)
    assert events <= set(await told(live))
    assert ground.ask(outbox.waiting)[0] == 0


@settings(max_examples=50)
@given(plan=st.lists(ACTS, max_size=25), layout=st.sampled_from(Layout))
@example(
    plan=[("change", 0, 0), ("go", 0, 3), ("change", 2, 0), ("go", 1, 6), ("go", 1, 6), ("go", 0, 6)],
    layout=Layout.CLASSIC,
)
def test_two_followers_in_any_order_leave_the_truth(
    ground: Ground, live_server: RunningServer, plan: list[tuple[str, int, int]], layout: Layout
) -> None:
    run(live_server, lambda live: live_through(ground, live, plan), layout)


@settings(max_examples=50)
@given(plan=st.lists(st.one_of(ACTS, KILLS), max_size=25), layout=st.sampled_from(Layout))
@example(
    plan=[
        ("change", 0, 0),
        ("go", 0, 3),
        ("change", 2, 0),
        ("go", 1, 6),
        ("go", 1, 6),
        ("go", 0, 2),
        ("kill", 0, 0),
    ],
    layout=Layout.CLASSIC,
)
def test_two_followers_killed_anywhere_leave_the_truth_to_their_successor(
    ground: Ground, live_server: RunningServer, plan: list[tuple[str, int, int]], layout: Layout
) -> None:
    run(live_server, lambda live: live_through(ground, live, plan), layout)


@settings(max_examples=50)
@given(plan=st.lists(st.one_of(ACTS, KILLS).filter(lambda act: act[:2] != ("go", 1)), max_size=25))
def test_one_follower_killed_anywhere_leaves_the_truth_to_one_sweep(
    ground: Ground, live_server: RunningServer, plan: list[tuple[str, int, int]]
) -> None:
    run(live_server, lambda live: live_through(ground, live, plan))
