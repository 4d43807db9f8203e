"""Items are in exactly one place at every instant, whoever asks, reports, hands back or falls silent."""

from collections import Counter
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.items.model import Counts, Status
from tests.servers import RunningServer
from tests.system.items.live_project import LiveProject

NAMES = ("ann", "bobby", "carol1")
ITEMS = tuple(f"item{number}" for number in range(12))


@pytest.fixture
def project(live_server: RunningServer) -> Iterator[LiveProject]:
    with LiveProject(live_server) as one:
        yield one


def test_an_item_goes_from_todo_to_out_to_done(project: LiveProject) -> None:
    assert project.add("a") == ["a"]
    assert project.counts() == Counts(todo=1, out=0, done=0, failed=0, added=1)
    assert project.take("ann") == ["a"]
    assert project.pairs("claims") == {"a": "10.0.0.3 ann"}
    assert project.counts() == Counts(todo=0, out=1, done=0, failed=0, added=1)
    assert project.report("ann", "a") == "c"
    assert project.counts() == Counts(todo=0, out=0, done=1, failed=0, added=1)
    assert project.pairs("downloader_count") == {"ann": "1"}
    assert project.pairs("downloader_bytes") == {"ann": "10"}
    assert project.pairs("domain_bytes") == {"web": "10"}
    assert project.pairs("downloader_version") == {"ann": "20260101.01"}


def test_the_default_project_s_keys_are_the_seed_s_to_the_letter(live_server: RunningServer) -> None:
    with LiveProject(live_server, "") as project:
        project.add("a", "b")
        project.take("ann")
        project.report("ann", *[each.decode() for each in live_server.ask("ZRANGE", "out", 0, -1)])
        present = {key.decode() for key in live_server.ask("KEYS", "*")}
    assert {"todo", "done", "log", "downloader_count", "downloader_bytes", "domain_bytes"} <= present
    assert {"downloader_chartdata:ann", "items_done_chartdata", "downloader_version"} <= present


def test_queues_are_emptied_in_their_order(project: LiveProject) -> None:
    project.add("redo", queue="todo:redo")
    project.add("second", queue="todo:secondary")
    project.add("main")
    project.add("mine", queue="todo:d:ann")
    found = [project.claim("ann").items[0] for _ in range(4)]
    assert [one.item for one in found] == ["mine", "main", "second", "redo"]
    assert [one.queue for one in found] == ["todo:d:ann", "todo", "todo:secondary", "todo:redo"]
    assert project.claim("ann").status is Status.EMPTY


def test_another_s_own_queue_is_not_touched(project: LiveProject) -> None:
    project.add("mine", queue="todo:d:ann")
    assert project.claim("bobby").status is Status.EMPTY
    assert project.take("ann") == ["mine"]


def test_many_are_given_at_once_and_reported_at_once(project: LiveProject) -> None:
    project.add(*ITEMS)
    got = project.take("ann", 5)
    assert len(set(got)) == 5
    assert project.report("ann", *got, counted={"web": 7}) == "ccccc"
    assert project.pairs("downloader_count") == {"ann": "5"}
    assert project.pairs("downloader_bytes") == {"ann": "7"}, "the bytes of a report count once"


def test_a_claim_asked_for_again_with_its_moment_gets_what_it_got(project: LiveProject) -> None:
    project.add(*ITEMS)
    first = project.claim("ann", 3, at=1000.5)
    again = project.claim("ann", 3, at=1000.5)
    assert sorted(one.item for one in again.items) == sorted(one.item for one in first.items)
    assert project.counts().out == 3


def test_a_report_sent_twice_counts_once(project: LiveProject) -> None:
    project.add("a")
    project.take("ann")
    assert [project.report("ann", "a") for _ in range(3)] == ["c", "d", "d"]
    assert project.pairs("downloader_count") == {"ann": "1"}
    assert project.ask("GET", "done_counter") == b"1"


def test_nobody_reports_another_s_claim(project: LiveProject) -> None:
    project.add("a")
    project.take("ann")
    assert project.report("bobby", "a") == "f"
    assert project.counts().out == 1


def test_nobody_reports_what_nobody_claimed(project: LiveProject) -> None:
    project.add("a")
    assert project.report("ann", "a") == "u"
    assert project.report("ann", "nothing of ours") == "u"
    assert project.counts() == Counts(todo=1, out=0, done=0, failed=0, added=1)


