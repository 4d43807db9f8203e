"""`holdfast items block …` and its like: who gets no items."""

import time
from typing import Annotated

import typer

from holdfast.asked import MOST, Json, Most, Reason, door
from holdfast.items.commands.projects import app
from holdfast.terminal import listed, said, when

Of = Annotated[str | None, typer.Option("--project", help="Of this project alone.")]


@app.command()
def blocks(context: typer.Context, project: Of = None, limit: Most = MOST, json: Json = False) -> None:
    """List who gets no items."""
    columns = [
        ("id", lambda one: one["id"]),
        ("whom", lambda one: one["whom"]),
        ("project", lambda one: one["project"] or "all"),
        ("until", lambda one: when(one["until"]) if one["until"] else "for ever"),
        ("by", lambda one: one["by"]),
        ("reason", lambda one: one["reason"]),
    ]
    found = door(context).items("/blocks", limit, project=project)
    listed(found, columns, as_json=json, empty="Nobody is blocked.")


@app.command()
def block(
    context: typer.Context,
    whom: Annotated[
        str, typer.Argument(help="A downloader's name, an address, or a network as 192.0.2.0/24.")
    ],
    reason: Reason,
    project: Of = None,
    hours: Annotated[float | None, typer.Option(min=0, help="For how long; absent: for ever.")] = None,
) -> None:
    """Give somebody no more items; what he holds he may still report."""
    until = time.time() + hours * 3600 if hours is not None else None
    body = {"whom": whom, "reason": reason, "project": project, "until": until}
    added = door(context).post("/blocks", body)
    said(f"Block {added['id']}: {added['whom']} gets no items of {project or 'any project'}.")


@app.command()
def unblock(
    context: typer.Context,
    number: Annotated[int, typer.Argument(metavar="BLOCK", help="The block's number.")],
) -> None:
    """Give somebody items again."""
    door(context).delete(f"/blocks/{number}")
    said(f"Block {number} is lifted.")
