"""What the records add up from readings of the live store, whatever it lost between two of them."""

from hypothesis import given
from hypothesis import strategies as st

from holdfast.tracker import rules
from holdfast.tracker.model import Limits, Participation, Seen, Standing, Tally

READINGS = st.lists(st.integers(0, 1000), max_size=20)


def added_up(readings: list[Tally]) -> int:
    seen, total = Seen(), 0
    for live in readings:
        total += rules.moved(seen, live).uploaded
        seen = rules.seen_now(seen, live)
    return total


@given(readings=READINGS)
def test_of_one_store_as_much_is_counted_as_it_ever_said(readings: list[int]) -> None:
    """It may say less for a while: one that takes over may lack the last second."""
    assert added_up([Tally("1-1", each) for each in readings]) == max(readings, default=0)


@given(stores=st.lists(READINGS, max_size=5))
def test_of_stores_that_were_lost_each_counts(stores: list[list[int]]) -> None:
    said = [Tally(f"{store}-1", each) for store, readings in enumerate(stores) for each in readings]
    assert added_up(said) == sum(max(readings, default=0) for readings in stores)


def test_counts_that_get_their_birth_late_are_the_same_counts() -> None:
    assert added_up([Tally("", 50), Tally("1-1", 70)]) == 70
    assert added_up([Tally("", 50), Tally("1-1", 20)]) == 70, "these began at zero"


def test_a_store_that_forgot_takes_nobody_off_the_list() -> None:
    listed = Participation(hnr=5.0, time=10, downloaded=100)
    seen = Seen("1-1", 0, 100, 10, hnr=True, version=1)
    assert rules.follow(listed, seen, Standing("2-1"), 1000).hnr == 5.0
    assert rules.follow(listed, seen, Standing("1-1", 0, 100, 10), 1000).hnr is None
    assert rules.follow(listed, seen, Standing("2-1", time=990), 1000).hnr is None, "he worked it off"
    assert rules.follow(listed, seen, Standing("2-1", hnr=9), 1000).hnr == 5.0, "since then, not again"


def test_who_is_exempt_is_not_listed_and_owes_nothing() -> None:
    freed = Participation(downloaded=10**9, exempt=True)
    assert rules.follow(freed, Seen(), Standing("1-1", hnr=9), 1000).hnr is None
    assert rules.time_owed(freed, Limits()) == 0


def test_what_is_owed_is_what_is_left_of_the_time() -> None:
    limits = Limits(hnr_seconds=1000, hnr_bytes=50)
    assert rules.time_owed(Participation(downloaded=50, time=300), limits) == 700
    assert rules.time_owed(Participation(downloaded=49), limits) == 0
    assert rules.time_owed(Participation(downloaded=50, time=2000), limits) == 0
    clears = Limits(hnr_seconds=1000, hnr_bytes=50, hnr_clear_on_complete=True)
    assert rules.time_owed(Participation(downloaded=50, complete=True), clears) == 0


def test_a_swarm_is_out_of_balance_by_slack_and_by_a_fifth() -> None:
    assert rules.balanced(1100, 1000, 100)
    assert not rules.balanced(1300, 1000, 100)
    assert rules.balanced(1190, 1000, 100), "less than a fifth"
    assert rules.balanced(10**12, 0, 0), "no slack: nobody is judged"
