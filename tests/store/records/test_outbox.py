"""The outbox: what fell behind, oldest first, written with the change that caused it or not at all."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import Connection

from holdfast.errors import ConflictError
from holdfast.store.records import Records, outbox
from holdfast.store.records.outbox import Behind


def keys(tx: Connection) -> list[str]:
    return [row.key for row in outbox.oldest(tx, 100)]


def test_what_fell_behind_is_given_back_in_order(records: Records) -> None:
    records.write_now(lambda tx: outbox.note(tx, 5.0, "request", [("passkey", "b"), ("info_hash", "a")]))
    records.write_now(lambda tx: outbox.note(tx, 6.0, "", [("passkey", "c")]))
    first, second, third = records.read_now(lambda tx: outbox.oldest(tx, 10))
    assert first == Behind(first.id, "passkey", "b", 5.0, "request")
    assert (second.key, third.key) == ("a", "c")
    assert first.id < second.id < third.id
    assert records.read_now(lambda tx: outbox.oldest(tx, 2)) == [first, second]


def test_nothing_to_follow_costs_no_row(records: Records) -> None:
    records.write_now(lambda tx: outbox.note(tx, 5.0, "", []))
    assert records.read_now(outbox.waiting) == (0, None)


def test_it_says_how_many_wait_and_since_when(records: Records) -> None:
    for at in (7.0, 5.0, 9.0):
        records.write_now(lambda tx, at=at: outbox.note(tx, at, "", [("passkey", "a")]))  # type: ignore[misc]
    assert records.read_now(outbox.waiting) == (3, 5.0)


def test_a_change_that_is_undone_leaves_nothing_to_follow(records: Records) -> None:
    def undone(tx: Connection) -> None:
        outbox.note(tx, 5.0, "", [("passkey", "a")])
        raise ConflictError("No.")

    with pytest.raises(ConflictError):
        records.write_now(undone)
    assert records.read_now(keys) == []


def test_a_number_is_never_given_twice(records: Records) -> None:
    """Whoever remembers an event by its number must not take a later one for it."""
    seen = set()
    for _ in range(5):
        records.write_now(lambda tx: outbox.note(tx, 5.0, "", [("event", "{}")]))
        (row,) = records.read_now(lambda tx: outbox.oldest(tx, 10))
        assert row.id not in seen
        seen.add(row.id)
        records.write_now(lambda tx, row=row: outbox.done(tx, [row.id]))  # type: ignore[misc]


@settings(max_examples=25)
@given(rounds=st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), max_size=6))
def test_what_is_not_done_stays_in_order(records: Records, rounds: list[tuple[int, int]]) -> None:
    records.write_now(lambda tx: outbox.done(tx, [row.id for row in outbox.oldest(tx, 1000)]))
    waiting: list[str] = []
    number = 0
    for more, less in rounds:
        new = [str(number + n) for n in range(more)]
        number += more
        waiting = (waiting + new)[less:]

        def step(tx: Connection, new: list[str] = new, less: int = less) -> None:
            outbox.note(tx, 5.0, "", [("event", key) for key in new])
            outbox.done(tx, [row.id for row in outbox.oldest(tx, less)])

        records.write_now(step)
    assert records.read_now(keys) == waiting