def test_a_token_proves_a_claim_from_another_address(project: LiveProject) -> None:
    project.add("a")
    at = project.claim("ann").at
    project.ask("HSET", "claims", "a", "192.0.2.7 ann")
    assert project.report("ann", "a") == "f"
    assert project.report("ann", "a", claimed=at + 1) == "f"
    assert project.report("ann", "a", claimed=at) == "c"


def test_only_its_holder_hands_an_item_back(project: LiveProject) -> None:
    project.add("a")
    project.take("ann")
    assert project.release("bobby", "a") == []
    assert project.release("ann", "a") == ["a"]
    assert project.counts() == Counts(todo=1, out=0, done=0, failed=0, added=1)
    assert project.release("ann", "a") == []


def test_staff_hands_back_whatever_is_out(project: LiveProject) -> None:
    project.add("a")
    project.take("ann")
    assert project.release(None, "a") == ["a"]


def test_a_late_report_of_a_released_item_counts_once(project: LiveProject) -> None:
    project.add("a")
    project.take("ann")
    project.expire()
    assert project.report("bobby", "a") == "u"
    assert project.report("ann", "a") == "c"
    assert project.report("ann", "a") == "d"
    assert project.counts() == Counts(todo=0, out=0, done=1, failed=0, added=1)


def test_a_late_report_ends_the_claim_of_whoever_has_the_item_now(project: LiveProject) -> None:
    project.add("a")
    project.take("ann")
    project.expire()
    project.take("bobby")
    assert project.report("ann", "a") == "c"
    assert project.report("bobby", "a") == "d"
    assert project.pairs("downloader_budget") == {"ann": "0", "bobby": "0"}


def test_an_item_that_comes_back_too_often_is_given_up_and_can_be_tried_again(project: LiveProject) -> None:
    project.add("a")
    for _ in range(2):
        project.take("ann")
        project.expire(attempts=3)
    project.take("ann")
    assert project.release("ann", "a", why="it is gone", attempts=3) == ["a"]
    assert project.pairs("x:failed") == {"a": "it is gone"}
    assert project.claim("ann").status is Status.EMPTY
    assert project.run(project.bench.retry(["a", "b"])) == 1
    assert project.take("ann") == ["a"]


def test_what_the_project_knows_is_not_added_again(project: LiveProject) -> None:
    project.add("out", "done", "failed")
    for _ in range(3):
        project.take("ann")
    project.report("ann", "done")
    project.release("ann", "failed", why="no", attempts=1)
    project.add("todo")
    project.add("mine", queue="todo:d:bobby")
    everything = ("out", "done", "failed", "todo", "mine", "new", "new")
    assert project.run(project.bench.check(everything[:6])) == ["new"]
    assert project.add(*everything, queue="todo:secondary") == ["new"]
    assert project.counts().added == 6


def test_undoing_takes_only_what_nobody_has_claimed(project: LiveProject) -> None:
    project.add("a", "b", "c")
    (taken,) = project.take("ann")
    assert project.run(project.bench.undo("todo", ["a", "b", "c"])) == 2
    assert project.counts() == Counts(todo=0, out=1, done=0, failed=0, added=1)
    assert project.report("ann", taken) == "c"


def test_one_that_was_put_into_a_queue_past_us_while_it_was_out_is_given_once(project: LiveProject) -> None:
    project.add("a")
    project.take("ann")
    project.ask("SADD", "todo", "a")
    assert project.claim("bobby").status is Status.EMPTY
    assert project.places() == Counter({"a": 1})


def test_the_blocked_get_nothing_by_name_or_by_address(project: LiveProject) -> None:
    project.add("a")
    project.ask("SADD", "blocked", "ann", "10.0.0.5")
    assert project.claim("ann").status is Status.BLOCKED
    assert project.claim("bobby").status is Status.BLOCKED
    assert project.claim("carol1").status is Status.OK


def test_nobody_holds_more_than_he_may(project: LiveProject) -> None:
    project.add(*ITEMS)
    project.ask("SET", "min_downloader_budget", -3)
    assert len(project.take("ann", 2)) == 2
    assert len(project.take("ann", 2)) == 1
    assert project.claim("ann").status is Status.BUSY
    project.release(None, *[each.decode() for each in project.ask("ZRANGE", "out", 0, -1)])
    assert len(project.take("ann", 9)) == 3


