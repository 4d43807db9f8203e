"""`holdfast whitelist …`"""

from typing import Annotated

import typer

from holdfast.asked import MOST, Json, Most, door
from holdfast.client import segment
from holdfast.terminal import listed, said

app = typer.Typer(no_args_is_help=True, help="Which BitTorrent clients may take part.")

Prefix = Annotated[
    str, typer.Argument(help="The beginning of the peer id, such as -TR4; after -- if it begins with a dash.")
]


@app.command("list")
def list_(context: typer.Context, limit: Most = MOST, json: Json = False) -> None:
    """List the clients that may take part."""
    columns = [("prefix", lambda one: one["prefix"]), ("client", lambda one: one["name"])]
    empty = "The whitelist is empty: every client may take part."
    listed(door(context).items("/whitelist", limit), columns, as_json=json, empty=empty)


@app.command(context_settings={"ignore_unknown_options": True})
def add(
    context: typer.Context, prefix: Prefix, name: Annotated[str, typer.Option(help="The client's name.")]
) -> None:
    """Let a client take part."""
    door(context).put(f"/whitelist/{segment(prefix)}", {"name": name})
    said(f"{name} ({prefix}) may take part.")


@app.command(context_settings={"ignore_unknown_options": True})
def remove(context: typer.Context, prefix: Prefix) -> None:
    """Take a client off the list."""
    door(context).delete(f"/whitelist/{segment(prefix)}")
    said(f"{prefix} is off the list.")
