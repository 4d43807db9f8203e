"""`holdfast tracker member` and `holdfast tracker exempt`"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Any

import typer

from holdfast.asked import MOST, Json, Most, Reason, door
from holdfast.client import segment
from holdfast.status import NONE, span
from holdfast.terminal import listed, print_json, said, shown, size, when

Who = Annotated[str, typer.Argument(help="The member's name, or number.")]


class State(StrEnum):
    SEEDING = "seeding"
    LEECHING = "leeching"
    COMPLETE = "complete"
    INCOMPLETE = "incomplete"
    OWING = "owing"
    HNR = "hnr"


def member(
    context: typer.Context,
    who: Who,
    state: Annotated[State | None, typer.Option(help="Only uploads on which he stands like this.")] = None,
    limit: Most = MOST,
    json: Json = False,
) -> None:
    """Show what a member moved, what he seeds and fetches, and what he owes."""
    here = door(context)
    found = here.get(f"/members/{segment(who)}")
    taken = list(here.items(f"/members/{segment(who)}/torrents", limit, state=state))
    if json:
        print_json({"member": found, "torrents": taken})
        return
    facts = {
        "member": f"{found['name']} ({found['id']})",
        "uploaded": size(found["uploaded"]),
        "downloaded": size(found["downloaded"]),
    }
    shown(facts, found, as_json=False)
    typer.echo()
    columns = [
        ("id", lambda one: one["upload"]["id"]),
        ("is", _standing),
        ("uploaded", lambda one: size(one["uploaded"])),
        ("downloaded", lambda one: size(one["downloaded"])),
        ("seeded", lambda one: span(one["time"])),
        ("owes", lambda one: span(one["time_owed"]) if one["time_owed"] else NONE),
        ("ran", lambda one: NONE if one["hnr"] is None else when(one["hnr"])),
        ("upload", lambda one: one["upload"]["name"]),
    ]
    listed(taken, columns, as_json=False, empty=f"{found['name']} has taken part in no such upload yet.")


def exempt(
    context: typer.Context,
    who: Who,
    upload: Annotated[int, typer.Argument(metavar="ID", help="The upload's number.", min=1)],
    reason: Reason,
    undo: Annotated[bool, typer.Option("--undo", help="Take an exemption back.")] = False,
) -> None:
    """Free a member of what he owes an upload, hit-and-run or not."""
    path = f"/members/{segment(who)}/torrents/{upload}/exempt"
    door(context).post(path, {"exempt": not undo, "reason": reason})
    said(f"{who} owes upload {upload} {'what he owed before' if undo else 'nothing any more'}.")


def _standing(one: Mapping[str, Any]) -> str:
    """In one word, the one that matters most."""
    for name in ("exempt", "seeding", "leeching", "complete"):
        if one[name]:
            return {"leeching": "fetching"}.get(name, name)
    return "incomplete"
