"""Volunteers' real programs: seesaw, in an environment of its own, for it needs an old Tornado."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.system.running import PATIENCE, environment

SEESAW = Path(sys.executable).parent.parent / "seesaw"
"""Beside our own environment; `make test` installs it."""
HERE = Path(__file__).parent / "seesaw"


def need_seesaw() -> None:
    if not (SEESAW / "bin/run-pipeline3").exists():
        pytest.skip("NOT TESTED: seesaw is not installed; `make test` does that")


def pipeline(tracker: str, name: str, *, items: int, multi: str = "", upload: bool = False) -> str:
    """Run a whole pipeline for so many items; answers what it said."""
    with TemporaryDirectory(prefix="hf-seesaw-") as folder:
        shutil.copy(HERE / "pipeline.py", folder)
        program = [SEESAW / "bin/run-pipeline3", "pipeline.py", name, "--max-items", str(items)]
        ended = subprocess.run(
            [*map(str, program), "--concurrent", "1", "--disable-web-server"],
            env=environment(TRACKER=tracker, MULTI=multi, UPLOAD="yes" * upload, PYTHONPATH=os.fspath(HERE)),
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
    return ended.stdout + ended.stderr
