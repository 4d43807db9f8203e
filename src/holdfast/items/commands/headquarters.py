"""`holdfast items hq …`, and what else of a project only volunteers' programs ask for."""

from typing import Annotated, Any

import msgspec
import typer

from holdfast.asked import Json, door
from holdfast.client import segment
from holdfast.errors import InvalidError
from holdfast.items.commands.projects import Slug, app
from holdfast.terminal import said, shown

hq = typer.Typer(no_args_is_help=True, help="Headquarters: what warriors are told beside the projects.")

Message = Annotated[str | None, typer.Option(help="What every warrior shows; empty for nothing.")]
Auto = Annotated[
    str | None, typer.Option(help="The project for warriors that leave the choice to us; empty: by weight.")
]
Version = Annotated[str | None, typer.Option(help="Warriors with an older seesaw start anew to get it.")]


@hq.command("show")
def show_hq(context: typer.Context, json: Json = False) -> None:
    """Show what warriors are told beside the projects."""
    _show(door(context).get("/headquarters"), as_json=json)


@hq.command("change")
def change_hq(
    context: typer.Context,
    message: Message = None,
    auto_project: Auto = None,
    seesaw_version: Version = None,
    json: Json = False,
) -> None:
    """Change what warriors are told; `holdfast audit` says what it was before."""
    given = {
        "broadcast_message": message,
        "auto_project": auto_project,
        "seesaw_version": seesaw_version,
    }
    values = {name: value for name, value in given.items() if value is not None}
    _show(door(context).patch("/headquarters", values), as_json=json)


@app.command("set")
def set_(
    context: typer.Context,
    project: Slug,
    changes: Annotated[list[str], typer.Argument(metavar="NAME=VALUE", help="A field and its new value.")],
) -> None:
    """Change fields of a project, as `show --json` names them; values are JSON, or text as it stands."""
    values = dict(_change(each) for each in changes)
    door(context).patch(f"/projects/{segment(project)}", values)
    said(f"{project}: {', '.join(values)} changed.")


@app.command()
def key(context: typer.Context, project: Slug, json: Json = False) -> None:
    """Make a new key for items that volunteers discover; the one before ends."""
    made = door(context).post(f"/projects/{segment(project)}/key")
    shown({"key": made["key"], "address": made["path"]}, made, as_json=json)


def _change(written: str) -> tuple[str, Any]:
    name, equals, value = written.partition("=")
    if not equals:
        raise InvalidError(f"“{written[:40]}” changes nothing; write it as NAME=VALUE.")
    try:
        return name, msgspec.json.decode(value)
    except msgspec.DecodeError:
        return name, value


def _show(told: Any, *, as_json: bool) -> None:
    facts = {
        "seesaw": told["seesaw_version"],
        "automatic": told["auto_project"] or "by weight",
        "message": told["broadcast_message"],
    }
    shown(facts, told, as_json=as_json)
