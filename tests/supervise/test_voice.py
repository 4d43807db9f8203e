"""The parent's own lines."""

import io
import json

from holdfast.clock import Clock
from holdfast.supervise.voice import voice


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_terminal_gets_plain_lines(clock: Clock) -> None:
    terminal = Terminal()
    voice(terminal, clock)("web is running again", part="web")
    assert terminal.getvalue() == "holdfast: web is running again\n"


def test_a_program_gets_json_lines(clock: Clock) -> None:
    stream = io.StringIO()
    voice(stream, clock)("web\nis “back”", part="web")
    assert stream.getvalue().count("\n") == 1
    assert json.loads(stream.getvalue()) == {"time": 1000.0, "event": "web\nis “back”", "part": "web"}


def test_nobody_listening_is_no_reason_to_fall(clock: Clock) -> None:
    closed = io.StringIO()
    say = voice(closed, clock)
    closed.close()
    say("still here")
