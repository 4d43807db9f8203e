"""`holdfast items …`"""

import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Annotated, Any

import typer

from holdfast.asked import MOST, Json, Most, door
from holdfast.client import segment
from holdfast.errors import InvalidError
from holdfast.terminal import listed, progress, said, shown, when

app = typer.Typer(no_args_is_help=True, help="Projects that are cut into items for volunteers.")

Slug = Annotated[str, typer.Argument(metavar="PROJECT", help="The project's slug.")]
AT_ONCE = 5000
COUNTS = ("todo", "out", "done", "failed")


@app.command("list")
def list_(context: typer.Context, limit: Most = MOST, json: Json = False) -> None:
    """List the projects, the newest first."""
    columns = [
        ("project", lambda one: one["slug"]),
        ("title", lambda one: one["title"]),
        ("state", lambda one: one["state"]),
        *[(name, lambda one, name=name: one["counts"][name]) for name in COUNTS],
    ]
    empty = "No projects; add one with `holdfast items new SLUG --title TITLE`."
    listed(door(context).items("/projects", limit), columns, as_json=json, empty=empty)


@app.command()
def new(
    context: typer.Context,
    project: Slug,
    title: Annotated[str, typer.Option(help="What people call it.")],
    default: Annotated[
        bool, typer.Option("--default", help="Addresses without a slug mean this project.")
    ] = False,
    json: Json = False,
) -> None:
    """Add a project; it is a draft until it is activated."""
    body = {"slug": project, "title": title, "is_default": default}
    _show(door(context).post("/projects", body), as_json=json)


@app.command()
def show(context: typer.Context, project: Slug, json: Json = False) -> None:
    """Show a project and where its items are."""
    _show(door(context).get(f"/projects/{segment(project)}"), as_json=json)


@app.command()
def state(
    context: typer.Context,
    project: Slug,
    to: Annotated[str, typer.Argument(help="draft, active, paused, draining or archived.")],
    json: Json = False,
) -> None:
    """Activate, pause, drain or archive a project."""
    _show(door(context).patch(f"/projects/{segment(project)}", {"state": to}), as_json=json)


@app.command()
def fill(
    context: typer.Context,
    project: Slug,
    names: Annotated[Path, typer.Argument(help="A file with a name on each line; - for standard input.")],
    queue: Annotated[str, typer.Option(help="todo, todo:secondary, todo:redo or todo:d:NAME.")] = "todo",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would be added.")] = False,
) -> None:
    """Add items to a queue; what the project knows already is passed over."""
    here, path = door(context), f"/projects/{segment(project)}/items"
    added = known = 0
    refused: list[str] = []
    done, total = 0, 0 if str(names) == "-" else names.stat().st_size
    with progress("Filling") as advance:
        for part in _parts(names):
            found = here.post(path, {"items": part, "queue": queue, "dry_run": dry_run})
            added, known = added + found["added"], known + found["known"]
            refused += found["refused"]
            done += sum(len(name.encode()) + 1 for name in part)
            advance(done, max(done, total))
    said(f"{added} {'would be new' if dry_run else 'added'}, {known} known already.")
    if refused:
        raise InvalidError(
            f"{len(refused)} names do not fit the project's pattern, “{refused[0][:40]}” first; "
            "`holdfast items show` says the pattern."
        )


def _parts(names: Path) -> Iterator[list[str]]:
    with sys.stdin if str(names) == "-" else names.open(encoding="utf-8") as lines:
        while part := [line.rstrip("\r\n") for line in islice(lines, AT_ONCE)]:
            if wanted := [name for name in part if name]:
                yield wanted


def _show(one: Any, *, as_json: bool) -> None:
    facts = {
        "project": f"{one['slug']}, {one['title']}",
        "state": one["state"],
        "items": ", ".join(f"{one['counts'][name]} {name}" for name in COUNTS),
        "pattern": one["item_pattern"],
        "domains": ", ".join(one["domains"]) or "any",
        "created": when(one["created"]),
    }
    shown(facts, one, as_json=as_json)
