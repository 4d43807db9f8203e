"""`holdfast tracker reports` and `holdfast tracker settle`"""

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Annotated, Any

import typer

from holdfast.asked import MOST, Json, Most, door
from holdfast.status import NONE
from holdfast.terminal import listed, said, size, when

WORST: Mapping[str, Callable[[int], str]] = {
    "speed": lambda worst: f"{size(worst)}/s",
    "balance": size,
    "leak": lambda _: NONE,
}


class Verdict(StrEnum):
    CHEATING = "cheating"
    MISTAKE = "mistake"
    UNCLEAR = "unclear"


def reports(
    context: typer.Context,
    settled: Annotated[bool, typer.Option("--settled", help="Those that were settled.")] = False,
    limit: Most = MOST,
    json: Json = False,
) -> None:
    """List what looks like cheating or a leak, the newest first."""
    columns = [
        ("id", lambda one: one["id"]),
        ("last", lambda one: when(one["last"])),
        ("times", lambda one: one["count"]),
        ("kind", lambda one: one["kind"]),
        ("worst", lambda one: WORST[one["kind"]](one["worst"])),
        ("member", lambda one: one["member"]["name"] if one["member"] else "nobody"),
        ("upload", lambda one: f"{one['upload']['id']} {one['upload']['name']}" if one["upload"] else "none"),
    ]
    items = door(context).items("/tracker/reports", limit, settled=str(settled).lower())
    empty = "None was settled yet." if settled else "Nothing looks wrong."
    listed(items, columns, as_json=json, empty=empty, below=_settlement)


def settle(
    context: typer.Context,
    report: Annotated[int, typer.Argument(metavar="ID", help="The report's number.", min=1)],
    verdict: Annotated[Verdict, typer.Argument(help="What it was.")],
    note: Annotated[str, typer.Option(help="For whoever looks at the next one.")],
) -> None:
    """Say what a report was about; nothing else changes by it."""
    door(context).post(f"/tracker/reports/{report}/settle", {"verdict": verdict, "note": note})
    said(f"Report {report} is settled.")


def _settlement(report: Mapping[str, Any]) -> str:
    found = report["settled"]
    return f"{found['verdict']}: {found['note']}" if found else ""
