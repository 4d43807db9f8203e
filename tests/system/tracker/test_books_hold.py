"""Whatever happens between any two steps of any clerk, the records end up with what was credited, once."""

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import pytest
import sqlalchemy as sa
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from holdfast.catalogue import tables as catalogue
from holdfast.clock import SystemClock
from holdfast.store.live import LiveStore, Reply, open_live
from holdfast.store.records import Records
from holdfast.store.records.outbox import outbox
from holdfast.tracker import tables
from holdfast.tracker.service.patrol import Patrol
from holdfast.tracker.store.marks import named
from holdfast.wire.announce import Event
from tests.clocks import StillClock
from tests.servers import RunningServer
from tests.system.catalogue.mirrored import SteppedLive, SteppedRecords, Steps
from tests.system.tracker.bookkeeping import Bookkeeping, bookkeeping

MEMBERS, UPLOADS, CLIENTS, CLERKS = 3, 2, 2, 2
CREDITS = ("uploaded", "downloaded")
Totals = dict[tuple[int, str], int]
Happening: TypeAlias = tuple[Any, ...]
"""A method of the story, and what it is given."""


@pytest.fixture(name="books")
def books_fixture(records: Records, live_server: RunningServer, clock: StillClock) -> Iterator[Bookkeeping]:
    with bookkeeping(records, live_server, clock) as books:
        books.furnish(MEMBERS, UPLOADS)
        yield books


class SteppedFunctions(SteppedLive):
    """A live store where each function is a step, too."""

    async def function(self, *asked: Any, **named: Any) -> Reply:
        await self._steps.stop_here()
        return await self._live.function(*asked, **named)


class Clerk:
    """One that walks over the marks a step at a time, again and again, until it is killed."""

    def __init__(self, books: Bookkeeping, live: LiveStore) -> None:
        self._steps = Steps()
        stepped: Any = SteppedFunctions(live, self._steps)
        collector = books.collector(stepped, SteppedRecords(books.records, self._steps))

        async def walk() -> None:
            while True:
                await collector.collect()

        self._task: asyncio.Task[None] = asyncio.create_task(walk())

    async def step(self) -> None:
        await self._steps.go(self._task)
        assert not self._task.done(), self._task.exception()

    async def kill(self) -> None:
        """It stops before every step, so that whatever it had begun is done, and nothing after that."""
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)


@dataclass
class Story:
    """What happens to a house, and what the records may say of it afterwards."""

    books: Bookkeeping
    live: LiveStore
    clerks: dict[int, Clerk] = field(default_factory=dict)
    counted: dict[tuple[int, int, int], list[int]] = field(default_factory=dict)
    kept: Totals = field(default_factory=dict)
    """What the records had of the stores that were lost."""
    late: Totals = field(default_factory=dict)
    """What a clerk may yet bring over from them."""
    snatched: set[tuple[int, int]] = field(default_factory=set)
    lost: bool = False

    async def announce(self, tid: int, uid: int, client: int, event: Event, more: int, left: int) -> None:
        counts = self.counted.setdefault((tid, uid, client), [0, 0])
        if event is Event.STARTED:
            counts[:] = [0, 0]
        counts[0] += more
        counts[1] += 2 * more
        left = 0 if event is Event.COMPLETED else left
        up, down = counts
        self.books.announce(tid, uid, uid * 10 + client, up=up, down=down, left=left, event=event)
        self.snatched |= live_snatches(self.books)

    async def passes(self, seconds: int) -> None:
        self.books.clock.pass_by(seconds)

    async def falls_silent(self, tid: int, uid: int, client: int) -> None:
        pid = (b"-XX1000-%012d" % (uid * 10 + client)).hex()
        self.books.worker.expire((tid, pid))
        self.books.worker.reap([(tid, pid)], int(self.books.clock.now()))

    async def steps(self, which: int, count: int) -> None:
        clerk = self.clerks.setdefault(which, Clerk(self.books, self.live))
        for _ in range(count):
            await clerk.step()

    async def dies(self, which: int) -> None:
        if which in self.clerks:
            await self.clerks.pop(which).kill()

    async def loses(self) -> None:
        """The live store comes back empty, while clerks have in hand what they read before."""
        had, held = recorded(self.books), credited(self.books)
        for key, total in held.items():
            missing = total - (had.get(key, 0) - self.kept.get(key, 0))
            self.late[key] = self.late.get(key, 0) + (missing if self.clerks else 0)
        self.kept = had
        self.lost = True
        self.books.server.ask("FLUSHALL")

    async def ends(self) -> None:
        """Whoever works dies; a clerk that comes later brings everything over."""
        for which in list(self.clerks):
            await self.dies(which)
        collector = self.books.collector(self.live)
        await collector.collect()
        if self.lost:
            await Patrol(self.books.records, self.live, self.books.clock).walk()
            await collector.collect()
        pairs = [(uid, tid) for uid in range(1, MEMBERS + 1) for tid in range(1, UPLOADS + 1)]
        await collector.look([named(member=uid, upload=tid) for uid, tid in pairs])


