"""What no mark tells is found all the same: lost live stores, records from a copy, indexes gone wrong."""

import asyncio
from collections.abc import Iterator

import pytest
import sqlalchemy as sa

from holdfast.catalogue import tables
from holdfast.store.records import Records
from holdfast.tracker.service.collect import keep_collecting
from holdfast.tracker.service.indexes import rebuild_indexes
from holdfast.tracker.service.patrol import Patrol
from holdfast.tracker.store import feeds
from holdfast.tracker.tables import live_seen, participation
from holdfast.wire.announce import Event
from tests.clocks import StillClock
from tests.servers import RunningServer
from tests.system.tracker.bookkeeping import Bookkeeping, bookkeeping
from tests.system.tracker.ground import until

DAY = 86_400


@pytest.fixture(name="books")
def books_fixture(records: Records, live_server: RunningServer, clock: StillClock) -> Iterator[Bookkeeping]:
    with bookkeeping(records, live_server, clock) as books:
        books.furnish(members=3, uploads=2)
        yield books


def walk(books: Bookkeeping) -> int:
    return books.with_live(lambda live: Patrol(books.records, live, books.clock).walk())


def hear(books: Bookkeeping) -> bool:
    return books.with_live(lambda live: books.collector(live).hear())


def test_a_patrol_finds_nothing_where_all_is_well(books: Bookkeeping) -> None:
    books.announce(1, 1, 1)
    books.announce(2, 2, 2, left=100)
    books.collect()
    assert walk(books) == 0
    assert books.marks() == set()


def test_after_a_loss_the_swarms_are_empty(books: Bookkeeping) -> None:
    books.announce(1, 1, 1)
    books.collect()
    books.server.ask("FLUSHALL")
    assert walk(books) == 2
    books.collect()
    assert books.upload(1) == (0, 0, 0)
    one = books.standing(1, 1)
    assert (one.seeding, one.complete) == (0, True)


def test_records_from_a_copy_catch_up(books: Bookkeeping) -> None:
    books.announce(1, 1, 1, event=Event.STARTED)
    books.announce(2, 2, 2, event=Event.STARTED)
    books.collect()
    copied = books.ground.ask(lambda tx: tx.execute(sa.select(live_seen)).mappings().all())
    books.announce(1, 1, 1, up=70)
    books.collect()

    def restore(tx: sa.Connection) -> None:
        tx.execute(sa.update(tables.upload).values(seeders=0, leechers=0))
        tx.execute(sa.update(tables.member).values(uploaded=0))
        tx.execute(sa.delete(live_seen))
        tx.execute(sa.insert(live_seen), [dict(row) for row in copied])

    books.ground.do(restore)
    assert walk(books) == 3
    books.collect()
    assert (books.upload(1), books.upload(2)) == ((1, 0, 0), (1, 0, 0))
    assert books.member(1) == (70, 0)
    assert walk(books) == 0


def test_what_is_seeded_is_known_to_be(books: Bookkeeping) -> None:
    books.announce(1, 1, 1)
    books.announce(2, 2, 2, left=100)
    books.collect()
    books.clock.pass_by(DAY)
    walk(books)
    assert (books.last_action(1), books.last_action(2)) == (books.clock.now(), None)


def test_a_feed_has_a_gap_when_nobody_listened_or_the_store_was_lost(books: Bookkeeping) -> None:
    start = books.clock.now()
    assert not hear(books)
    books.clock.pass_by(feeds.LONGEST_SILENCE)
    assert not hear(books)
    assert books.ground.ask(feeds.whole_since) == (start, books.clock.now())
    books.clock.pass_by(feeds.LONGEST_SILENCE + 1)
    assert not hear(books)
    assert books.ground.ask(feeds.whole_since) == (books.clock.now(), books.clock.now())
    books.clock.pass_by(1)
    books.server.ask("FLUSHALL")
    assert hear(books)
    assert not hear(books)
    assert books.ground.ask(feeds.whole_since) == (books.clock.now(), books.clock.now())


def test_a_store_that_was_lost_is_told_again_who_is_exempt(books: Bookkeeping) -> None:
    books.announce(1, 1, 1)
    books.collect()
    hear(books)
    books.ground.do(lambda tx: tx.execute(sa.update(participation).values(exempt=True)))
    books.server.ask("FLUSHALL")

    async def run(live: object) -> None:
        lost = asyncio.Event()
        collecting = keep_collecting(books.collector(live), books.clock, 1, lost)  # type: ignore[arg-type]
        task = asyncio.create_task(collecting)
        await lost.wait()
        await asyncio.to_thread(until, "told", lambda: books.server.ask("EXISTS", "t:ut:1:1"))
        task.cancel()

    books.with_live(run)
    assert books.server.ask("HGET", "t:ut:1:1", "exempt") == b"1"


def test_indexes_and_totals_are_made_again_from_the_swarms(books: Bookkeeping) -> None:
    for peer in range(5):
        books.announce(1, 1, peer)
        books.announce(2, 2, 10 + peer, left=100, event=Event.STARTED)
    books.announce(2, 3, 3)
    right = books.worker.books()
    books.server.ask("ZADD", "t:i:seeders", "9", "1", "4", "77", "0", "nonsense")
    books.server.ask("ZREM", "t:i:leechers", "2")
    books.server.ask("SET", "t:stats:seeders", "-3")
    books.server.ask("DEL", "t:stats:leechers")
    assert books.with_live(rebuild_indexes) == 4
    assert books.worker.books() == right
    assert (books.server.ask("GET", "t:stats:seeders"), books.server.ask("GET", "t:stats:leechers")) == (
        b"6",
        b"5",
    )
    assert books.with_live(rebuild_indexes) == 0
