"""Freeleech: planned, in force, over, and taken down once somebody changes the plan."""

import pytest

from holdfast.catalogue.model import Freeleech
from holdfast.catalogue.store import freeleech, truth
from holdfast.catalogue.store.truth import Window
from holdfast.errors import ConflictError, InvalidError, NotFoundError
from tests.catalogue.ground import Ground

HOUR = 3600.0


def add(ground: Ground, *, after: float = 0.0, lasts: float = HOUR, down: float = 0.0) -> Freeleech:
    starts = ground.clock.now() + after
    return ground.change(
        freeleech.add, starts=starts, ends=starts + lasts, multi_up=1.0, multi_down=down, reason="New year"
    )


def test_what_is_added_is_listed_audited_and_told(ground: Ground) -> None:
    added = add(ground, down=0.5)
    now = ground.clock.now()
    assert added == Freeleech(added.id, now, now + HOUR, 1.0, 0.5, "New year")
    assert ground.ask(freeleech.listing).items == [added]
    (entry,) = ground.audited()
    assert (entry.action, entry.target_id, entry.target_name) == ("freeleech.add", str(added.id), "New year")
    assert entry.after is not None
    assert entry.after["multi_down"] == 0.5
    thing = ("window", str(added.id))
    assert [row.thing for row in ground.behind()] == [thing]
    assert ground.ask(truth.of, [thing]) == {thing: Window(now, now + HOUR, 1000, 500)}
    assert any("freeleech.changed" in event for event in ground.told())


def test_who_asks_for_what_is_in_force_is_told_of_nothing_else(ground: Ground) -> None:
    first, later = add(ground), add(ground, after=HOUR)
    now = ground.clock.now()
    assert ground.ask(freeleech.listing).items == [later, first]
    for at, wanted in ((now, [first]), (now + HOUR, [later]), (now + 2 * HOUR, [])):
        assert ground.ask(freeleech.listing, now=at).items == wanted


def test_times_that_are_none_are_refused(ground: Ground) -> None:
    for after, lasts in (
        (0, 0),
        (0, -1),
        (-2 * HOUR, HOUR),
        (0, 1e12),
        (float("nan"), HOUR),
        (0, float("inf")),
    ):
        with pytest.raises(InvalidError, match="ends after it began, in the future"):
            add(ground, after=after, lasts=lasts)
    assert ground.ask(freeleech.listing).items == []


def test_one_in_force_ends_now_and_one_that_is_planned_never_begins(ground: Ground) -> None:
    current, planned = add(ground), add(ground, after=HOUR)
    ground.clock.pass_by(60)
    now = ground.clock.now()
    ground.change(freeleech.end, current.id)
    ground.change(freeleech.end, planned.id)
    ends = [one.ends for one in ground.ask(freeleech.listing).items]
    assert ends == [planned.starts, now]
    things = [("window", str(one.id)) for one in (current, planned)]
    assert ground.ask(truth.of, things) == dict.fromkeys(things)
    assert ground.audited()[1].before == {"ends": current.ends}
    for over in (current, planned):
        with pytest.raises(ConflictError, match=f"Freeleech {over.id} is over already"):
            ground.change(freeleech.end, over.id)
    with pytest.raises(NotFoundError, match="There is no freeleech 99"):
        ground.change(freeleech.end, 99)


def test_what_is_over_leaves_the_live_store_with_the_next_change_of_the_plan(ground: Ground) -> None:
    first = add(ground)
    ground.clock.pass_by(HOUR)
    with pytest.raises(ConflictError, match="over already"):
        ground.change(freeleech.end, first.id)
    ground.forget_outbox()
    second = add(ground)
    things = [("window", str(one.id)) for one in (first, second)]
    assert {row.thing for row in ground.behind()} == set(things)
    found = ground.ask(truth.of, things)
    assert found[things[0]] is None
    assert found[things[1]] is not None
    assert [one.id for one in ground.ask(freeleech.listing).items] == [second.id, first.id]
