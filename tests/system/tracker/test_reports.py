"""What looks like cheating is reported to the staff, once, and nobody is banned by a machine."""

from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import pytest

from holdfast.store.records import Records
from holdfast.tracker.service.suspect import Inspector
from holdfast.tracker.store import reports
from holdfast.tracker.store.reports import Report, Verdict
from holdfast.wire.announce import Event
from tests.catalogue.ground import OPERATOR
from tests.clocks import StillClock
from tests.servers import RunningServer
from tests.system.tracker.bookkeeping import Bookkeeping, bookkeeping

WINDOW, SLACK = 1000.0, 1000


@pytest.fixture(name="books")
def books_fixture(records: Records, live_server: RunningServer, clock: StillClock) -> Iterator[Bookkeeping]:
    with bookkeeping(records, live_server, clock, fastest=100) as books:
        books.furnish(members=3, uploads=2)
        yield books


def inspect(books: Bookkeeping, what: str, slack: int = SLACK) -> int:
    def work(live: Any) -> Awaitable[int]:
        inspector = Inspector(books.records, live, books.clock, books.collector(live), WINDOW, slack)
        step: Callable[[], Awaitable[int]] = getattr(inspector, what)
        return step()

    return books.with_live(work)


def found(books: Bookkeeping, *, settled: bool = False) -> list[Report]:
    return books.ground.ask(reports.listing, settled=settled).items


def claim(books: Bookkeeping, up: int, seconds: int = 10, *, uid: int = 1, tid: int = 1) -> None:
    books.announce(tid, uid, uid, event=Event.STARTED)
    books.clock.pass_by(seconds)
    books.announce(tid, uid, uid, up=up)
    books.leave(tid, uid, uid, up=up)


def test_an_impossible_speed_is_one_report_however_often_it_is_claimed(books: Bookkeeping) -> None:
    claim(books, 5000)
    assert inspect(books, "read_suspicions") == 1
    claim(books, 90_000)
    claim(books, 3000)
    assert inspect(books, "read_suspicions") == 2
    assert inspect(books, "read_suspicions") == 0
    (one,) = found(books)
    assert one.member is not None
    assert one.upload is not None
    assert (one.kind, one.member.id, one.upload.id, one.count, one.worst) == ("speed", 1, 1, 3, 9000)
    assert (one.details["uploaded"], one.details["seconds"]) == (90_000, 10)


def test_what_comes_after_a_verdict_is_a_new_report(books: Bookkeeping) -> None:
    claim(books, 5000)
    inspect(books, "read_suspicions")
    (one,) = found(books)
    settled = books.ground.change_as(OPERATOR, reports.settle, one.id, Verdict.MISTAKE, "A clock.")
    assert settled.settled is not None
    assert (settled.settled.verdict, settled.settled.note) == ("mistake", "A clock.")
    claim(books, 5000)
    inspect(books, "read_suspicions")
    assert [each.id for each in found(books)] == [one.id + 1]
    assert [each.id for each in found(books, settled=True)] == [one.id]


def test_a_leaked_key_is_one_report_that_shows_where_it_was_seen_last(books: Bookkeeping) -> None:
    for at, ip in ((100, "198.51.100.1"), (300, "198.51.100.3"), (200, "198.51.100.2")):
        said = ("kind", "leak", "uid", 2, "tid", 1, "pid", "ab" * 20, "ip", ip, "at", at)
        books.server.ask("XADD", "t:x:suspicions", "*", *said)
    books.server.ask("XADD", "t:x:suspicions", "*", "kind", "leak", "uid", 2, "tid", 1)
    assert inspect(books, "read_suspicions") == 4
    (one,) = found(books)
    assert one.member is not None
    assert one.upload is not None
    assert (one.kind, one.member.id, one.upload.id, one.count, one.worst) == ("leak", 2, 1, 3, 300)
    assert one.details == {"ip": "198.51.100.3", "at": 300, "peer_id": "ab" * 20}


def test_strangers_and_nonsense_are_not_reported(books: Bookkeeping) -> None:
    claim(books, 5000, uid=99)
    claim(books, 5000, tid=77)
    books.server.ask("XADD", "t:x:suspicions", "*", "kind", "speed", "uid", "me")
    assert inspect(books, "read_suspicions") == 3
    assert found(books) == []


def test_a_swarm_that_gave_what_nobody_took_names_who_gave_most(books: Bookkeeping) -> None:
    for uid in (1, 2):
        books.announce(1, uid, uid)
    books.clock.pass_by(100)
    books.announce(1, 1, 1, up=300)
    books.announce(1, 2, 2, up=5000)
    books.collect()
    assert inspect(books, "judge") == 0
    books.clock.pass_by(WINDOW)
    assert inspect(books, "judge") == 1
    (one,) = found(books)
    assert one.member is not None
    assert (one.kind, one.member.id, one.worst) == ("balance", 2, 5300)
    assert one.details["members"] == [{"id": 2, "uploaded": 5000}, {"id": 1, "uploaded": 300}]
    assert (one.details["uploaded"], one.details["downloaded"]) == (5300, 0)
    assert inspect(books, "judge") == 0


def test_a_swarm_that_took_what_it_gave_is_left_in_peace(books: Bookkeeping) -> None:
    books.announce(1, 1, 1)
    books.announce(1, 2, 2, left=9000, event=Event.STARTED)
    books.clock.pass_by(100)
    books.announce(1, 1, 1, up=9000)
    books.announce(1, 2, 2, down=7600, left=1400)
    books.collect()
    books.clock.pass_by(WINDOW)
    assert inspect(books, "judge") == 1
    assert found(books) == []


def test_without_slack_nothing_is_judged(books: Bookkeeping) -> None:
    books.announce(1, 1, 1)
    books.clock.pass_by(100)
    books.announce(1, 1, 1, up=5000)
    books.collect()
    books.clock.pass_by(WINDOW)
    inspect(books, "judge", slack=0)
    assert found(books) == []
