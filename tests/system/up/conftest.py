"""A fresh system for tests that do violence to it, and one that those who are gentle share."""

from collections.abc import Iterator

import pytest

from tests.system.running import Running, running


@pytest.fixture
def house() -> Iterator[Running]:
    """Not started yet."""
    with running(start=False) as one:
        yield one
