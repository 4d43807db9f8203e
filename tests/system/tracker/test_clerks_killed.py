"""`kill -9` of a clerk at every step of its work, another beside it, and announces all the while."""

from random import Random

from holdfast.store.records import Records
from holdfast.store.records.engine import RecordsAddress
from holdfast.wire.announce import Event
from tests.clocks import StillClock
from tests.processes import Other
from tests.servers import RunningServer
from tests.system.tracker.bookkeeping import bookkeeping
from tests.system.tracker.clerks import collect_until

MEMBERS, UPLOADS = 8, 3
STEPS = 30
"""More than a walk has that nobody else shortens."""


def test_clerks_that_are_killed_anywhere_lose_nothing_and_double_nothing(
    records: Records, address: RecordsAddress, live_server: RunningServer, clock: StillClock
) -> None:
    random, kills = Random(5), 0
    counts: dict[tuple[int, int], int] = {}
    with bookkeeping(records, live_server, clock) as books:
        books.furnish(MEMBERS, UPLOADS)
        snatchers: set[tuple[int, int]] = set()

        def announces(many: int) -> None:
            """Some come, some move bytes, some complete, some go; everybody counts upward."""
            for _ in range(many):
                uid, tid = random.randint(1, MEMBERS), random.randint(1, UPLOADS)
                first = (uid, tid) not in counts
                event = Event.STARTED if first else random.choice([Event.NONE, Event.NONE, Event.COMPLETED])
                counts[uid, tid] = 0 if first else counts[uid, tid] + random.randint(1, 1000)
                moved = counts[uid, tid]
                left = 0 if event is Event.COMPLETED else 100
                books.announce(tid, uid, uid, up=moved, down=2 * moved, left=left, event=event)
                if event is Event.COMPLETED:
                    snatchers.add((uid, tid))

        for last in range(1, STEPS + 1):
            announces(20)
            dying = Other(collect_until, address, live_server.address, books.worker.limits, last)
            announces(20)
            if last % 3 == 0:
                books.collect()
            kills += dying.was_killed()
        assert kills >= STEPS // 3
        books.collect()
        assert books.marks() == set()
        for uid in range(1, MEMBERS + 1):
            moved = sum(many for (who, _), many in counts.items() if who == uid)
            assert books.member(uid) == (moved, 2 * moved)
        for tid in range(1, UPLOADS + 1):
            found = live_server.ask("HMGET", "t:t:" + bytes((tid,)).hex() * 20, "seeders", "leechers")
            taken = sum(what == tid for _, what in snatchers)
            assert books.upload(tid) == (*map(int, found), taken)
