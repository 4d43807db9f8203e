"""`holdfast points …`"""

from typing import Annotated

import typer

from holdfast.asked import MOST, Json, Most, Reason, door
from holdfast.client import segment
from holdfast.terminal import listed, said, when

app = typer.Typer(no_args_is_help=True, help="Points: a ledger whose sum is the balance.")

Who = Annotated[str, typer.Argument(help="The member's name, or number.")]


@app.command()
def show(context: typer.Context, who: Who, limit: Most = MOST, json: Json = False) -> None:
    """Show a member's ledger, the newest entry first."""
    columns = [
        ("when", lambda one: when(one["at"])),
        ("amount", lambda one: f"{one['amount']:+}"),
        ("balance", lambda one: one["balance_after"]),
        ("reason", lambda one: one["reason"]),
        ("by", lambda one: one["by"]["name"] if one["by"] else "Holdfast"),
    ]
    items = door(context).items(f"/members/{segment(who)}/points", limit)
    listed(items, columns, as_json=json, empty=f"{who} has no points yet.")


@app.command(context_settings={"ignore_unknown_options": True})
def give(
    context: typer.Context,
    who: Who,
    amount: Annotated[int, typer.Argument(help="How many; a negative number takes them.")],
    reason: Reason,
) -> None:
    """Give a member points, or take some."""
    entry = door(context).post(f"/members/{segment(who)}/points", {"amount": amount, "reason": reason})
    said(f"{who} has {entry['balance_after']} points now.")
