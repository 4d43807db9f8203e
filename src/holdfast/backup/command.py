"""`holdfast backup`, `holdfast restore` and `holdfast move-records`"""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from holdfast.asked import Asked, asked_in
from holdfast.launch import settings_for
from holdfast.settings import Settings
from holdfast.terminal import progress, said, size


def backup(
    context: typer.Context,
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A new folder to put the backup in.")],
) -> None:
    """Copy records, live store and settings to a new folder."""
    from holdfast.backup.whole import make  # noqa: PLC0415 - slow to import, for one command alone
    from holdfast.clock import SystemClock  # noqa: PLC0415

    settings = _settings(asked_in(context))
    elsewhere = list(_elsewhere(settings))
    with progress("Copying") as step:
        made = make(settings.data, folder, SystemClock(), elsewhere, step)
    bytes_ = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
    said(f"{folder} holds {' and '.join(made.holds)} ({size(bytes_)}).")
    for what in elsewhere:
        said(f"It lacks {what}: back that up where its server is.")


def restore(
    context: typer.Context,
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A folder that `holdfast backup` made.")],
) -> None:
    """Put a backup into a data folder that has no data yet."""
    import asyncio  # noqa: PLC0415
    import sys  # noqa: PLC0415

    from holdfast.backup.whole import put_back, read  # noqa: PLC0415
    from holdfast.clock import SystemClock  # noqa: PLC0415
    from holdfast.supervise.voice import voice  # noqa: PLC0415

    settings, clock = _settings(asked_in(context)), SystemClock()
    found = read(folder)
    with progress("Copying") as step:
        asyncio.run(put_back(folder, settings.data, clock, voice(sys.stderr, clock), step))
    said(f"{settings.data} holds {' and '.join(found.holds)} again.")


def move_records(
    context: typer.Context,
    address: Annotated[str, typer.Argument(help="As records.address would have it; an empty database.")],
) -> None:
    """Copy the records to another database; the old ones stay."""
    import asyncio  # noqa: PLC0415
    import sys  # noqa: PLC0415

    from holdfast.backup.move import move_from  # noqa: PLC0415
    from holdfast.clock import SystemClock  # noqa: PLC0415
    from holdfast.supervise.voice import voice  # noqa: PLC0415

    asked, clock = asked_in(context), SystemClock()
    there = settings_for(asked.data, asked.settings, (*asked.changes, f"records.address={address}"))
    here = _settings(asked)
    asyncio.run(move_from(here, there, clock, voice(sys.stderr, clock), _tell_table))
    said(f"The records are in {there.records.address} now; set records.address to it before the next start.")


def _tell_table(name: str, rows: int) -> None:
    said(f"{rows:>9}  {name}")


def _elsewhere(settings: Settings) -> Iterator[str]:
    """What the data folder does not hold."""
    if settings.records.address.scheme != "sqlite":
        yield "the records"
    if settings.live.address.scheme != "embedded":
        yield "the live store"


def _settings(asked: Asked) -> Settings:
    return settings_for(asked.data, asked.settings, asked.changes)