def numbers(books: Bookkeeping, key: str, names: Sequence[str]) -> list[int]:
    return [int(each or 0) for each in books.server.ask("HMGET", key, *names)]


def credited(books: Bookkeeping) -> Totals:
    """What the live store has credited since it was empty."""
    return {
        (uid, name): total
        for uid in range(1, MEMBERS + 1)
        for name, total in zip(CREDITS, numbers(books, f"t:u:{uid}", CREDITS), strict=True)
    }


def recorded(books: Bookkeeping) -> Totals:
    return {
        (uid, name): total
        for uid in range(1, MEMBERS + 1)
        for name, total in zip(CREDITS, books.member(uid), strict=True)
    }


def live_snatches(books: Bookkeeping) -> set[tuple[int, int]]:
    return {
        (uid, tid)
        for uid in range(1, MEMBERS + 1)
        for tid in range(1, UPLOADS + 1)
        if books.server.ask("HEXISTS", f"t:ut:{uid}:{tid}", "snatched")
    }


def check(story: Story) -> None:
    books, live = story.books, credited(story.books)
    assert books.marks() == set()
    for key, total in recorded(books).items():
        least = story.kept.get(key, 0) + live[key]
        assert least <= total <= least + story.late.get(key, 0), key
    for tid in range(1, UPLOADS + 1):
        check_upload(story, tid)
    for uid in range(1, MEMBERS + 1):
        check_standings(story, uid)


def check_upload(story: Story, tid: int) -> None:
    books, ih = story.books, bytes((tid,)).hex() * 20
    seeders, leechers, completed = books.upload(tid)
    assert [seeders, leechers] == numbers(books, f"t:t:{ih}", ("seeders", "leechers"))
    those = [one for uid in range(1, MEMBERS + 1) if (one := books.standing(uid, tid))]
    assert completed == sum(one.snatched is not None for one in those)
    snatchers = {uid for uid, what in story.snatched if what == tid}
    assert completed <= len(snatchers)
    assert {uid for uid, what in live_snatches(books) if what == tid} <= {
        one.member_id for one in those if one.snatched is not None
    }
    if not story.lost:
        assert completed == len(snatchers)
        sums = [sum(getattr(one, name) for one in those) for name in CREDITS]
        assert sums == numbers(books, f"t:t:{ih}", CREDITS)


def check_standings(story: Story, uid: int) -> None:
    books = story.books
    listed = {int(each) for each in books.server.ask("SMEMBERS", f"t:u:{uid}:hnr")}
    for tid in range(1, UPLOADS + 1):
        one = books.standing(uid, tid)
        found = books.server.ask("HGETALL", f"t:ut:{uid}:{tid}")
        roles = [role for name, role in zip(found[::2], found[1::2], strict=True) if name[:1] == b"@"]
        if one is None:
            assert found == []
            continue
        assert (one.seeding, one.leeching) == (roles.count(b"1"), len(roles) - roles.count(b"1"))
        assert one.hnr is not None or tid not in listed
        assert story.lost or one.hnr is None or tid in listed


def clean(books: Bookkeeping) -> None:
    """As the house was before anybody announced."""
    books.server.ask("FLUSHALL")
    mine = (tables.participation, tables.live_seen, tables.swarm_window, tables.swarm_share, tables.feed)

    def forget(tx: sa.Connection) -> None:
        for table in (*mine, catalogue.notice, outbox):
            tx.execute(sa.delete(table))
        tx.execute(sa.update(catalogue.member).values(uploaded=0, downloaded=0))
        tx.execute(sa.update(catalogue.upload).values(seeders=0, leechers=0, completed=0, last_action=None))

    books.ground.do(forget)


