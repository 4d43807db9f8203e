"""What spread decides about targets for uploads and about what goes with an item, without any store."""

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.errors import InvalidError
from holdfast.items import rules
from holdfast.items.model import Project, State, Target

DEMO = Project(1, "demo", "Demo", State.ACTIVE)
HERE = Target(1, 1, "rsync://one.example/in/", 1.0, active=True, held_until=0.0, held_why="")


@given(st.lists(st.floats(0.001, 1e6), min_size=1, max_size=9), st.floats(0, 1, exclude_max=True))
def test_whatever_the_luck_some_target_is_chosen(weights: list[float], luck: float) -> None:
    targets = [replace(HERE, id=place, weight=weight) for place, weight in enumerate(weights)]
    assert rules.choose(targets, luck) in targets


def test_a_target_of_three_times_the_weight_is_chosen_three_times_as_often() -> None:
    targets = [HERE, replace(HERE, id=2, weight=3.0)]
    chosen = Counter(rules.choose(targets, place / 100).id for place in range(100))
    assert chosen == {1: 25, 2: 75}


def test_nobody_is_sent_to_a_target_that_is_held_or_switched_off() -> None:
    held, off = replace(HERE, id=2, held_until=50.0), replace(HERE, id=3, active=False)
    assert rules.well([HERE, held, off], 49.0) == [HERE]
    assert rules.well([held], 50.0) == [held]
    assert rules.can_store([], 0.0)
    assert not rules.can_store([held, off], 49.0)


def test_a_target_ends_in_a_slash_as_clients_want_it() -> None:
    assert rules.target_url("rsync://one.example/in") == "rsync://one.example/in/"
    assert rules.target_url("http://[::1]:80/:downloader/") == "http://[::1]:80/:downloader/"


@pytest.mark.parametrize(
    "url",
    ["", "ftp://one.example/", "rsync://", "http://a b/", "http://[oops/", "http://a/?b", "http://a\n/"],
)
def test_what_no_client_could_use_is_no_target(url: str) -> None:
    with pytest.raises(InvalidError):
        rules.target_url(url)


def test_uploads_to_servers_that_we_did_not_name_are_kept_together() -> None:
    assert rules.server_name("one.example", [HERE]) == "one.example"
    assert rules.server_name("anything", [HERE]) == rules.OTHERS


def test_extras_name_the_items_wherever_a_template_says_so() -> None:
    said = {"a": "x-{item}", "b": {"c": ["{items}", 1, None]}, "d": "all: {items}", "e": "{other} {0}"}
    project = replace(DEMO, extras=said)
    assert rules.extras(project, ["m", "n"]) == {
        "a": "x-m\0n",
        "b": {"c": [["m", "n"], 1, None]},
        "d": "all: m,n",
        "e": "{other} {0}",
    }


def test_a_name_that_looks_like_a_template_is_taken_as_it_is() -> None:
    assert rules.extras(replace(DEMO, extras={"a": "{item}"}), ["{items}"]) == {"a": "{items}"}


@pytest.mark.parametrize("name", sorted(rules.RESERVED))
def test_no_extra_stands_in_for_what_the_answer_says_itself(name: str) -> None:
    with pytest.raises(InvalidError, match=name):
        rules.checked({"extras": {name: "x"}})


def test_extras_are_small() -> None:
    with pytest.raises(InvalidError, match="at most"):
        rules.checked({"extras": {"a": "x" * rules.LARGEST_EXTRAS}})


def test_no_name_has_a_nul_whatever_the_pattern_takes() -> None:
    assert rules.sorted_out(replace(DEMO, item_pattern="[^x]+"), ["a", "b\0c", "x"]) == (["a"], ["b\0c", "x"])
