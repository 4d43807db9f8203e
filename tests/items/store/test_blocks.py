"""Blocks in the records: those that hold are listed, and those that end are kept until they are forgotten."""

import pytest

from holdfast.errors import InvalidError, NotFoundError
from holdfast.items.store import blocks, projects
from tests.catalogue.ground import Ground


def test_a_project_s_blocks_are_its_own_and_everybody_s(ground: Ground) -> None:
    demo, other = (ground.change(projects.add, slug, slug, {}) for slug in ("demo", "other"))
    own = ground.change(blocks.add, demo, "ann", "why", None)
    general = ground.change(blocks.add, None, "192.0.2.9/24", "why", None)
    assert general.whom == "192.0.2.0/24"
    now = ground.clock.now()
    assert ground.ask(blocks.listing, now, demo).items == [general, own]
    assert ground.ask(blocks.listing, now, other).items == [general]
    assert ground.ask(blocks.listing, now, None).items == [general, own]


def test_one_that_is_lifted_is_there_until_it_is_forgotten(ground: Ground) -> None:
    block = ground.change(blocks.add, None, "ann", "why", None)
    ground.change(blocks.lift, block.id)
    now = ground.clock.now()
    assert ground.ask(blocks.listing, now, None).items == []
    assert [one.until for one in ground.ask(blocks.every)] == [now]
    with pytest.raises(NotFoundError):
        ground.change(blocks.lift, block.id)
    ground.do(blocks.forget, [block.id])
    assert ground.ask(blocks.every) == []


def test_a_block_does_not_begin_after_its_end(ground: Ground) -> None:
    with pytest.raises(InvalidError, match="future"):
        ground.change(blocks.add, None, "ann", "why", ground.clock.now())
