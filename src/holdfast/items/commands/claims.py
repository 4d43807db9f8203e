"""`holdfast items claims …` and its like: who holds what, how much is given out, what failed."""

from typing import Annotated, Any

import typer

from holdfast.asked import MOST, Json, Most, door
from holdfast.client import segment
from holdfast.items.commands.projects import Slug, app
from holdfast.terminal import listed, said, shown, when


@app.command()
def claims(context: typer.Context, project: Slug, limit: Most = MOST, json: Json = False) -> None:
    """List who holds what, in no order."""
    columns = [
        ("item", lambda one: one["item"]),
        ("volunteer", lambda one: one["holder"]["name"]),
        ("address", lambda one: one["holder"]["address"]),
        ("since", lambda one: when(one["since"])),
    ]
    items = door(context).items(f"/projects/{segment(project)}/claims", limit)
    listed(items, columns, as_json=json, empty="Nobody holds anything.")


@app.command()
def release(
    context: typer.Context,
    project: Slug,
    hours: Annotated[float | None, typer.Option(help="Claims older than this.")] = None,
    volunteer: Annotated[str | None, typer.Option(help="His claims.")] = None,
    pattern: Annotated[str | None, typer.Option(help="Items that this regular expression matches.")] = None,
    item: Annotated[list[str] | None, typer.Option(help="This item; may be given several times.")] = None,
    preview: Annotated[bool, typer.Option("--preview", help="Only say which it would be.")] = False,
) -> None:
    """Take claims back, so that others can have the items."""
    choice = {"hours": hours, "downloader": volunteer, "pattern": pattern, "items": item, "preview": preview}
    found = door(context).post(f"/projects/{segment(project)}/releases", choice)
    for name in found["some"]:
        typer.echo(name)
    rest = found["count"] - len(found["some"])
    more = f", {rest} more than shown" if rest else ""
    said(f"{found['count']} claims {'would be' if preview else 'were'} taken back{more}.")


@app.command()
def limits(
    context: typer.Context,
    project: Slug,
    per_minute: Annotated[int | None, typer.Option(min=0, help="Items given a minute; 0 pauses.")] = None,
    each: Annotated[int | None, typer.Option(min=0, help="Claims that one volunteer may hold.")] = None,
    none: Annotated[bool, typer.Option("--none", help="Take all limits away.")] = False,
    json: Json = False,
) -> None:
    """Show how much is given out, or set it; what is not given is not limited."""
    path = f"/projects/{segment(project)}/limits"
    if none or per_minute is not None or each is not None:
        found = door(context).put(path, {"per_minute": per_minute, "each": each})
    else:
        found = door(context).get(path)
    shown({name: _limit(value) for name, value in found.items()}, found, as_json=json)


@app.command()
def failed(context: typer.Context, project: Slug, limit: Most = MOST, json: Json = False) -> None:
    """List the items that were given up, and why."""
    columns = [("item", lambda one: one["item"]), ("why", lambda one: one["why"])]
    items = door(context).items(f"/projects/{segment(project)}/failed", limit)
    listed(items, columns, as_json=json, empty="Nothing was given up.")


@app.command()
def retry(
    context: typer.Context,
    project: Slug,
    item: Annotated[list[str], typer.Argument(help="Items that were given up.")],
) -> None:
    """Give failed items another chance."""
    found = door(context).post(f"/projects/{segment(project)}/retries", {"items": item})
    said(f"{found['count']} items are back in the queue.")


@app.command()
def item(
    context: typer.Context,
    project: Slug,
    name: Annotated[str, typer.Argument(help="The item.")],
    json: Json = False,
) -> None:
    """Show what is known of an item: who has it, who had it, and its report."""
    found = door(context).get(f"/projects/{segment(project)}/item", name=name)
    report = found["report"]
    facts = {
        "item": found["item"],
        "where": found["where"] or "nowhere now",
        "holder": f"{found['holder']['name']} ({found['holder']['address']})"
        if found["holder"]
        else "nobody",
        "report": f"{report['by']}, {when(report['at'])}" if report else "none here",
    }
    shown(facts, found, as_json=json)
    for one in () if json else found["attempts"]:
        said(f"{when(one['at'])}: {one['what']} by {one['name']}{': ' if one['why'] else ''}{one['why']}")


def _limit(value: Any) -> str:
    return "none" if value is None else str(value)
