"""Projects in the records: drafts are for those who work on them; each change is checked and audited."""

import pytest

from holdfast.errors import ConflictError, InvalidError, NotFoundError
from holdfast.items.model import State
from holdfast.items.store import projects
from tests.catalogue.ground import Ground


def test_drafts_are_listed_for_those_who_work_on_them(ground: Ground) -> None:
    draft, active = (ground.change(projects.add, slug, slug, {}) for slug in ("draft", "active"))
    active = ground.change(projects.change, "active", {"state": "active"})
    assert ground.ask(lambda tx: projects.listing(tx, drafts=True)).items == [active, draft]
    assert ground.ask(lambda tx: projects.listing(tx, drafts=False)).items == [active]
    assert active.state is State.ACTIVE


def test_a_change_is_audited_with_what_it_was_before_and_the_secret_never(ground: Ground) -> None:
    ground.change(projects.add, "demo", "Demo", {})
    ground.change(projects.change, "demo", {"lease": 3600.0})
    entry = ground.audited()[0]
    assert entry.before is not None
    assert entry.after is not None
    assert (entry.before["lease"], entry.after["lease"]) == (0.0, 3600.0)
    assert "secret" not in entry.after


def test_there_is_one_default_project_and_each_slug_once(ground: Ground) -> None:
    ground.change(projects.add, "one", "One", {"is_default": True})
    with pytest.raises(ConflictError):
        ground.change(projects.add, "two", "Two", {"is_default": True})
    with pytest.raises(ConflictError):
        ground.change(projects.add, "one", "Again", {})


@pytest.mark.parametrize("slug", ["", "a b", "Demo", "-demo", "api", "a" * 64, "demo\n"])
def test_a_slug_that_would_mean_something_else_is_refused(ground: Ground, slug: str) -> None:
    with pytest.raises(InvalidError, match="cannot name a project"):
        ground.change(projects.add, slug, "Demo", {})


@pytest.mark.parametrize(
    "change", [{"state": "gone"}, {"unknown": "maybe"}, {"lease": -1.0}, {"attempts": 5000}, {"secret": "x"}]
)
def test_a_change_that_makes_no_sense_is_refused(ground: Ground, change: dict[str, object]) -> None:
    ground.change(projects.add, "demo", "Demo", {})
    with pytest.raises(InvalidError):
        ground.change(projects.change, "demo", change)


def test_a_project_that_is_not_there_is_not_found(ground: Ground) -> None:
    with pytest.raises(NotFoundError):
        ground.ask(projects.named, "nothing")
