"""The doctor costs nobody anything who does not ask for it."""

import subprocess
import sys

SLOW = {"alembic", "asyncio", "httpx", "litestar", "rich", "sqlalchemy", "sqlite3", "structlog"}


def test_commands_load_what_is_slow_only_when_they_run() -> None:
    program = "import sys, holdfast.cli; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    ).stdout
    assert not SLOW & set(loaded.split())
