"""`holdfast audit`"""

import json as text
from typing import Annotated, Any

import typer

from holdfast.asked import MOST, Json, Most, door
from holdfast.terminal import listed, when

LONGEST = 64


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
        ("action", lambda one: one["action"]),
        ("of", lambda one: f"{one['target_kind']} {one['target_id']} {one['target_name']}".strip()),
    ]
    kind, _, number = (target or "").partition(":")
    items = door(context).items(
        "/audit", limit, actor=actor, action=action, target_kind=kind or None, target_id=number or None
    )
    listed(items, columns, as_json=json, empty="Nothing was changed yet.", below=_details)


def _details(entry: dict[str, Any]) -> str:
    """Through which door and from where, and what it changed."""
    before, after = entry["before"] or {}, entry["after"] or {}
    names = dict.fromkeys([*before, *after])
    changes = [
        f"{name}: {_value(before[name])} → {_value(after.get(name))}"
        if name in before
        else f"{name}: {_value(after[name])}"
        for name in names
    ]
    came = f"{entry['door']} {entry['address'] or ''}".strip()
    return f"{came}; {', '.join(changes)}" if changes else came


def _value(value: object) -> str:
    """As JSON, which tells 1 from "1"; the whole of a long one is in --json."""
    written = text.dumps(value, ensure_ascii=False)
    return written if len(written) <= LONGEST else f"{written[:LONGEST]}…"
