"""Volunteers' real programs: seesaw, in an environment of its own, for it needs an old Tornado."""

import json
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
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


@contextmanager
def warrior(headquarters: str, tracker: str, name: str, folder: Path) -> Iterator[Callable[[], str]]:
    """A whole warrior that leaves the choice of its project to headquarters; answers what it said so far."""
    projects, data, said = folder / "projects", folder / "data", folder / "said"
    for each in (projects, data):
        each.mkdir()
    (projects / "config.json").write_text(json.dumps({"downloader": name, "selected_project": "auto"}))
    places = ["--projects-dir", projects, "--data-dir", data, "--warrior-hq", headquarters]
    with said.open("wb") as out:
        running = subprocess.Popen(
            [
                *map(str, [SEESAW / "bin/run-warrior3", *places]),
                "--address=127.0.0.1",
                f"--port={free_port()}",
            ],
            env=environment(TRACKER=tracker, PYTHONPATH=os.fspath(HERE)),
            cwd=folder,
            stdout=out,
            stderr=out,
        )
    try:
        yield said.read_text
    finally:
        running.terminate()
        running.wait(PATIENCE)


def repository(folder: Path) -> str:
    """The address of a repository with the pipeline in it, as projects have theirs."""
    folder.mkdir()
    shutil.copy(HERE / "pipeline.py", folder)
    who = ["-c", "user.name=Test", "-c", "user.email=test@example.org"]
    for words in (["init", "-q"], ["add", "pipeline.py"], [*who, "commit", "-q", "-m", "A pipeline"]):
        subprocess.run(["git", *words], cwd=folder, check=True)
    return f"file://{folder}"


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as held:
        port: int = held.getsockname()[1]
        return port
