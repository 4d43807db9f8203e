"""`holdfast freeleech …`"""

import time
from datetime import UTC, datetime
from typing import Annotated

import typer

from holdfast.asked import MOST, Json, Most, Reason, door, share
from holdfast.errors import InvalidError
from holdfast.settings.values import parse_duration
from holdfast.terminal import listed, said, when

app = typer.Typer(no_args_is_help=True, help="Times in which everything is credited by other shares.")


@app.command("list")
def list_(context: typer.Context, limit: Most = MOST, json: Json = False) -> None:
    """List what is in force, was and is planned, the newest first."""
    now = time.time()
    columns = [
        ("id", lambda one: one["id"]),
        ("from", lambda one: when(one["starts"])),
        ("until", lambda one: when(one["ends"])),
        ("now", lambda one: _standing(one["starts"], one["ends"], now)),
        ("up", lambda one: f"{one['multi_up']:g}"),
        ("down", lambda one: f"{one['multi_down']:g}"),
        ("reason", lambda one: one["reason"]),
    ]
    empty = "There was no freeleech yet; `holdfast freeleech add` begins one."
    listed(door(context).items("/freeleech", limit), columns, as_json=json, empty=empty)


@app.command()
def add(
    context: typer.Context,
    lasts: Annotated[str, typer.Option("--for", metavar="TIME", help="How long, such as 36 h or 3 days.")],
    reason: Reason,
    starts: Annotated[
        str | None,
        typer.Option("--from", metavar="TIME", help="When, such as 2030-12-24T18:00 (UTC); else now."),
    ] = None,
    multi_up: Annotated[float, share("Of what is uploaded, the share that is credited.")] = 1.0,
    multi_down: Annotated[float, share("Of what is downloaded, likewise.")] = 0.0,
) -> None:
    """Credit what everybody moves by other shares for a while; without more, downloads are free."""
    begins = time.time() if starts is None else _moment(starts)
    body = {
        "starts": begins,
        "ends": begins + _duration(lasts),
        "multi_up": multi_up,
        "multi_down": multi_down,
        "reason": reason,
    }
    added = door(context).post("/freeleech", body)
    said(f"Freeleech {added['id']} lasts from {when(added['starts'])} until {when(added['ends'])} (UTC).")


@app.command()
def end(context: typer.Context, number: Annotated[int, typer.Argument(metavar="ID", min=1)]) -> None:
    """End a freeleech at once, or call it off before it begins."""
    door(context).delete(f"/freeleech/{number}")
    said(f"Freeleech {number} is over.")


def _standing(starts: float, ends: float, now: float) -> str:
    return "over" if ends <= now or ends <= starts else "in force" if starts <= now else "planned"


def _moment(written: str) -> float:
    try:
        found = datetime.fromisoformat(written)
    except ValueError as error:
        raise InvalidError(f"“{written[:40]}” is no time; write it as 2030-12-24T18:00, in UTC.") from error
    return (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()


def _duration(written: str) -> float:
    try:
        return parse_duration(written)
    except ValueError as error:
        raise InvalidError(f"“{written[:40]}” is no length of time; write it as 36 h or 3 days.") from error
