"""A reader at a terminal: runs what a page says in one folder, and keeps what `cd` and `export` changed."""

import os
import re
import shlex
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

from tests.docs.pages import Step, matches

ROOT = Path(__file__).parents[2]
LIVES_ON = re.compile(r"(holdfast( --\S+ \S+)* (up|run)|make up)( |$)")
"""Commands that a reader leaves running in a terminal of its own, until ^C."""
COMMAND_SECONDS = 120.0
START_SECONDS = 240.0
STOP_SECONDS = 20.0
LOG_SHOWN = 3000
"""Signs of the log that are shown of what went wrong."""

# `make` works in the clone, wherever the reader's data is; all variables live on, as in one shell.
BEFORE = """\
set -ea{flags}
[ -e {state}/environment ] && . {state}/environment
cd "$(cat {state}/folder)"
make() {{ HOLDFAST_DATA="$PWD/data" command make --no-print-directory -C {root} "$@"; }}
trap 'status=$?; declare -px > {state}/environment; pwd > {state}/folder; exit $status' EXIT
"""


class StepError(AssertionError):
    """What a page says does not happen."""


class Shell:
    """A folder, an environment, and what runs in the background; use it as a context."""

    def __init__(self, folder: Path, environment: Mapping[str, str], names: Mapping[str, str]) -> None:
        self.folder = folder / "reader"
        self.folder.mkdir()
        # A reader sits in a clone, where the programs are, but the data must not go into ours.
        (self.folder / ".venv").symlink_to(Path(sys.prefix))
        self._state = folder / "state"
        self._state.mkdir()
        (self._state / "folder").write_text(str(self.folder))
        self._environment = dict(environment)
        self._names = names
        self._running: list[tuple[subprocess.Popen[bytes], Path]] = []

    def write(self, path: str, text: str) -> None:
        here = Path((self._state / "folder").read_text().strip())
        file = here / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(self._named(text) + "\n")

    def run(self, step: Step) -> None:
        """Do one step; StepError when it fails or prints something else."""
        command = self._named(step.command)
        prints = None if step.prints is None else self._named(step.prints)
        if command == "^C":
            self._interrupt()
            return
        words = command.splitlines()
        if len(words) == 1 and LIVES_ON.match(command):
            printed = self._start(command)
        else:
            printed = self._finish(command)
        if prints is not None and not matches(prints, printed):
            raise StepError(f"$ {command}\nprinted\n\n{printed}\nwhere the page says\n\n{prints}\n")

    def _named(self, text: str) -> str:
        """The text with the page's example addresses replaced by those of this run."""
        for name, real in self._names.items():
            text = text.replace(name, real)
        return text

    def _script(self, command: str) -> list[str]:
        flags = "uo pipefail" if "\n" in command else ""
        state, root = shlex.quote(str(self._state)), shlex.quote(str(ROOT))
        return ["bash", "-c", BEFORE.format(flags=flags, state=state, root=root) + command + "\n"]

    def _finish(self, command: str) -> str:
        process = subprocess.Popen(
            self._script(command),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=self._environment,
            start_new_session=True,
        )
        try:
            output, _ = process.communicate(timeout=COMMAND_SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            output, _ = process.communicate()
            printed = output.decode(errors="replace")
            raise StepError(
                f"$ {command}\nwas not done after {COMMAND_SECONDS:.0f} s:\n\n{printed}"
            ) from None
        printed = output.decode(errors="replace")
        if process.returncode:
            raise StepError(f"$ {command}\nended with {process.returncode}:\n\n{printed}{self._logs()}")
        return printed

    def _start(self, command: str) -> str:
        """Start what lives on, and wait until it says that it is there."""
        number = len(list(self._state.glob("*.out")))
        out, err = self._state / f"{number}.out", self._state / f"{number}.err"
        with out.open("wb") as stdout, err.open("wb") as stderr:
            process = subprocess.Popen(
                self._script(f"exec {command}" if not command.startswith("make") else command),
                stdin=subprocess.DEVNULL,
                stdout=stdout,
                stderr=stderr,
                env=self._environment,
                start_new_session=True,
            )
        self._running.append((process, err))
        give_up = time.monotonic() + START_SECONDS
        while not self._is_there(command, out, err):
            if process.poll() is not None or time.monotonic() > give_up:
                raise StepError(f"$ {command}\ndid not start:\n\n{out.read_text()}{self._logs()}")
            time.sleep(0.05)
        return out.read_text()

    @staticmethod
    def _is_there(command: str, out: Path, err: Path) -> bool:
        if " run " in command:
            listens = re.search(r"--listen\s+(\S+):(\d+)", command)
            return _answers(listens[1], int(listens[2])) if listens else bool(err.read_text())
        text = out.read_text()
        return "Holdfast is up." in text and "data folder" in text and text.endswith("\n\n")

    def _interrupt(self) -> None:
        """Ctrl-C at the terminal where the last one runs."""
        process, err = self._running.pop()
        if process.poll() is not None:
            raise StepError(f"what ran has ended by itself ({process.returncode}):\n\n{err.read_text()}")
        os.killpg(process.pid, signal.SIGINT)
        try:
            process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            raise StepError(f"^C did not end it within {STOP_SECONDS:.0f} s:\n\n{err.read_text()}") from None

    def _logs(self) -> str:
        return "".join(f"\nLog of what runs:\n{err.read_text()[-LOG_SHOWN:]}" for _, err in self._running)

    def __enter__(self) -> "Shell":
        return self

    def __exit__(self, *_: object) -> None:
        self._running = [one for one in self._running if one[0].poll() is None]
        while self._running:
            self._interrupt()


def _answers(host: str, port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex((host, port)) == 0


def environment(folder: Path, listen: Mapping[str, str]) -> dict[str, str]:
    """A new account's environment: our programs on the path, nothing of whoever runs the tests."""
    kept = {name: os.environ[name] for name in ("TMPDIR", "LD_LIBRARY_PATH") if name in os.environ}
    home = folder / "home"
    home.mkdir()
    return {
        **kept,
        **listen,
        "HOME": str(home),
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "LANG": "C.UTF-8",
        "COLUMNS": "110",
        "TERM": "dumb",
        # In the order in which a terminal shows it.
        "PYTHONUNBUFFERED": "1",
    }
