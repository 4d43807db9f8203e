"""Categories: one to a name, worth what they say from now on."""

import pytest

from holdfast.catalogue.store import categories
from holdfast.errors import ConflictError, InvalidError, NotFoundError
from tests.catalogue.ground import Ground


def test_a_category_is_found_by_its_name_in_any_case(ground: Ground) -> None:
    films = ground.change(categories.add, name="  Films ", points=25)
    assert (films.name, films.points) == ("Films", 25)
    assert ground.ask(categories.named, "FILMS") == films
    assert ground.ask(categories.get, films.id) == films


def test_they_are_listed_by_name(ground: Ground) -> None:
    for name in ("zines", "Audio", "films"):
        ground.change(categories.add, name=name, points=0)
    assert [one.name for one in ground.ask(categories.listing)] == ["Audio", "films", "General", "zines"]


def test_a_name_that_reads_the_same_is_taken(ground: Ground) -> None:
    with pytest.raises(ConflictError, match="There is a category named GENERAL already"):
        ground.change(categories.add, name="GENERAL", points=0)
    films = ground.change(categories.add, name="Films", points=0)
    with pytest.raises(ConflictError, match="named general already"):
        ground.change(categories.change, films.id, name="general", points=None)
    assert ground.ask(categories.get, films.id) == films


def test_a_name_may_change_its_case(ground: Ground) -> None:
    films = ground.change(categories.add, name="films", points=0)
    assert ground.change(categories.change, films.id, name="Films", points=None).name == "Films"


def test_a_change_is_told_with_what_was(ground: Ground) -> None:
    films = ground.change(categories.add, name="Films", points=5)
    ground.change(categories.change, films.id, name=None, points=6)
    (entry, *_) = ground.audited()
    assert entry.before == {"name": "Films", "points": 5}
    assert entry.after == {"name": "Films", "points": 6}
    ground.change(categories.change, films.id, name="Films", points=6)
    assert ground.audited()[0] == entry


def test_what_makes_no_sense_is_refused(ground: Ground) -> None:
    for name, points in (("", 0), ("x" * 65, 0), ("a\nb", 0), ("a", -1), ("a", 10**7)):
        with pytest.raises(InvalidError):
            ground.change(categories.add, name=name, points=points)
    assert [one.name for one in ground.ask(categories.listing)] == ["General"]


def test_one_that_is_not_there_is_not_found(ground: Ground) -> None:
    with pytest.raises(NotFoundError):
        ground.change(categories.change, 99, name="x", points=None)
    with pytest.raises(NotFoundError, match="there are: General"):
        ground.ask(categories.named, "nothing")
