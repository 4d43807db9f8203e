"""`holdfast items work`: our own volunteer client."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from holdfast.asked import door
from holdfast.errors import InvalidError
from holdfast.items.commands.projects import Slug, app
from holdfast.terminal import said, size

if TYPE_CHECKING:
    from holdfast.items.work.worker import Progress, Wishes


@app.command()
def work(
    context: typer.Context,
    project: Slug,
    run: Annotated[str, typer.Option(help="The command for each item; {item} stands for its name.")],
    name: Annotated[str, typer.Option(help="Under which name to work, as the board shows it.")],
    at: Annotated[
        str | None, typer.Option(metavar="URL", help="The tracker; else the system in the data folder.")
    ] = None,
    folder: Annotated[Path, typer.Option(help="Where to work.", file_okay=False)] = Path("work"),
    parallel: Annotated[int, typer.Option(min=1, max=100, help="Items side by side.")] = 2,
    most: Annotated[int, typer.Option(min=0, help="End after so many items; 0: never.")] = 0,
    until_empty: Annotated[
        bool, typer.Option("--until-empty", help="End when there are no items, instead of waiting.")
    ] = False,
    keep: Annotated[bool, typer.Option("--keep", help="Keep what was found after it was taken.")] = False,
    version: Annotated[str, typer.Option(help="The version to name, where a project asks for one.")] = "",
) -> None:
    """Work for a project: claim items, run a command for each, bring away what it finds, report."""
    from holdfast.items.work.worker import Wishes  # noqa: PLC0415 - brings an event loop and HTTP

    if "{item}" not in run and "HOLDFAST_ITEM" not in run:
        raise InvalidError("The command must name the item: write {item}, or use $HOLDFAST_ITEM.")
    wishes = Wishes(run, parallel, most, keep, until_empty=until_empty)
    progress = _worked(at or door(context).url, project, name, version, folder, wishes)
    said(f"{progress.done} items done, {size(progress.bytes)}; {progress.failed} failed.")


def _worked(url: str, project: str, name: str, version: str, folder: Path, wishes: "Wishes") -> "Progress":
    import asyncio  # noqa: PLC0415
    import signal  # noqa: PLC0415

    from holdfast.clock import SystemClock  # noqa: PLC0415
    from holdfast.items.work.shelf import Shelf  # noqa: PLC0415
    from holdfast.items.work.tracker import Tracker  # noqa: PLC0415
    from holdfast.items.work.worker import Worker  # noqa: PLC0415

    async def working() -> "Progress":
        async with Tracker(url, project, name, version) as tracker:
            worker = Worker(tracker, Shelf(folder / project), wishes, SystemClock(), said)
            loop = asyncio.get_running_loop()
            for number in (signal.SIGINT, signal.SIGTERM):
                loop.add_signal_handler(number, worker.stop)
            await worker.work()
            return worker.progress

    return asyncio.run(working())
