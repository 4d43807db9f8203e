"""Real databases for tests: SQLite files, and a private PostgreSQL of which every test has a database."""

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import psycopg
import pytest

from holdfast.store.records.engine import RecordsAddress, records_address

PROGRAMS = max(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda it: int(it.parent.name), default=Path())
"""Of the newest PostgreSQL that is installed as Debian packs it."""
OWNER = "holdfast"
PATIENCE = 30.0  # for a server to start on a busy machine; nothing is measured by it
OPTIONS = {
    "listen_addresses": "",
    "fsync": "off",
    "max_connections": "120",
    # So that a test of deadlocks need not wait a second for each.
    "deadlock_timeout": "50ms",
    "log_min_messages": "fatal",
}


class PostgreSQL:
    """One server process that can be stopped, killed and started again, on a socket of its own."""

    def __init__(self, folder: Path, user: str | None) -> None:
        self.folder = folder
        self._user = user
        self._process: subprocess.Popen[bytes] | None = None
        self._made = 0

    def prepare(self) -> None:
        data = ("-D", str(self.folder / "data"), "-U", OWNER, "-A", "trust", "-E", "UTF8")
        subprocess.run(
            [PROGRAMS / "initdb", *data, "--locale=C", "--no-sync"],
            check=True,
            user=self._user,
            cwd=self.folder,
            capture_output=True,
        )

    def start(self) -> None:
        options = [word for name, value in OPTIONS.items() for word in ("-c", f"{name}={value}")]
        where = ["-D", str(self.folder / "data"), "-k", str(self.folder)]
        with (self.folder / "server.log").open("ab") as log:
            self._process = subprocess.Popen(
                [PROGRAMS / "postgres", *where, *options],
                stdout=log,
                stderr=log,
                user=self._user,
                cwd=self.folder,
                start_new_session=True,
            )
        self._wait_until_ready()

    def _wait_until_ready(self) -> None:
        give_up = time.monotonic() + PATIENCE
        while True:
            try:
                return self.ask("SELECT 1")
            except psycopg.OperationalError:
                assert time.monotonic() < give_up, (self.folder / "server.log").read_text()
                time.sleep(0.01)

    def stop(self) -> None:
        """Whoever is connected is told to go."""
        self._end(signal.SIGINT)

    def kill(self) -> None:
        """As a crash would: no goodbye, and what was being done is lost."""
        self._end(signal.SIGQUIT)

    def _end(self, number: int) -> None:
        if self._process is not None:
            self._process.send_signal(number)
            self._process.wait(PATIENCE)
            self._process = None

    def ask(self, statement: str) -> None:
        with psycopg.connect(self._where("postgres"), autocommit=True) as connection:
            connection.execute(statement.encode())

    @contextmanager
    def database(self, template: str | None = None) -> Iterator[RecordsAddress]:
        """A database that nobody else uses, empty or like the template."""
        self._made += 1
        name = f"test_{self._made}"
        self.ask(f"CREATE DATABASE {name} TEMPLATE {template or 'template0'}")
        # A cloned sequence counts in memory alone until a checkpoint: a crash would make it repeat itself.
        self.ask("CHECKPOINT")
        yield self.address(name)
        self.ask(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")

    def address(self, name: str) -> RecordsAddress:
        return records_address(self._where(name), self.folder)

    def _where(self, name: str) -> str:
        return f"postgresql://{OWNER}@/{name}?host={self.folder}"


@contextmanager
def private_postgresql() -> Iterator[PostgreSQL]:
    """A server that only this test session knows; tests are skipped, loudly, where it is not installed."""
    if not (PROGRAMS / "initdb").exists():
        pytest.skip("NOT TESTED: PostgreSQL is not installed (apt-get install postgresql)")
    with TemporaryDirectory(prefix="hf-pg-") as folder:
        user = _unprivileged(Path(folder))
        server = PostgreSQL(Path(folder), user)
        try:
            server.prepare()
            server.start()
            yield server
        finally:
            server.stop()


def _unprivileged(folder: Path) -> str | None:
    """PostgreSQL refuses to run as root, so root lends it another user's name; others use their own."""
    if os.geteuid() != 0:
        return None
    user = "postgres"
    shutil.chown(folder, user)
    folder.chmod(0o755)
    return user
