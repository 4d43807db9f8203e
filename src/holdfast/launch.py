"""How a process of Holdfast learns its settings: from its command line, the environment and the file."""

import argparse
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from holdfast.errors import InvalidError
from holdfast.settings import Settings, load_settings, settings_file
from holdfast.supervise.model import HANDED_DOWN

# What the parent hands to a part beside the settings: never a setting, and not for anybody's eyes.
RUN_TOKEN_HASH = "HOLDFAST_RUN_TOKEN_SHA256"  # noqa: S105 - the name of a variable
CLIENT = ("HOLDFAST_URL", "HOLDFAST_TOKEN")
NOT_SETTINGS = HANDED_DOWN | {RUN_TOKEN_HASH, *CLIENT}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--data", type=Path)
    parser.add_argument("--settings", type=Path)
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", dest="changes")
    parser.add_argument("--debug", action="store_true")


def settings_for(
    data: Path | None, file: Path | None, changes: Sequence[str], environ: Mapping[str, str] | None = None
) -> Settings:
    """The settings in force for a command line of `--data`, `--settings` and any number of `--set`."""
    environ = os.environ if environ is None else environ
    known = {name: value for name, value in environ.items() if name not in NOT_SETTINGS}
    overrides: dict[str, object] = dict(_change(text) for text in changes)
    if data is not None:
        overrides["data"] = str(data)
    return load_settings(file or settings_file(known, overrides), known, overrides)


def arguments_for(data: Path, file: Path | None, changes: Sequence[str]) -> tuple[str, ...]:
    """The command line that gives another process the same settings."""
    named = ("--settings", str(file)) if file is not None else ()
    return ("--data", str(data), *named, *(f"--set={change}" for change in changes))


def _change(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals:
        raise InvalidError(f"--set {text} lacks a value; write it as --set NAME=VALUE.")
    return name.strip(), value
