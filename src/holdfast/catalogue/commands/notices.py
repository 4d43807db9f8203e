"""`holdfast notices`"""

from typing import Annotated

import typer

from holdfast.asked import MOST, Json, Most, door
from holdfast.terminal import listed, when


def notices(
    context: typer.Context,
    member: Annotated[str, typer.Option(help="Whose inbox.")],
    unread: Annotated[bool, typer.Option("--unread", help="Only what was not read yet.")] = False,
    limit: Most = MOST,
    json: Json = False,
) -> None:
    """List a member's notices, the newest first."""
    columns = [
        ("id", lambda one: one["id"]),
        ("when", lambda one: when(one["created"])),
        ("as", lambda one: one["role"]),
        ("read", lambda one: when(one["read_at"]) if one["read_at"] else "not yet"),
        ("subject", lambda one: one["subject"]),
    ]
    items = door(context).items("/notices", limit, member=member, unread=str(unread).lower())
    listed(items, columns, as_json=json, empty=f"{member} has no notices.")
