"""One embedded Valkey for each test file, emptied before each test."""

import io
import logging
from collections.abc import Iterator

import pytest
import structlog

from holdfast.clock import SystemClock
from holdfast.observe.logs import configure_logs
from holdfast.settings.tree import LogFormat, LogLevel, Logs
from tests.servers import RunningServer
from tests.system.web.house import valkey


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
    handlers, level = logging.getLogger().handlers[:], logging.getLogger().level
    written = io.StringIO()
    configure_logs(Logs(format=LogFormat.JSON, level=LogLevel.INFO), "web", written, SystemClock())
    yield written
    logging.getLogger().handlers[:] = handlers
    logging.getLogger().setLevel(level)
    logging.getLogger("holdfast").setLevel(logging.NOTSET)
    structlog.reset_defaults()
