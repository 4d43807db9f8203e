"""`holdfast tracker top`, `reap` and `rebuild-indexes`"""

from enum import StrEnum
from functools import partial
from typing import Annotated

import typer

from holdfast.asked import Json, door
from holdfast.terminal import said
from holdfast.top.command import Interval, Once

FINE = "The indexes were right."


class Order(StrEnum):
    LEECHERS = "leechers"
    SEEDERS = "seeders"
    SNATCHES = "snatches"


def top(
    context: typer.Context,
    by: Annotated[Order, typer.Option(help="What makes a swarm busy.")] = Order.LEECHERS,
    interval: Interval = 2.0,
    once: Once = False,
    json: Json = False,
) -> None:
    """Show the busiest swarms and the rate of announces live; q quits."""
    from holdfast.top.show import View, watched  # noqa: PLC0415 - slow to import, for one command alone
    from holdfast.tracker.commands.view import lines, see  # noqa: PLC0415

    view = View(partial(see, by), lambda picture: picture.tracker, lines)
    watched(context, view, interval=interval, once=once, as_json=json)


def reap(context: typer.Context) -> None:
    """Look now for peers who have fallen silent, as the trackers do all the time."""
    done = door(context).post("/tracker/reap")
    said(f"{_peers(done['gone'])} had fallen silent and left; {done['judged']} judged after their grace.")


def rebuild_indexes(context: typer.Context) -> None:
    """Make the live store's indexes and totals anew from the swarms, while everybody goes on."""
    mended = door(context).post("/tracker/rebuild-indexes")["mended"]
    said(f"{mended} {'place' if mended == 1 else 'places'} in the indexes mended." if mended else FINE)


def _peers(count: int) -> str:
    return "1 peer" if count == 1 else f"{count} peers"
