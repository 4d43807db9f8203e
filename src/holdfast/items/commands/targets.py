"""`holdfast items targets …`"""

import time
from typing import Annotated, Any

import typer

from holdfast.asked import MOST, Json, Most, Reason, door
from holdfast.client import segment
from holdfast.items.commands.projects import Slug
from holdfast.terminal import listed, said, when, yes

app = typer.Typer(no_args_is_help=True, help="Where volunteers bring what they fetched.")

Number = Annotated[int, typer.Argument(metavar="TARGET", help="The target's number.")]
Weight = Annotated[float, typer.Option(help="How often it is chosen, beside the others.")]


@app.command("list")
def list_(context: typer.Context, project: Slug, limit: Most = MOST, json: Json = False) -> None:
    """List a project's upload targets, the newest first."""
    columns = [
        ("id", lambda one: one["id"]),
        ("target", lambda one: one["url"]),
        ("weight", lambda one: f"{one['weight']:g}"),
        ("active", lambda one: yes(one["active"])),
        ("held until", _held),
        ("named", lambda one: one["given"]),
        ("reported", lambda one: one["reported"]),
    ]
    found = door(context).items(_path(project), limit)
    listed(found, columns, as_json=json, empty="No targets: volunteers keep what they fetched.")


@app.command()
def add(
    context: typer.Context,
    project: Slug,
    url: Annotated[str, typer.Argument(help="rsync://HOST/MODULE/, http://… or https://…")],
    weight: Weight = 1.0,
) -> None:
    """Add an upload target; `:downloader` in it stands for the volunteer's name."""
    added = door(context).post(_path(project), {"url": url, "weight": weight})
    said(f"{added['url']} is target {added['id']} of {project}.")


@app.command()
def hold(
    context: typer.Context,
    project: Slug,
    target: Number,
    reason: Reason,
    minutes: Annotated[float, typer.Option(min=0, help="For how long; 0: no more.")] = 60,
) -> None:
    """Send nobody to a target for a while; while all are held, nobody gets an item either."""
    values = {"held_until": time.time() + minutes * 60, "held_why": reason}
    _change(context, project, target, values)
    said(f"Target {target} is held for {minutes:g} minutes.")


@app.command()
def change(
    context: typer.Context,
    project: Slug,
    target: Number,
    weight: Annotated[float | None, typer.Option(help="How often it is chosen, beside the others.")] = None,
    active: Annotated[bool | None, typer.Option("--active/--inactive", help="Whether it is used.")] = None,
) -> None:
    """Change how often a target is chosen, or whether at all."""
    given = {"weight": weight, "active": active}
    _change(context, project, target, {name: value for name, value in given.items() if value is not None})
    said(f"Target {target} is changed.")


@app.command()
def remove(context: typer.Context, project: Slug, target: Number) -> None:
    """Remove an upload target."""
    door(context).delete(f"{_path(project)}/{target}")
    said(f"Target {target} is removed.")


def _change(context: typer.Context, project: str, target: int, values: dict[str, Any]) -> None:
    door(context).patch(f"{_path(project)}/{target}", values)


def _path(project: str) -> str:
    return f"/projects/{segment(project)}/targets"


def _held(one: Any) -> str:
    if one["held_until"] <= time.time():
        return ""
    return f"{when(one['held_until'])}, {one['held_why']}"
