"""`holdfast audit`"""

import json as text
from typing import Annotated, Any

import typer

from holdfast.asked import MOST, Json, Most, door
from holdfast.terminal import listed, when


def audit(
    context: typer.Context,
    actor: Annotated[str | None, typer.Option(help="Only what this member changed.")] = None,
    action: Annotated[str | None, typer.Option(help="Only this action, such as upload.remove.")] = None,
    target: Annotated[str | None, typer.Option(help="Only changes of this, as upload:17.")] = None,
    limit: Most = MOST,
    json: Json = False,
) -> None:
    """List who changed what, the newest change first."""
    columns = [
        ("when", lambda one: when(one["at"])),
        ("who", lambda one: one["actor"]["name"]),
        ("from", lambda one: f"{one['door']} {one['address'] or ''}".strip()),
        ("action", lambda one: one["action"]),
        ("of", lambda one: f"{one['target_kind']} {one['target_id']} {one['target_name']}".strip()),
        ("change", _change),
    ]
    kind, _, number = (target or "").partition(":")
    items = door(context).items(
        "/audit", limit, actor=actor, action=action, target_kind=kind or None, target_id=number or None
    )
    listed(items, columns, as_json=json, empty="Nothing was changed yet.")


def _change(entry: dict[str, Any]) -> str:
    before, after = entry["before"] or {}, entry["after"] or {}
    names = dict.fromkeys([*before, *after])
    return ", ".join(
        f"{name}: {text.dumps(before[name])} → {text.dumps(after.get(name))}"
        if name in before
        else f"{name}: {text.dumps(after[name])}"
        for name in names
    )
