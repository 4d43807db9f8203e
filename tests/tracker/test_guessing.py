"""Guessers run out of tries; members and stale torrents never do."""

from hypothesis import given
from hypothesis import strategies as st

from holdfast.tracker import guessing
from holdfast.tracker.guessing import BURST, SECONDS_EACH, Guessing
from tests.clocks import StillClock

HERE, THERE = b"\x7f\0\0\1", b"\x7f\0\0\2"


def key(number: int) -> bytes:
    return f"{number:032}".encode()


def guess(throttle: Guessing, place: bytes, number: int, *, right: bool = False) -> bool:
    allowed = throttle.may_try(place, key(number))
    if allowed:
        throttle.was(place, key(number), right=right)
    return allowed


def test_a_guesser_runs_out_and_gets_his_tries_back_one_by_one(clock: StillClock) -> None:
    throttle = Guessing(clock)
    assert [guess(throttle, HERE, number) for number in range(BURST + 2)] == [True] * BURST + [False] * 2
    assert guess(throttle, THERE, 0)
    clock.pass_by(SECONDS_EACH)
    assert guess(throttle, HERE, 100)
    assert not guess(throttle, HERE, 101)


def test_many_tries_under_way_together_are_all_counted(clock: StillClock) -> None:
    throttle = Guessing(clock)
    assert sum(throttle.may_try(HERE, key(number)) for number in range(1000)) == BURST


def test_members_spend_nothing_however_many_there_are(clock: StillClock) -> None:
    throttle = Guessing(clock)
    assert all(guess(throttle, HERE, number, right=True) for number in range(10 * BURST))


def test_one_client_that_announces_all_its_torrents_at_once_spends_one_try_and_gets_it_back_once(
    clock: StillClock,
) -> None:
    throttle = Guessing(clock)
    for number in range(5):
        assert guess(throttle, HERE, number)
    assert all(throttle.may_try(HERE, key(99)) for _ in range(500))
    for _ in range(500):
        throttle.was(HERE, key(99), right=True)
    assert sum(guess(throttle, HERE, 200 + number) for number in range(BURST)) == BURST - 5


def test_what_was_tried_before_is_no_new_guess(clock: StillClock) -> None:
    throttle = Guessing(clock)
    assert guess(throttle, HERE, 1, right=True)
    for number in range(2, 2 * BURST):
        guess(throttle, HERE, number)
    assert all(guess(throttle, HERE, number) for number in (1, 2, 3))
    assert not guess(throttle, HERE, 1000)


@given(st.lists(st.tuples(st.binary(min_size=1, max_size=2), st.integers(0, 30)), max_size=200))
def test_memory_is_bounded(tries: list[tuple[bytes, int]]) -> None:
    throttle = Guessing(StillClock())
    most = guessing.MOST_PLACES, guessing.MOST_TRIED
    guessing.MOST_PLACES, guessing.MOST_TRIED = 5, 7  # type: ignore[misc]
    try:
        for place, number in tries:
            guess(throttle, place, number)
    finally:
        guessing.MOST_PLACES, guessing.MOST_TRIED = most  # type: ignore[misc]
    assert len(throttle._spent_until) <= 5
    assert len(throttle._tried) <= 7
