"""What commands are asked with: the options that many share, and the door that they speak through."""

import math
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any

import typer

from holdfast.client import Door, Place
from holdfast.launch import settings_for


@dataclass
class Asked:
    """The options before the command's name."""

    data: Path | None
    settings: Path | None
    changes: tuple[str, ...]
    debug: bool

    @cached_property
    def door(self) -> Door:
        folder = settings_for(self.data, self.settings, self.changes).data
        return Door(Place.find(folder))


def asked_in(context: typer.Context) -> Asked:
    """What stood before the command's name."""
    asked = context.find_object(Asked)
    if asked is None:
        raise LookupError("a command was called without the callback that reads the options before it")
    return asked


def door(context: typer.Context) -> Door:
    """The API of the system that this command is about."""
    return asked_in(context).door


Json = Annotated[bool, typer.Option("--json", help="Print JSON, with every field.")]
Most = Annotated[int, typer.Option("--limit", min=0, help="How many to show at most; 0 shows all.")]
Reason = Annotated[str, typer.Option("--reason", help="Why, in one line; others will read it.")]


def share(told: str) -> Any:
    """An option that is a multiplier; which ones the house allows is for the API to say."""
    return typer.Option(parser=_number, metavar="SHARE", help=told)


def _number(written: str) -> float:
    found = float(written)
    if not math.isfinite(found):
        raise ValueError(written)
    return found


MOST = 100
