"""How a live view is shown: on the terminal until q is pressed, once for who only wants to look, as JSON."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic

import typer
from rich.console import Console
from rich.text import Text

from holdfast.asked import asked_in
from holdfast.client import Door, Place
from holdfast.clock import Clock, SystemClock
from holdfast.launch import settings_for
from holdfast.status import SECONDS
from holdfast.terminal import print_json
from holdfast.top.screen import show
from holdfast.top.watch import G, Watch

PRINTED = 40
"""Lines that are printed at most where nobody watches."""


@dataclass(frozen=True)
class View(Generic[G]):
    """What a live view looks at, and how it tells what it has seen."""

    see: Callable[[Clock, Door, G | None], G]
    body: Callable[[G], Any]
    """As JSON."""
    lines: Callable[[G, int], list[Text]]
    """At most so many, the most important first."""


def watched(context: typer.Context, view: View[G], *, interval: float, once: bool, as_json: bool) -> None:
    asked, clock = asked_in(context), SystemClock()
    folder = settings_for(asked.data, asked.settings, asked.changes).data
    watch = Watch(
        lambda: Door(Place.find(folder), seconds=SECONDS),
        lambda door, before: view.see(clock, door, before),
        clock,
    )
    picture = watch.look()
    console = Console(highlight=False)
    if as_json:
        print_json(view.body(picture))
    elif once or not console.is_terminal:
        for line in view.lines(picture, PRINTED):
            line.rstrip()
            console.print(line, soft_wrap=True)
    else:
        show(watch, view.lines, console, interval)
