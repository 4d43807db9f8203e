"""Every process of a test is marked, so that none can outlive it unseen."""

import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.system.supervise.world import MARK, House, marked


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[House]:
    mark = uuid.uuid4().hex
    monkeypatch.setenv(MARK, mark)
    with House(tmp_path / "data", mark) as house:
        yield house
        for process in marked(mark):
            process.kill()
