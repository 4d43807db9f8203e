"""`holdfast top`"""

from typing import Annotated

import typer

from holdfast.asked import Json

Interval = Annotated[float, typer.Option(min=0.2, help="Seconds between two looks.")]
Once = Annotated[bool, typer.Option("--once", help="Look once, print it and end.")]


def top(context: typer.Context, interval: Interval = 2.0, once: Once = False, json: Json = False) -> None:
    """Show the running system live; q quits."""
    from holdfast.top.show import watched  # noqa: PLC0415 - slow to import, for two commands alone
    from holdfast.top.view import VIEW  # noqa: PLC0415

    watched(context, VIEW, interval=interval, once=once, as_json=json)
