"""`holdfast top`"""

from typing import Annotated

import typer

from holdfast.asked import Json, asked_in
from holdfast.client import Door, Place
from holdfast.launch import settings_for
from holdfast.status import SECONDS

PRINTED = 40
"""Lines that `--once` prints at most."""


def top(
    context: typer.Context,
    interval: Annotated[float, typer.Option(min=0.2, help="Seconds between two looks.")] = 2.0,
    once: Annotated[bool, typer.Option("--once", help="Look once, print it and end.")] = False,
    json: Json = False,
) -> None:
    """Show the running system live; q quits."""
    from rich.console import Console  # noqa: PLC0415 - slow to import, for one command alone

    from holdfast.clock import SystemClock  # noqa: PLC0415
    from holdfast.terminal import print_json  # noqa: PLC0415
    from holdfast.top.screen import show  # noqa: PLC0415
    from holdfast.top.view import lines  # noqa: PLC0415
    from holdfast.top.watch import Watch  # noqa: PLC0415

    asked = asked_in(context)
    folder = settings_for(asked.data, asked.settings, asked.changes).data
    watch = Watch(lambda: Door(Place.find(folder), seconds=SECONDS), SystemClock())
    picture = watch.look()
    console = Console(highlight=False)
    if json:
        print_json({**picture.look.body, "events": list(picture.events)})
    elif once or not console.is_terminal:
        for line in lines(picture, PRINTED):
            line.rstrip()
            console.print(line, soft_wrap=True)
    else:
        show(watch, console, interval)
