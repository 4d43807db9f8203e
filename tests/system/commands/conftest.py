"""One running system for all who only use it as a person would, each with members and names of his own."""

from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

from tests.system.running import Running, running

numbers = count(1)


@pytest.fixture(scope="session")
def house() -> Iterator[Running]:
    with running() as one:
        yield one


@pytest.fixture
def member(house: Running) -> str:
    """A member whom nobody else knows."""
    name = f"member{next(numbers)}"
    assert house.cli("member", "add", name).code == 0
    return name


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Something to share, unlike what anybody else shares."""
    place = tmp_path / f"share {next(numbers)}"
    (place / "inner").mkdir(parents=True)
    (place / "one.txt").write_text(f"of {place.name}\n" * 100)
    (place / "inner" / "two.txt").write_text("two")
    return place
