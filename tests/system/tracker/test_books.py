"""What the records learn of swarms: credits, counts, standings and completions, each of them once."""

from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
import sqlalchemy as sa

from holdfast.catalogue.tables import notice
from holdfast.store.records import Records
from holdfast.wire.announce import Event
from tests.clocks import StillClock
from tests.servers import RunningServer
from tests.system.tracker.bookkeeping import Bookkeeping, bookkeeping


@pytest.fixture(name="books")
def books_fixture(records: Records, live_server: RunningServer, clock: StillClock) -> Iterator[Bookkeeping]:
    with bookkeeping(records, live_server, clock) as books:
        books.furnish(members=3, uploads=2)
        yield books


def events(books: Bookkeeping) -> list[tuple[str, Any]]:
    """What was told since the last time."""
    found = [msgspec.json.decode(each) for each in books.ground.told()]
    books.ground.forget_outbox()
    return [(one["event"], one["data"]) for one in found]


def take_part(books: Bookkeeping, tid: int = 1, uid: int = 1, *, down: int = 100, up: int = 30) -> None:
    """A member comes, takes the upload, and stays."""
    books.announce(tid, uid, uid, left=100, event=Event.STARTED)
    books.clock.pass_by(60)
    books.announce(tid, uid, uid, left=0, up=up, down=down, event=Event.COMPLETED)


def test_a_member_is_credited_once(books: Bookkeeping) -> None:
    take_part(books)
    assert books.collect() == 3
    assert books.collect() == 0
    assert books.member(1) == (30, 100)
    books.announce(1, 1, 1, left=0, up=35, down=100)
    books.collect()
    assert books.member(1) == (35, 100)
    assert books.marks() == set()


def test_swarms_are_counted_and_the_pages_are_told(books: Bookkeeping) -> None:
    take_part(books)
    books.announce(1, 2, 2, left=100)
    books.collect()
    assert books.upload(1) == (1, 1, 1)
    assert books.last_action(1) == books.clock.now()
    counts = {"id": 1, "seeders": 1, "leechers": 1, "completed": 1}
    assert events(books) == [("swarm.changed", counts), ("swarm.seeded", {"id": 1})]
    books.clock.pass_by(60)
    books.leave(1, 1, 1, up=30, down=100)
    books.clock.pass_by(60)
    books.collect()
    assert books.upload(1) == (0, 1, 1)
    assert books.last_action(1) == books.clock.now()
    counts = {"id": 1, "seeders": 0, "leechers": 1, "completed": 1}
    assert events(books)[-2:] == [("swarm.changed", counts), ("swarm.unseeded", {"id": 1})]
    books.clock.pass_by(60)
    books.leave(1, 2, 2, left=100)
    books.collect()
    assert books.upload(1) == (0, 0, 1)
    assert books.last_action(1) == books.clock.now() - 60


def test_a_participation_holds_what_all_clients_did(books: Bookkeeping) -> None:
    take_part(books)
    books.announce(1, 1, 11, left=50, event=Event.STARTED)
    books.collect()
    one = books.standing(1, 1)
    assert (one.seeding, one.leeching, one.complete) == (1, 1, False)
    assert (one.time, one.uploaded, one.downloaded) == (60, 30, 100)
    assert one.snatched == books.clock.now()
    books.clock.pass_by(40)
    books.leave(1, 1, 1, up=40, down=100)
    books.leave(1, 1, 11, left=50, down=5)
    books.collect()
    one = books.standing(1, 1)
    assert (one.seeding, one.leeching) == (0, 0)
    assert (one.time, one.uploaded, one.downloaded) == (140, 40, 105)


def test_whoever_is_listed_is_told_once(books: Bookkeeping) -> None:
    take_part(books)
    books.clock.pass_by(60)
    books.leave(1, 1, 1, up=30, down=100)
    books.collect()
    assert books.standing(1, 1).hnr == books.clock.now()
    take_part(books, uid=2)
    books.collect()
    books.announce(1, 1, 1, left=0, up=30, down=100, event=Event.STARTED)
    books.collect()
    told = books.ground.ask(lambda tx: tx.execute(sa.select(notice)).all())
    assert [(one.member_id, one.kind, one.subject) for one in told] == [
        (1, "hit_and_run", "You left “upload 1” too early")
    ]
    assert "another hour" in told[0].body


def test_whoever_works_it_off_is_taken_off(books: Bookkeeping) -> None:
    take_part(books)
    books.leave(1, 1, 1, up=30, down=100)
    books.collect()
    books.announce(1, 1, 1, left=0, up=30, down=100, event=Event.STARTED)
    for _ in range(10):
        books.clock.pass_by(100)
        books.announce(1, 1, 1, left=0, up=30, down=100)
    books.collect()
    one = books.standing(1, 1)
    assert (one.hnr, one.time) == (None, 1060)


def test_a_live_store_that_was_lost_is_counted_from_zero_again(books: Bookkeeping) -> None:
    take_part(books)
    books.leave(1, 1, 1, up=30, down=100)
    books.collect()
    assert books.server.ask("FLUSHALL") == b"OK"
    take_part(books, up=500, down=7)
    books.collect()
    assert books.member(1) == (530, 107)
    assert books.upload(1) == (1, 0, 1), "nobody completes an upload twice"
    one = books.standing(1, 1)
    assert (one.uploaded, one.downloaded, one.time) == (530, 107, 120)
    assert one.hnr is not None, "what the store forgot was not worked off"


def test_members_and_uploads_of_somebody_else_are_nobody(books: Bookkeeping) -> None:
    take_part(books, tid=77, uid=1)
    take_part(books, tid=1, uid=99)
    books.server.ask("HSET", "t:x:dirty", "nonsense", "1", "u", "1", "s1", "1", "u99999999999999999999", "1")
    books.server.ask("SET", "t:u:3", "of a site of its own")
    books.server.ask("HSET", "t:x:dirty", "u3", "1")
    books.collect()
    assert books.marks() == set()
    assert books.member(1) == (30, 100)
    assert books.upload(1) == (1, 0, 0)
    assert books.standing(1, 77) is None
