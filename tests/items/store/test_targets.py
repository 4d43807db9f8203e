"""Upload targets in the records: each URL once in a project, and no other project's."""

import pytest

from holdfast.errors import ConflictError, InvalidError, NotFoundError
from holdfast.items.store import projects, targets
from tests.catalogue.ground import Ground

URL = "rsync://one.example/in/"


def test_a_target_is_added_changed_and_removed_and_all_of_it_audited(ground: Ground) -> None:
    demo = ground.change(projects.add, "demo", "Demo", {})
    added = ground.change(targets.add, demo, URL.removesuffix("/"), 2.0)
    assert (added.url, added.weight, added.active) == (URL, 2.0, True)
    held = ground.change(targets.change, demo, added.id, {"held_until": 9.0, "held_why": "full"})
    assert ground.ask(targets.listing, demo).items == ground.ask(targets.every) == [held]
    ground.change(targets.remove, demo, added.id)
    assert ground.ask(targets.every) == []
    actions = [entry.action for entry in ground.audited()]
    assert actions[:3] == ["target.remove", "target.change", "target.add"]


def test_a_target_is_there_once(ground: Ground) -> None:
    demo, other = (ground.change(projects.add, slug, slug, {}) for slug in ("demo", "other"))
    ground.change(targets.add, demo, URL, 1.0)
    ground.change(targets.add, other, URL, 1.0)
    with pytest.raises(ConflictError, match="already"):
        ground.change(targets.add, demo, URL, 1.0)


def test_a_project_changes_its_own_targets_alone(ground: Ground) -> None:
    demo, other = (ground.change(projects.add, slug, slug, {}) for slug in ("demo", "other"))
    added = ground.change(targets.add, demo, URL, 1.0)
    with pytest.raises(NotFoundError, match="no target"):
        ground.change(targets.remove, other, added.id)
    with pytest.raises(NotFoundError, match="no target"):
        ground.change(targets.change, other, added.id, {"active": False})
    with pytest.raises(InvalidError):
        ground.change(targets.change, demo, added.id, {"weight": 0.0})
