"""`holdfast status` and `holdfast top` on a running system, the latter on a real terminal."""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from holdfast.errors import Exit
from tests.system.running import PATIENCE, command, environment, running, until

SIZE = (24, 80)
CONTROL = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")
HOME = "\x1b[H"


class Terminal:
    """What a program shows on a terminal of 80 by 24, picture by picture."""

    def __init__(self, number: int, process: subprocess.Popen[bytes]) -> None:
        self._number = number
        self._read = b""
        self.process = process

    @property
    def pictures(self) -> list[str]:
        while select.select([self._number], [], [], 0.05)[0]:
            try:
                self._read += os.read(self._number, 65536)
            except OSError:  # the program has closed its end
                break
        text = self._read.decode(errors="replace")
        return [CONTROL.sub("", picture) for picture in text.split(HOME)[1:]]

    @property
    def picture(self) -> str:
        return next((each for each in reversed(self.pictures) if "q quits" in each), "")

    def press(self, key: bytes) -> None:
        os.write(self._number, key)


@contextmanager
def top(data: Path, *arguments: str) -> Iterator[Terminal]:
    """`holdfast top` unless another live view is asked for."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", *SIZE, 0, 0))
    process = subprocess.Popen(
        [sys.executable, "-m", "holdfast", "--data", str(data), *(arguments or ("top", "--interval", "0.3"))],
        stdin=theirs, stdout=theirs, stderr=theirs, env=environment(TERM="xterm"), start_new_session=True,
    )  # fmt: skip
    os.close(theirs)
    try:
        yield Terminal(ours, process)
    finally:
        process.kill()
        process.wait()
        os.close(ours)


def test_top_shows_the_system_and_q_quits() -> None:
    with running() as system, top(system.data) as terminal:
        until("a picture", lambda: terminal.picture)
        for word in ("clerk", "tracker", "live store", "records", "disk", system.run.web):
            assert word in terminal.picture
        system.cli("member", "add", "marisol")
        until("news of it", lambda: "1 member" in terminal.picture and "marisol" in terminal.picture)
        assert len(terminal.picture.splitlines()) == SIZE[0]
        assert max(len(line.rstrip()) for line in terminal.picture.splitlines()) <= SIZE[1]
        terminal.press(b"q")
        assert terminal.process.wait(PATIENCE) == Exit.OK


def test_top_goes_on_when_the_system_was_restarted() -> None:
    with running() as system, top(system.data) as terminal:
        until("a picture", lambda: terminal.picture)
        before = system.run.web
        system.stop()
        until("word that it is away", lambda: "No news for" in terminal.picture)
        system.start()
        assert system.run.token
        until("news of the new one", lambda: "No news for" not in terminal.picture)
        assert system.run.web in terminal.picture
        assert before not in terminal.picture or before == system.run.web
        terminal.press(b"q")
        assert terminal.process.wait(PATIENCE) == Exit.OK


def test_top_looks_once_for_scripts() -> None:
    with running() as system:
        told = system.cli("top", "--once", "--json").json
        assert {part["name"] for part in told["parts"]} == {"clerk", "live", "tracker", "web"}
        assert told["events"][0]["action"]
        plain = system.cli("top", "--once").out
        assert "live store" in plain
        assert "\x1b" not in plain


def test_status_says_how_it_is() -> None:
    with running() as system:
        told = system.cli("status")
        assert told.code == Exit.OK
        assert system.run.web in told.out
        assert "nothing waits" in told.out
        assert system.cli("status", "--json").json["counts"]["members"] == 0


def test_status_says_what_is_left_when_the_web_door_hangs_up() -> None:
    with running(rests=(60.0, 60.0)) as system:
        system.signal("web", signal.SIGKILL)
        until("it rests", lambda: system.parts["web"].state == "resting")
        told = system.cli("status")
        assert told.code == Exit.UNAVAILABLE
        assert "resting" in told.out
        assert told.sentence


def test_what_does_not_run_is_said_not_to(tmp_path: Path) -> None:
    for name in ("status", "top"):
        told = command("--data", tmp_path, name)
        assert told.code == Exit.UNAVAILABLE
        assert "holdfast up" in told.sentence
