"""One embedded Valkey for each test file, emptied before each test."""

import io
from collections.abc import Iterator

import pytest

from tests.servers import RunningServer
from tests.system.web.house import quiet, valkey


@pytest.fixture(scope="module", name="shared")
def shared_fixture() -> Iterator[RunningServer]:
    with valkey() as server:
        yield server


@pytest.fixture(name="live")
def live_fixture(shared: RunningServer) -> RunningServer:
    shared.ask("FLUSHALL")
    return shared


@pytest.fixture(autouse=True, name="log")
def log_fixture() -> Iterator[io.StringIO]:
    """What the door wrote into its log, as JSON."""
    with quiet() as written:
        yield written