TID, UID, CLIENT = st.integers(1, UPLOADS), st.integers(1, MEMBERS), st.integers(1, CLIENTS)
CLERK = st.integers(1, CLERKS)
ANNOUNCE = st.tuples(
    st.just(Story.announce),
    TID,
    UID,
    CLIENT,
    st.sampled_from(
        [Event.STARTED, Event.NONE, Event.NONE, Event.NONE, Event.COMPLETED, Event.COMPLETED, Event.STOPPED]
    ),
    st.integers(0, 90),
    st.sampled_from([0, 100]),
)
STEPS = st.tuples(st.just(Story.steps), CLERK, st.integers(1, 8))
OTHERS = st.one_of(
    st.tuples(st.just(Story.passes), st.sampled_from([1, 60, 290, 1100])),
    st.tuples(st.just(Story.falls_silent), TID, UID, CLIENT),
    st.tuples(st.just(Story.dies), CLERK),
)
EVENTS = st.one_of(ANNOUNCE, ANNOUNCE, ANNOUNCE, STEPS, STEPS, OTHERS)
SOME = st.lists(EVENTS, min_size=10, max_size=30)
A_WALK = 6
"""Steps from the first look at the marks until they are settled; the first one only reaches it."""
BOUNDED = settings(max_examples=40, phases=[Phase.generate])


def play(books: Bookkeeping, events: Sequence[Happening]) -> None:
    clean(books)

    async def run() -> None:
        async with open_live(books.server.address, clock=SystemClock()) as live:
            story = Story(books, live)
            for what, *details in events:
                await what(story, *details)
            await story.ends()
            check(story)

    asyncio.run(run())


def test_the_records_have_what_was_credited_whoever_died(books: Bookkeeping) -> None:
    @BOUNDED
    @given(events=st.lists(EVENTS, min_size=20, max_size=60))
    def any_story(events: list[Any]) -> None:
        play(books, events)

    any_story()


def test_a_live_store_that_is_lost_takes_nothing_back_and_gives_nothing_twice(books: Bookkeeping) -> None:
    @BOUNDED
    @given(before=SOME, events=SOME, after=SOME)
    def any_story(before: list[Any], events: list[Any], after: list[Any]) -> None:
        play(books, [*before, (Story.loses,), *events, (Story.loses,), *after])

    any_story()


A_CREDIT: Happening = (Story.announce, 1, 1, 1, Event.NONE, 30, 0)
A_COMPLETION: Happening = (Story.announce, 1, 1, 1, Event.COMPLETED, 20, 0)
A_COMING: Happening = (Story.announce, 1, 1, 1, Event.STARTED, 0, 100)
A_GOING: Happening = (Story.announce, 1, 1, 1, Event.STOPPED, 10, 0)
HAPPENINGS = [A_CREDIT, A_COMPLETION, A_GOING]


@pytest.mark.parametrize("happens", HAPPENINGS, ids=["credit", "completion", "going"])
def test_what_happens_between_any_two_steps_of_a_clerk_is_not_missed(
    books: Bookkeeping, happens: Any
) -> None:
    for at in range(A_WALK + 1):
        play(books, [A_COMING, A_CREDIT, (Story.steps, 1, at), happens, (Story.steps, 1, A_WALK - at)])


@pytest.mark.parametrize("happens", HAPPENINGS, ids=["credit", "completion", "going"])
def test_a_clerk_that_another_overtakes_enters_nothing_old(books: Bookkeeping, happens: Happening) -> None:
    for at in range(A_WALK + 1):
        rest: list[Happening] = [(Story.steps, 2, A_WALK), (Story.steps, 1, A_WALK - at)]
        play(books, [A_COMING, A_CREDIT, (Story.steps, 1, at), happens, *rest])


def test_a_clerk_that_dies_at_any_step_leaves_the_rest_to_the_next(books: Bookkeeping) -> None:
    for at in range(A_WALK + 1):
        play(books, [A_COMING, A_COMPLETION, (Story.steps, 1, at), (Story.dies, 1), A_GOING])


def test_what_a_clerk_has_in_hand_when_the_store_is_lost_counts_once(books: Bookkeeping) -> None:
    for at in range(A_WALK + 1):
        again: list[Happening] = [A_COMING, A_CREDIT, (Story.steps, 2, A_WALK), (Story.steps, 1, A_WALK - at)]
        play(books, [A_COMING, A_CREDIT, (Story.steps, 1, at), (Story.loses,), *again])
