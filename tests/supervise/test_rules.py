"""What the supervisor decides, without any process."""

import signal
from dataclasses import replace
from math import inf

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from holdfast.errors import Exit
from holdfast.supervise import rules
from holdfast.supervise.model import PartSpec, Phase
from holdfast.supervise.rules import (
    Announce,
    BecameReady,
    Died,
    House,
    Kill,
    Start,
    Stop,
    StopAsked,
    Tell,
    Ticked,
)

LIVE = PartSpec("live", ())
WEB = PartSpec("web", (), after=("live",))
TRACKER = PartSpec("tracker", (), after=("live",))


def told(actions: list[rules.Action]) -> list[str]:
    return [action.sentence for action in actions if isinstance(action, Tell)]


def all_ready(*specs: PartSpec) -> House:
    house, _ = rules.step(rules.found(specs, 0), 0, Ticked())
    for spec in specs:
        house, _ = rules.step(house, 0, BecameReady(spec.name, 1))
    return house


def test_a_part_waits_until_what_it_stands_on_is_ready() -> None:
    house, actions = rules.step(rules.found([WEB, LIVE], 0), 0, Ticked())
    assert actions == [Start("live", 1)]
    house, actions = rules.step(house, 1, BecameReady("live", 1))
    assert actions == [Start("web", 1)]
    house, actions = rules.step(house, 2, BecameReady("web", 1))
    assert actions == [Announce()]


def test_everything_is_announced_once_and_not_after_each_restart() -> None:
    house = all_ready(LIVE)
    house, _ = rules.step(house, 1, Died("live", 1, 1))
    house, actions = rules.step(house, 3, Ticked())
    assert actions == [Start("live", 2)]
    _, actions = rules.step(house, 4, BecameReady("live", 2))
    assert actions == [Tell("live is running again", "live")]


def test_a_rested_part_waits_without_alarm_for_what_it_stands_on() -> None:
    house = all_ready(LIVE, WEB)
    house, _ = rules.step(house, 0, Died("web", 1, 1))
    house, _ = rules.step(house, 0, Died("live", 1, 1))
    house, actions = rules.step(house, 1, Ticked())
    assert actions == [Start("live", 2)]
    assert house.due > 1
    _, actions = rules.step(house, 2, BecameReady("live", 2))
    assert Start("web", 2) in actions


def test_rests_double_from_one_second_to_thirty() -> None:
    assert [rules.rest(deaths, 0) for deaths in range(1, 8)] == [1, 2, 4, 8, 16, 30, 30]


@given(st.integers(1, 10**6), st.floats(0, 1))
def test_a_rest_is_never_longer_than_thirty_seconds_nor_shorter_than_four_fifths_of_its_measure(
    deaths: int, chance: float
) -> None:
    whole = rules.rest(deaths, 0)
    assert 0.8 * whole - 1e-9 <= rules.rest(deaths, chance) <= whole <= 30


def test_a_crash_loop_rests_longer_each_time_and_says_so() -> None:
    house, now, said = all_ready(LIVE), 0.0, []
    for run in range(1, 8):
        house, actions = rules.step(house, now, Died("live", run, -signal.SIGKILL))
        said += told(actions)
        now = house.due
        house, actions = rules.step(house, now, Ticked())
        assert actions == [Start("live", run + 1)]
    assert said[0] == "live was killed by SIGKILL; starting it again in 1 s"
    assert [sentence.rsplit(" ", 2)[1] for sentence in said] == ["1", "2", "4", "8", "16", "30", "30"]


@pytest.mark.parametrize(("well_for", "wait"), [(59.9, 4), (60, 1)])
def test_a_minute_of_wellbeing_makes_the_next_death_the_first(well_for: float, wait: float) -> None:
    house = all_ready(LIVE)
    for run in (1, 2):
        house, _ = rules.step(house, 0, Died("live", run, 1))
        house, _ = rules.step(house, 100, Ticked())
    house, _ = rules.step(house, 100, BecameReady("live", 3))
    house, _ = rules.step(house, 100 + well_for, Died("live", 3, 1))
    assert house.due == pytest.approx(100 + well_for + wait)


