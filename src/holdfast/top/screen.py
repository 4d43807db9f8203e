"""The terminal while `top` has it: the picture drawn anew at each look, and keys read one by one."""

import os
import select
import sys
import termios
import threading
import tty
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.live import Live
from rich.text import Text

from holdfast.top.page import filled
from holdfast.top.watch import G, Watch

QUIT = b"q", b"Q", b"\x03", b"\x04"
PATIENCE = 0.1
"""How long a key or a new size of the window may wait for us."""


def show(watch: Watch[G], lines: Callable[[G, int], list[Text]], console: Console, interval: float) -> None:
    """Until q is pressed. Looks are had in a thread, so that a system that hangs does not hang us."""
    looking = _Looking(watch, interval)
    drawn: tuple[G | None, int, int] = (None, 0, 0)
    with _keys() as keys, looking, Live(console=console, screen=True, auto_refresh=False) as live:
        while not keys.pressed():
            looking.raise_fault()
            now = (watch.picture, *console.size)
            if watch.picture is not None and now != drawn:
                drawn = now
                width, height = console.size
                live.update(filled(lines(watch.picture, height - 1), width, height), refresh=True)


class _Looking:
    """A thread that looks every so often; it is left behind if it hangs when we go."""

    def __init__(self, watch: Watch[Any], interval: float) -> None:
        self._watch = watch
        self._interval = interval
        self._enough = threading.Event()
        self._fault: Exception | None = None

    def raise_fault(self) -> None:
        """What ended the looking, if anything did."""
        if self._fault is not None:
            raise self._fault

    def _run(self) -> None:
        try:
            while not self._enough.wait(self._interval):
                self._watch.look()
        except Exception as error:  # noqa: BLE001 - raised where the screen is given back
            self._fault = error

    def __enter__(self) -> None:
        threading.Thread(target=self._run, name="looking", daemon=True).start()

    def __exit__(self, *_: object) -> None:
        self._enough.set()


class _Keys:
    def __init__(self, number: int | None) -> None:
        self._number = number

    def pressed(self) -> bool:
        """Whether somebody wants to go; waits a moment for it."""
        if self._number is None:
            select.select([], [], [], PATIENCE)
            return False
        if not select.select([self._number], [], [], PATIENCE)[0]:
            return False
        key = os.read(self._number, 1)
        return key in QUIT or not key


@contextmanager
def _keys() -> Iterator[_Keys]:
    """Keys as they are pressed, without the line that a shell would wait for."""
    if not sys.stdin.isatty():
        yield _Keys(None)
        return
    number = sys.stdin.fileno()
    before = termios.tcgetattr(number)
    tty.setcbreak(number)
    try:
        yield _Keys(number)
    finally:
        termios.tcsetattr(number, termios.TCSADRAIN, before)
