"""What many tests stand on: migrated records on both databases, a live store, and bounded hypothesis runs."""

import asyncio
import shutil
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from holdfast.store.records import Records, open_records
from holdfast.store.records.engine import RecordsAddress, records_address
from holdfast.store.records.migrate import migrate
from tests.catalogue.ground import Ground
from tests.clocks import StillClock
from tests.databases import PostgreSQL, private_postgresql
from tests.servers import RunningServer, embedded_valkey

DATABASES = ("sqlite", "postgresql")
TEMPLATE = "migrated"

settings.register_profile(
    "holdfast",
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
settings.load_profile("holdfast")

# A shell that runs the tests in the background has them ignore Ctrl-C, and so would every program they start.
signal.signal(signal.SIGINT, signal.default_int_handler)


@contextmanager
def opened(address: RecordsAddress, *, pool: int = 5, wait: float = 10.0) -> Iterator[Records]:
    """Records that are closed again, for tests without an event loop of their own."""
    records = open_records(address, pool=pool, wait=wait)
    try:
        yield records
    finally:
        asyncio.run(records.close())


@pytest.fixture(scope="session")
def postgresql() -> Iterator[PostgreSQL]:
    """The session's own PostgreSQL, with a migrated database to clone."""
    with private_postgresql() as server:
        server.ask(f"CREATE DATABASE {TEMPLATE}")
        with opened(server.address(TEMPLATE)) as records:
            migrate(records)
        yield server


@pytest.fixture(scope="session")
def migrated_sqlite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("migrated")
    with opened(records_address("sqlite", folder)) as records:
        migrate(records)
    return folder / "records.sqlite"


@pytest.fixture
def sqlite_address(migrated_sqlite: Path, tmp_path: Path) -> RecordsAddress:
    shutil.copy(migrated_sqlite, tmp_path / "records.sqlite")
    return records_address("sqlite", tmp_path)


@pytest.fixture
def postgresql_address(postgresql: PostgreSQL) -> Iterator[RecordsAddress]:
    with postgresql.database(TEMPLATE) as its_own:
        yield its_own


@pytest.fixture(params=DATABASES)
def database(request: pytest.FixtureRequest) -> str:
    """Which database a test runs on: each test that asks for records runs on both."""
    return str(request.param)


@pytest.fixture
def address(database: str, request: pytest.FixtureRequest) -> RecordsAddress:
    """A migrated database of the test's own."""
    its_own: RecordsAddress = request.getfixturevalue(f"{database}_address")
    return its_own


@pytest.fixture
def empty_address(database: str, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[RecordsAddress]:
    """A database of the test's own in which there is nothing yet."""
    if database == "sqlite":
        yield records_address("sqlite", tmp_path)
    else:
        server: PostgreSQL = request.getfixturevalue("postgresql")
        with server.database() as its_own:
            yield its_own


@pytest.fixture
def records(address: RecordsAddress) -> Iterator[Records]:
    with opened(address) as its_own:
        yield its_own


@pytest.fixture(scope="session")
def valkey_of_session() -> Iterator[RunningServer]:
    with embedded_valkey() as server:
        yield server


@pytest.fixture
def live_server(valkey_of_session: RunningServer) -> RunningServer:
    """The embedded live store, emptied."""
    assert valkey_of_session.ask("FLUSHALL") == b"OK"
    return valkey_of_session


@pytest.fixture
def clock() -> StillClock:
    return StillClock()


@pytest.fixture
def ground(records: Records, clock: StillClock) -> Ground:
    """A catalogue on either database, and an operator who does what the test says."""
    return Ground(records, clock)