def test_a_minute_s_share_opens_over_fifty_seconds_and_what_was_left_over_may_be_used(
    project: LiveProject,
) -> None:
    project.add(*[f"i{number}" for number in range(300)])
    project.ask("SET", "requests_per_minute", 50)
    minute = 1_800_000_000.0 - 1_800_000_000 % 3600
    given = [len(project.claim("ann", 500, at=minute + second).items) for second in (0, 10, 25, 59)]
    assert given == [50, 10, 15, 25]
    assert project.claim("ann", 500, at=minute + 60).status is Status.LIMITED, "the minute before was full"


def test_a_limit_of_nothing_pauses_and_the_smaller_of_two_holds(project: LiveProject) -> None:
    project.add("a", "b")
    project.ask("SET", "requests_per_minute", 100)
    project.ask("SET", "requests_per_minute:monitor", 0)
    assert project.claim("ann").status is Status.LIMITED
    assert project.claim("ann", smooth=True).status is Status.LIMITED
    project.ask("DEL", "requests_per_minute:monitor")
    assert project.claim("ann").status is Status.OK


def test_a_smooth_limit_gives_at_even_distances(project: LiveProject) -> None:
    project.add(*[f"i{number}" for number in range(300)])
    project.ask("SET", "requests_per_minute", 120)
    start = 1_800_000_000.0
    given = [
        len(project.claim("ann", 500, at=start + second, smooth=True).items)
        for second in (0, 0.25, 0.5, 1.0, 10.0)
    ]
    assert given == [2, 0, 1, 1, 2]


def test_a_sum_at_its_largest_stays_there(project: LiveProject) -> None:
    most = 2**53 - 1
    project.add("a", "b")
    for item in project.take("ann", 2):
        assert project.report("ann", item, counted={"web": most}) == "c"
    assert project.pairs("domain_bytes") == {"web": str(most)}
    assert project.pairs("downloader_bytes") == {"ann": str(most)}


NAME = st.sampled_from(NAMES)
SOME = st.lists(st.sampled_from(ITEMS), min_size=1, max_size=4)
ALL_QUEUES = st.sampled_from(("todo", "todo:secondary", "todo:redo", "todo:d:ann"))
NOBODY = st.none()
steps = st.one_of(
    st.tuples(st.just("add"), ALL_QUEUES, SOME),
    st.tuples(st.just("claim"), NAME, st.integers(1, 4)),
    st.tuples(st.just("report"), NAME, SOME),
    st.tuples(st.just("release"), NAME | NOBODY, SOME),
    st.tuples(st.just("fail"), NAME, SOME),
    st.tuples(st.just("expire"), NOBODY, NOBODY),
    st.tuples(st.just("retry"), NOBODY, SOME),
    st.tuples(st.just("undo"), ALL_QUEUES, SOME),
)


@settings(max_examples=40)
@given(st.lists(steps, max_size=40))
def test_every_item_is_in_one_place_after_every_step(
    valkey_of_session: RunningServer, played: list[tuple[str, str | None, list[str] | int | None]]
) -> None:
    assert valkey_of_session.ask("FLUSHALL") == b"OK"
    with LiveProject(valkey_of_session) as project:
        for step, who, what in played:
            _play(project, step, who, what)
            places, counts, claims = project.places(), project.counts(), project.pairs("claims")
            assert set(places.values()) <= {1}, (step, who, what)
            assert sum(places.values()) == counts.added
            assert counts.todo + counts.out + counts.done + counts.failed == counts.added
            assert len(claims) == counts.out
            held = Counter(holder.partition(" ")[2] for holder in claims.values())
            budgets = {name: -int(least) for name, least in project.pairs("downloader_budget").items()}
            assert {name: many for name, many in budgets.items() if many} == held
            assert sum(map(int, project.pairs("downloader_count").values())) == counts.done
            assert project.pairs("x:late").keys() <= places.keys() - {
                each.decode() for each in project.ask("SMEMBERS", "done")
            }


def _play(project: LiveProject, step: str, who: str | None, what: list[str] | int | None) -> None:
    many = what if isinstance(what, int) else 1
    items = what if isinstance(what, list) else []
    match step:
        case "add":
            project.add(*items, queue=str(who))
        case "claim":
            project.claim(str(who), many)
        case "report":
            project.report(str(who), *dict.fromkeys(items))
        case "release":
            project.release(who, *items)
        case "fail":
            project.release(str(who), *items, why="it is gone", attempts=2)
        case "expire":
            project.expire(attempts=2)
        case "retry":
            project.run(project.bench.retry(items))
        case "undo":
            project.run(project.bench.undo(str(who), items))
