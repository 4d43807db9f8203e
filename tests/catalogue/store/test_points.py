"""Points: a ledger that only grows, whose sum is the balance."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.catalogue.model import MemberRef
from holdfast.catalogue.store import members, points, uploads
from holdfast.errors import InvalidError
from tests.catalogue.ground import Ground, as_member


def test_points_that_are_given_are_in_the_ledger_with_who_and_why(ground: Ground) -> None:
    ann, boss = ground.member("ann"), ground.member("boss", "operator")
    entry = ground.change_as(as_member(boss), points.give, ann, 50, "  a present ")
    assert (entry.amount, entry.reason, entry.by, entry.balance_after) == (
        50,
        "a present",
        MemberRef(boss.id, "boss"),
        50,
    )
    assert ground.ask(points.listing, ann.id).items == [entry]
    assert ground.ask(members.get, "ann").points == ground.ask(points.balance, ann.id) == 50
    assert ground.ask(points.balance, boss.id) == 0


def test_points_can_be_taken_below_nothing(ground: Ground) -> None:
    ann = ground.member("ann")
    assert ground.change(points.give, ann, -5, "a fine").balance_after == -5


def test_an_amount_that_makes_no_sense_changes_nothing(ground: Ground) -> None:
    ann = ground.member("ann")
    for amount in (0, 10**9 + 1, -(10**9) - 1):
        with pytest.raises(InvalidError):
            ground.change(points.give, ann, amount, "because")
    assert ground.ask(points.listing, ann.id).items == []


def test_points_need_a_reason(ground: Ground) -> None:
    ann = ground.member("ann")
    for reason in ("", " ", "two\nlines", "x" * 256):
        with pytest.raises(InvalidError, match="reason"):
            ground.change(points.give, ann, 5, reason)
    assert ground.ask(points.balance, ann.id) == 0


def test_balances_beyond_32_bits_are_exact(ground: Ground) -> None:
    ann = ground.member("ann")
    for _ in range(5):
        ground.change(points.give, ann, 10**9, "much")
    assert ground.ask(points.balance, ann.id) == 5 * 10**9
    assert ground.ask(members.get, "ann").points == 5 * 10**9


STEPS = st.one_of(
    st.tuples(st.just("give"), st.integers(-50, 50).filter(bool), st.integers(0, 1)),
    st.tuples(st.just("upload"), st.just(0), st.integers(0, 1)),
    st.tuples(st.just("remove"), st.integers(0, 20), st.just(0)),
)


@settings(max_examples=15)
@given(steps=st.lists(STEPS, max_size=12))
def test_the_balance_is_the_sum_of_the_ledger_whatever_happens(
    ground: Ground, steps: list[tuple[str, int, int]]
) -> None:
    if ground.ask(members.count) == 0:
        ground.member("ann")
        ground.member("bob")
    people = [ground.ask(members.get, name) for name in ("ann", "bob")]
    before = [ground.ask(points.balance, one.id) for one in people]
    given_to = [0, 0]
    standing: list[tuple[int, int]] = []
    for what, number, who in steps:
        match what:
            case "give":
                ground.change(points.give, people[who], number, "because")
                given_to[who] += number
            case "upload":
                ground.clock.pass_by(1)
                film = ground.upload(people[who], f"film {ground.clock.now()}")
                standing.append((film.id, who))
            case "remove" if standing:
                removed, _ = standing.pop(number % len(standing))
                ground.change(uploads.remove, removed, "a fake")
    for who, one in enumerate(people):
        ledger = ground.ask(points.listing, one.id, limit=1000).items
        held = ground.ask(points.balance, one.id)
        assert held == sum(entry.amount for entry in ledger)
        assert held == ground.ask(members.get, one.id).points
        assert held - before[who] == given_to[who] + 10 * sum(by == who for _, by in standing)
        running = 0
        for entry in reversed(ledger):
            running += entry.amount
            assert entry.balance_after == running
