"""The command `holdfast`: finds the room that does the work, and turns every error into one sentence."""

import os
import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from holdfast import __version__
from holdfast.asked import Asked, Json, asked_in
from holdfast.backup.command import backup, move_records, restore
from holdfast.catalogue.commands import apps as catalogue_apps
from holdfast.catalogue.commands import commands as catalogue_commands
from holdfast.doctor.command import doctor
from holdfast.errors import Exit, HoldfastError
from holdfast.imports.command import app as imports
from holdfast.items.commands import apps as items_apps
from holdfast.launch import arguments_for, settings_for
from holdfast.status import status
from holdfast.terminal import printable
from holdfast.top.command import top
from holdfast.tracker.commands import apps as tracker_apps

COMPLETION = "_HOLDFAST_COMPLETE"
"""Set by the shell when it asks what could come next."""
INTERRUPTED = 130
"""What a shell answers for a program that Ctrl-C ended."""


class PartName(StrEnum):
    """A part that can run alone."""

    WEB = "web"
    CLERK = "clerk"
    TRACKER = "tracker"


class Shell(StrEnum):
    """A shell that can complete our commands."""

    BASH = "bash"
    ZSH = "zsh"
    FISH = "fish"


app = typer.Typer(
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    help="Holdfast keeps what a community refuses to lose: save, spread, share, count and keep.",
)
for name, part in (catalogue_apps | tracker_apps | items_apps).items():
    app.add_typer(part, name=name)
app.add_typer(imports, name="import")
tracker_apps["tracker"].add_typer(catalogue_apps["whitelist"], name="whitelist")
for name, command in catalogue_commands.items():
    app.command(name)(command)
for command in (doctor, status, top, backup, restore, move_records):
    app.command()(command)

Data = Annotated[Path | None, typer.Option("--data", help="The data folder.", file_okay=False)]
Change = Annotated[list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="Change a setting.")]


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"holdfast {__version__}")
        raise typer.Exit


@app.callback()
def holdfast(
    context: typer.Context,
    data: Data = None,
    settings: Annotated[
        Path | None, typer.Option(help="A settings file; else holdfast.toml in the data folder.")
    ] = None,
    change: Change = None,
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")] = False,
    version: Annotated[  # noqa: ARG001 - answered before the command is looked at
        bool, typer.Option("--version", help="Print the version and end.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    context.obj = Asked(data, settings, tuple(change or ()), debug)


@app.command()
def up(
    context: typer.Context,
    data: Data = None,
    web: Annotated[
        str | None, typer.Option(metavar="HOST:PORT", help="Where the pages are; port 0: any.")
    ] = None,
    tracker: Annotated[str | None, typer.Option(metavar="HOST:PORT", help="Where clients announce.")] = None,
    change: Change = None,
) -> None:
    """Run the whole system on this machine, until Ctrl-C."""
    wishes = {"web.listen": web, "tracker.listen": tracker}
    wanted = [f"{name}={value}" for name, value in wishes.items() if value is not None]
    _become("holdfast.up", context, data, [*(change or []), *wanted])


@app.command()
def run(
    context: typer.Context,
    part: Annotated[PartName, typer.Argument(help="Which part.")],
    data: Data = None,
    listen: Annotated[str | None, typer.Option(metavar="HOST:PORT", help="Where it listens.")] = None,
    change: Change = None,
) -> None:
    """Run one part alone against shared stores, as on a machine of its own."""
    wanted = [] if listen is None else [f"{part}.listen={listen}"]
    _become("holdfast.run", context, data, [*(change or []), *wanted], part)


@app.command()
def settings(
    context: typer.Context,
    seen: Annotated[
        bool, typer.Option("--seen", help="What is in force here, and where it came from.")
    ] = False,
    json: Json = False,
) -> None:
    """Print a sample of all settings, ready to be saved as holdfast.toml."""
    from holdfast.settings import Settings, as_seen, sample  # noqa: PLC0415
    from holdfast.terminal import listed  # noqa: PLC0415

    if not seen and not json:
        sys.stdout.write(sample(Settings))
        return
    asked = asked_in(context)
    found = [one._asdict() for one in as_seen(settings_for(asked.data, asked.settings, asked.changes))]
    columns = [(name, lambda one, name=name: one[name]) for name in ("name", "value", "origin")]
    listed(found, columns, as_json=json, empty="")


@app.command()
def migrate(context: typer.Context) -> None:
    """Bring the records up to this version; every part does so when it starts."""
    from holdfast.store.records.migrate import HEAD, migrate  # noqa: PLC0415
    from holdfast.stores import records_of  # noqa: PLC0415
    from holdfast.terminal import said  # noqa: PLC0415

    asked = asked_in(context)
    records = records_of(settings_for(asked.data, asked.settings, asked.changes))
    came_from = migrate(records)
    said(f"The records are at schema {HEAD}" + (f", from {came_from}." if came_from else " already."))


@app.command()
def completion(shell: Shell) -> None:
    """Print what makes a shell complete these commands; for bash, put it in ~/.bashrc."""
    os.environ[COMPLETION] = f"source_{shell}"
    app(args=[], prog_name="holdfast")


def main() -> None:
    """The console script."""
    try:
        code = _called()
    except HoldfastError as error:
        if "--debug" in sys.argv:
            raise
        _fail(str(error), error.exit)
    except typer.TyperException as error:
        _usage(error)
    except (typer.Abort, KeyboardInterrupt):
        sys.exit(INTERRUPTED)
    except Exception as error:
        if "--debug" in sys.argv:
            raise
        kind = type(error).__name__
        _fail(f"This should not happen ({kind}: {error}); run it again with --debug.", Exit.FAILED)
    else:
        sys.exit(code)


def _called() -> int:
    try:
        code: int | None = app(standalone_mode=False, prog_name="holdfast")
    except (SystemExit, BrokenPipeError) as ended:
        # Whoever read our output has seen enough, which is no failure, though Typer ends with 1 for it.
        if not any(isinstance(each, BrokenPipeError) for each in (ended, ended.__context__)):
            raise
        # The interpreter must not try to flush it again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return Exit.OK
    return code or Exit.OK


def _fail(told: str, code: Exit) -> None:
    """Mostly one sentence; settings are refused with a line for each that is wrong."""
    sys.stderr.writelines(f"holdfast: {printable(sentence)}\n" for sentence in told.split("\n"))
    sys.exit(code)


def _usage(error: typer.TyperException) -> None:
    """A command line that makes no sense: what is wrong with it, and where to read how it goes."""
    context: typer.Context | None = getattr(error, "ctx", None)
    command = context.command_path if context else "holdfast"
    said = error.format_message()
    if said.startswith("Usage:"):  # nothing was asked at all: the message is the command's help
        sys.stderr.write(f"{said}\n")
        sys.exit(Exit.USAGE)
    sentence = " ".join(said.replace("Value error, ", "").split()).rstrip(".")
    _fail(
        f"{sentence}{'' if sentence.endswith('?') else ';'} `{command} --help` says how it goes.", Exit.USAGE
    )


def _become(module: str, context: typer.Context, data: Path | None, changes: list[str], *first: str) -> None:
    """Replace this process by a lighter one, which need not carry the command line for all its life."""
    asked = asked_in(context)
    folder, wanted = data or asked.data, (*asked.changes, *changes)
    # Read here too, so that an error is told at once and --data need not be given twice.
    known = settings_for(folder, asked.settings, wanted)
    arguments = arguments_for(known.data, asked.settings, wanted) + (("--debug",) if asked.debug else ())
    os.execv(sys.executable, [sys.executable, "-m", module, *first, *arguments])  # noqa: S606