def test_a_part_that_dies_three_times_before_it_was_ever_ready_ends_the_start_with_its_last_words() -> None:
    house, _ = rules.step(rules.found([LIVE, WEB], 0), 0, Ticked())
    for run in (1, 2):
        house, _ = rules.step(house, 10.0 * run, Died("live", run, 1))
        assert house.failure is None
        house, actions = rules.step(house, 10.0 * run + 5, Ticked())
        assert Start("live", run + 1) in actions
    house, actions = rules.step(house, 40, Died("live", 3, 1, "no space left"))
    assert house.finished
    assert house.failure == rules.Failure(
        "Holdfast did not start: live stopped with exit code 1 before it was ready, 3 times in a row:"
        " no space left",
        1,
    )


def test_an_error_that_only_a_person_can_mend_ends_the_start_at_once() -> None:
    house, _ = rules.step(rules.found([LIVE], 0), 0, Ticked())
    house, _ = rules.step(house, 1, Died("live", 1, Exit.SETTINGS, "no such key"))
    assert house.failure is not None
    assert house.failure.sentence == (
        "Holdfast did not start: live stopped with exit code 7 before it was ready: no such key"
    )


def test_a_part_that_has_once_been_ready_is_never_given_up() -> None:
    house, now = all_ready(LIVE), 0.0
    for run in range(1, 50):
        house, _ = rules.step(house, now, Died("live", run, Exit.SETTINGS))
        now = house.due
        house, _ = rules.step(house, now, Ticked())
    assert house.failure is None
    assert house.lives["live"].phase is Phase.STARTING


def test_giving_up_stops_the_parts_that_run_already() -> None:
    house, _ = rules.step(rules.found([LIVE, WEB], 0), 0, Ticked())
    house, _ = rules.step(house, 0, BecameReady("live", 1))
    house, actions = rules.step(house, 1, Died("web", 1, Exit.SETTINGS))
    assert actions == [Stop("live")]
    house, _ = rules.step(house, 2, Died("live", 1, 0))
    assert house.finished


def test_parts_stop_before_what_they_stand_on() -> None:
    house, actions = rules.step(all_ready(LIVE, WEB, TRACKER), 10, StopAsked())
    assert [action for action in actions if isinstance(action, Stop)] == [Stop("web"), Stop("tracker")]
    house, actions = rules.step(house, 11, Died("web", 1, 0))
    assert actions == []
    house, actions = rules.step(house, 12, Died("tracker", 1, 0))
    assert actions == [Stop("live")]
    house, _ = rules.step(house, 13, Died("live", 1, 0))
    assert house.finished
    assert house.failure is None


def test_a_part_that_does_not_stop_in_time_is_killed() -> None:
    house, _ = rules.step(all_ready(LIVE), 10, StopAsked())
    assert house.due == 10 + LIVE.stop_seconds
    house, actions = rules.step(house, 14, Ticked())
    assert actions == [Tell("live did not stop in time and is killed", "live"), Kill("live")]


def test_a_second_request_stops_everything_at_once_and_leaves_a_second() -> None:
    house, _ = rules.step(all_ready(LIVE, WEB), 10, StopAsked())
    house, actions = rules.step(house, 11, StopAsked())
    assert Stop("live") in actions
    house, actions = rules.step(house, 12, Ticked())
    assert {action for action in actions if isinstance(action, Kill)} == {Kill("live"), Kill("web")}


def test_late_word_of_an_earlier_process_changes_nothing() -> None:
    house = all_ready(LIVE)
    house, _ = rules.step(house, 1, Died("live", 1, 1))
    assert rules.step(house, 1, Died("live", 1, 1)) == (house, [])
    house, _ = rules.step(house, 3, Ticked())
    for late in (Died("live", 1, 1), BecameReady("live", 1)):
        assert rules.step(house, 4, late) == (house, [])


def test_a_slow_start_is_told_ever_more_rarely() -> None:
    house, _ = rules.step(rules.found([LIVE], 0), 0, Ticked())
    when = []
    for _ in range(4):
        when.append(house.due)
        house, actions = rules.step(house, house.due, Ticked())
        assert told(actions) == [f"live is still starting after {when[-1]:.0f} s"]
    assert when == [10, 20, 40, 80]


