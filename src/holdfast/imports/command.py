"""`holdfast import …`"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, TextIO

import typer

from holdfast.asked import Json, door
from holdfast.errors import HoldfastError, InvalidError
from holdfast.imports.members import Carrier, Tally, Wishes
from holdfast.imports.sheet import read_members
from holdfast.terminal import print_json, progress, said

app = typer.Typer(no_args_is_help=True, help="Take over members and uploads from another tracker.")

DryRun = Annotated[bool, typer.Option("--dry-run", help="Only say what would be done.")]
KeepIds = Annotated[bool, typer.Option("--keep-ids", help="Keep members' numbers where they are free.")]
MendNames = Annotated[
    bool, typer.Option("--mend-names", help="Make names fit that are taken, or cannot be a member's.")
]
Mapping = Annotated[
    Path | None, typer.Option(help="Write old and new numbers there, as CSV.", dir_okay=False)
]
MOST_TOLD = 1000


@app.command("csv")
def csv_(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(help="A CSV file with a header.", exists=True, dir_okay=False)],
    dry_run: DryRun = False,
    keep_ids: KeepIds = False,
    mend_names: MendNames = False,
    mapping: Mapping = None,
    json: Json = False,
) -> None:
    """Take over members from a CSV file, with their passkeys and totals."""
    wishes = Wishes(keep_ids, mend_names, dry_run)
    total = file.stat().st_size
    with file.open("rb") as lines, _written(mapping) as out, progress(file.name) as show:
        carrier = Carrier(door(context), wishes, Complaints(), out)
        tally = carrier.carry(read_members(lines), lambda: show(lines.tell(), total))
    told(tally, dry_run=dry_run, as_json=json)


class Complaints:
    """Wrong lines, told as they come; of a file that is all wrong the first ones do."""

    def __init__(self) -> None:
        self._told = 0

    def __call__(self, line: int, why: str) -> None:
        self._told += 1
        if self._told <= MOST_TOLD:
            said(f"line {line}: {why}")
        elif self._told == MOST_TOLD + 1:
            said("More lines are wrong, which are only counted.")


def told(tally: Tally, *, dry_run: bool, as_json: bool) -> None:
    """The end of an import; it has failed while a line is left out."""
    if as_json:
        print_json(vars(tally))
    else:
        would = "would be " if dry_run else ""
        said(f"{tally.added} members {would}added, {tally.known} here already.")
    if tally.refused:
        waiting = f", and {tally.held_back} beside them" if tally.held_back else ""
        raise HoldfastError(
            f"{tally.refused} lines were not taken{waiting}; mend those and run this again: who is here "
            "already is not added twice."
        )


@contextmanager
def _written(path: Path | None) -> Iterator[TextIO | None]:
    if path is None:
        yield None
        return
    try:
        file = path.open("w", encoding="utf-8", newline="")
    except OSError as error:
        raise InvalidError(f"{path} cannot be written ({error.strerror}).") from error
    with file:
        yield file
