"""`holdfast import …`"""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
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
    with file.open("rb") as lines, _if_asked(mapping) as out, progress(file.name) as show:
        carrier = Carrier(door(context), wishes, Complaints(), out)
        tally = carrier.carry(read_members(lines), lambda: show(lines.tell(), total))
    told(tally, dry_run=dry_run, as_json=json)


@app.command()
def mika(
    context: typer.Context,
    address: Annotated[str, typer.Argument(help="Its Redis, as redis://HOST:PORT/DB or unix:///PATH.")],
    torrents: Annotated[
        Path | None, typer.Option(help="A folder with its .torrent files.", exists=True, file_okay=False)
    ] = None,
    category: Annotated[str, typer.Option(help="The category that uploads come into.")] = "General",
    by: Annotated[str | None, typer.Option(help="The member who is named as their uploader.")] = None,
    left_out: Annotated[
        Path, typer.Option(help="Where uploads that cannot be taken over are listed.", dir_okay=False)
    ] = Path("left-out.csv"),
    dry_run: DryRun = False,
    keep_ids: KeepIds = False,
    mend_names: MendNames = False,
    mapping: Mapping = None,
    json: Json = False,
) -> None:
    """Take over a mika tracker from its Redis, which is only read."""
    import asyncio  # noqa: PLC0415 - slow to import, as what follows, and for one command alone

    from holdfast.clock import SystemClock  # noqa: PLC0415
    from holdfast.imports.mika import Mika  # noqa: PLC0415
    from holdfast.imports.moving import Moved, move_in  # noqa: PLC0415
    from holdfast.imports.uploads import UploadCarrier, torrents_in  # noqa: PLC0415
    from holdfast.store.live import open_live  # noqa: PLC0415

    here, complaints = door(context), Complaints("member")
    found = torrents_in(torrents, lambda path, why: said(f"{path}: {why}")) if torrents else {}

    async def move(out: TextIO | None, rest: TextIO) -> Moved:
        carrier = Carrier(here, Wishes(keep_ids, mend_names, dry_run), complaints, out)
        uploads = UploadCarrier(here, found, rest, dry_run=dry_run, category=category, by=by)
        async with open_live(address, clock=SystemClock(), client_name="holdfast-import") as live:
            return await move_in(Mika(live, complaints), here, carrier, uploads, complaints, dry_run=dry_run)

    with _if_asked(mapping) as out, _written(left_out) as rest:
        moved = asyncio.run(move(out, rest))
    if json:
        print_json(moved.as_json())
    else:
        would = "would be " if dry_run else ""
        said(f"{moved.uploads.added} uploads {would}added, {moved.uploads.known} here already.")
        said(f"{moved.clients} clients and {moved.participations} participations added.")
        if moved.uploads.left_out:
            said(f"{moved.uploads.left_out} uploads were left out; {left_out} says which, and why.")
    told(moved.members, dry_run=dry_run, as_json=False, quiet=json)


class Complaints:
    """Wrong lines, told as they come; of a file that is all wrong the first ones do."""

    def __init__(self, what: str = "line") -> None:
        self._what = what
        self._told = 0

    def __call__(self, line: int, why: str) -> None:
        self._told += 1
        if self._told <= MOST_TOLD:
            said(f"{self._what} {line}: {why}" if line else why)
        elif self._told == MOST_TOLD + 1:
            said("More lines are wrong, which are only counted.")


def told(tally: Tally, *, dry_run: bool, as_json: bool, quiet: bool = False) -> None:
    """The end of an import; it has failed while a line is left out."""
    if as_json:
        print_json(vars(tally))
    elif not quiet:
        would = "would be " if dry_run else ""
        said(f"{tally.added} members {would}added, {tally.known} here already.")
    if tally.refused:
        waiting = f", and {tally.held_back} beside them" if tally.held_back else ""
        raise HoldfastError(
            f"{tally.refused} lines were not taken{waiting}; mend those and run this again: who is here "
            "already is not added twice."
        )


@contextmanager
def _written(path: Path) -> Iterator[TextIO]:
    try:
        file = path.open("w", encoding="utf-8", newline="")
    except OSError as error:
        raise InvalidError(f"{path} cannot be written ({error.strerror}).") from error
    with file:
        yield file


def _if_asked(path: Path | None) -> AbstractContextManager[TextIO | None]:
    return nullcontext() if path is None else _written(path)
