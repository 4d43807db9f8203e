"""What warriors are told beside the projects, and the keys for discovered items."""

import pytest

from holdfast.errors import InvalidError, NotFoundError
from holdfast.items import rules
from holdfast.items.model import Headquarters
from holdfast.items.store import headquarters, projects
from tests.catalogue.ground import Ground


def test_what_is_told_can_be_changed_back_by_what_the_audit_says(ground: Ground) -> None:
    assert ground.ask(headquarters.get) == Headquarters()
    ground.change(headquarters.change, {"broadcast_message": "one"})
    ground.change(headquarters.change, {"broadcast_message": "two", "seesaw_version": "0.10.3"})
    before = ground.audited()[0].before
    assert before is not None
    assert ground.change(headquarters.change, before) == Headquarters(broadcast_message="one")
    assert ground.ask(headquarters.get) == Headquarters(broadcast_message="one")


def test_nothing_is_told_that_no_warrior_could_read(ground: Ground) -> None:
    with pytest.raises(InvalidError, match="seesaw"):
        ground.change(headquarters.change, {"seesaw_version": "newest"})
    with pytest.raises(NotFoundError):
        ground.change(headquarters.change, {"auto_project": "nowhere"})


def test_a_key_is_remembered_by_its_hash_alone(ground: Ground) -> None:
    ground.change(projects.add, "demo", "Demo", {})
    before = ground.change(projects.new_key, "demo")
    after = ground.change(projects.new_key, "demo")
    assert before != after
    assert ground.ask(projects.named, "demo").backfeed_hash == rules.key_hash(after)
    with pytest.raises(NotFoundError):
        ground.change(projects.new_key, "nowhere")


def test_what_a_project_tells_programs_is_kept_as_it_was_given(ground: Ground) -> None:
    ground.change(projects.add, "demo", "Demo", {})
    values = {"extras": {"a": ["{items}", 1]}, "rescue": True, "backfeed_queue": "todo:redo", "weight": 0.5}
    ground.change(projects.change, "demo", values)
    found = ground.ask(projects.named, "demo")
    assert {name: getattr(found, name) for name in values} == values
    assert found.dictionary == {}