@pytest.mark.parametrize(
    ("specs", "complaint"),
    [
        ([LIVE, LIVE], "two parts are named live"),
        ([WEB], "web comes after live, which is no part"),
        ([replace(LIVE, after=("web",)), WEB], "ring"),
        ([replace(LIVE, stop_seconds=6), WEB], "over 9.0 s"),
    ],
)
def test_a_plan_that_cannot_work_is_refused(specs: list[PartSpec], complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        rules.found(specs, 0)


@pytest.mark.parametrize(
    ("exit_code", "words"),
    [(0, "stopped with exit code 0"), (-9, "was killed by SIGKILL"), (-77, "was killed by signal 77")],
)
def test_an_exit_code_is_put_in_words(exit_code: int, words: str) -> None:
    assert rules.how(exit_code) == words


class AnyHouse(RuleBasedStateMachine):
    """A world that does to its parts whatever it likes, and the rules that must keep their promises in it."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0
        self.house = rules.found([], 0.0)
        self.alive: dict[str, int] = {}
        self.stop_asked = inf
        self.hurried = False
        self.announced = 0
        self.proven: set[str] = set()

    @initialize(data=st.data(), count=st.integers(1, 4))
    def build(self, data: st.DataObject, count: int) -> None:
        names = [f"part{number}" for number in range(count)]
        self.house = rules.found(
            [
                PartSpec(
                    name,
                    (),
                    after=tuple(
                        sorted(data.draw(st.sets(st.sampled_from(names[:number]))) if number else ())
                    ),
                    stop_seconds=data.draw(st.floats(0.1, rules.STOP_TOTAL / count)),
                )
                for number, name in enumerate(names)
            ],
            0.0,
        )
        self.happen(Ticked())

    def happen(self, event: rules.Event) -> None:
        before = self.house
        self.house, actions = rules.step(before, self.now, event)
        if self.house.stopping and not before.stopping:
            self.stop_asked = self.now
        for action in actions:
            self.check(action)

    def check(self, action: rules.Action) -> None:
        match action:
            case Start(name, run):
                assert name not in self.alive
                assert not self.house.stopping
                after = self.house.specs[name].after
                assert all(self.house.lives[other].phase is Phase.READY for other in after)
                self.alive[name] = run
            case Stop(name):
                dependents = {other for other in self.alive if name in self.house.specs[other].after}
                assert self.house.stopping
                assert self.hurried or not dependents
            case Kill(name):
                assert self.house.lives[name].phase is Phase.KILLED
                del self.alive[name]
                self.happen(Died(name, self.house.lives[name].run, -signal.SIGKILL))
            case Announce():
                self.announced += 1

    @rule(seconds=st.floats(0, 100))
    def time_passes(self, seconds: float) -> None:
        end = self.now + seconds
        while self.house.due <= end:
            self.now = self.house.due
            self.happen(Ticked())
            assert self.house.due > self.now
        self.now = end

    @precondition(lambda self: self.alive)
    @rule(data=st.data(), exit_code=st.integers(-20, 10), chance=st.floats(0, 1))
    def one_dies(self, data: st.DataObject, exit_code: int, chance: float) -> None:
        name = data.draw(st.sampled_from(sorted(self.alive)))
        self.happen(Died(name, self.alive.pop(name), exit_code, "words", chance))

    @precondition(lambda self: self.alive)
    @rule(data=st.data())
    def one_is_ready(self, data: st.DataObject) -> None:
        name = data.draw(st.sampled_from(sorted(self.alive)))
        self.proven.add(name)
        self.happen(BecameReady(name, self.alive[name]))

    @rule()
    def stop_is_asked(self) -> None:
        self.hurried = self.house.stopping
        self.happen(StopAsked())

    @invariant()
    def what_was_due_has_been_done(self) -> None:
        assert self.house.due > self.now

    @invariant()
    def the_house_knows_who_lives(self) -> None:
        living = {name for name, life in self.house.lives.items() if life.phase in rules.ALIVE}
        assert living == set(self.alive)

    @invariant()
    def all_is_announced_at_most_once(self) -> None:
        assert self.announced == self.house.announced

    @invariant()
    def a_stop_ends_within_its_time(self) -> None:
        assert self.house.finished or self.now - self.stop_asked <= rules.STOP_TOTAL + 1e-6

    @invariant()
    def giving_up_is_for_parts_that_never_were_ready(self) -> None:
        if self.house.failure:
            assert set(self.house.specs) - self.proven


TestAnyHouse = AnyHouse.TestCase
TestAnyHouse.settings = settings(max_examples=150, stateful_step_count=40, deadline=None)
