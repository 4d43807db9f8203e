"""The three places settings are given in, each a flat mapping that can say where a name stands."""

import json
import os
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from holdfast.errors import SettingsError
from holdfast.settings.kinds import sections, variable


@dataclass(frozen=True)
class Source:
    values: Mapping[str, object]
    origin: Callable[[str], str]
    """Where a name's value came from, as a person is told."""
    spot: Callable[[str], str]
    """How a refusal opens: the place and the name, as they are written there."""
    as_text: bool
    """Whether values are texts that have yet to be read as numbers, lists and truth values."""
    write: Callable[[str], str] = str
    """How a setting's name is written there."""
    held_in: Path | None = None
    """The file whose readers learn the values."""


def from_file(file: Path, section_type: type) -> Source:
    written = _read(file)
    try:
        table = tomllib.loads(written)
    except (ValueError, RecursionError) as wrong:
        raise SettingsError(_syntax(file, str(wrong), written)) from wrong
    values = dict(_flat(table, section_type, ""))

    def spot(name: str) -> str:
        # Only a refusal asks for lines, so nothing is spent on them when all is well.
        line = line_of(written, name)
        return f"{file}, line {line}: {name}" if line else f"{file}: {name}"

    return Source(values, lambda _: str(file), spot, as_text=False, held_in=file)


def from_environment(environ: Mapping[str, str], names: list[str]) -> Source:
    """Every HOLDFAST_ variable; those that are no setting's keep their own name, to be refused by it."""
    by_variable = {variable(name): name for name in names}
    values = {
        by_variable.get(key, key): value for key, value in environ.items() if key.startswith(variable(""))
    }

    def shown(name: str) -> str:
        return name if name.startswith(variable("")) else variable(name)

    return Source(values, lambda name: f"environment, {shown(name)}", shown, as_text=True, write=variable)


def from_command_line(overrides: Mapping[str, object]) -> Source:
    """Options by dotted name; None means that the option was not given."""
    values = {name: value for name, value in overrides.items() if value is not None}
    return Source(values, lambda _: "command line", lambda name: f"On the command line, {name}", as_text=True)


def _read(file: Path) -> str:
    try:
        return file.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as wrong:
        line = wrong.object[: wrong.start].count(b"\n") + 1
        raise SettingsError(f"{file}, line {line}: this is not UTF-8; save the file as UTF-8.") from wrong
    except OSError as away:
        reason = os.strerror(away.errno or 0).lower()
        raise SettingsError(f"The settings file {file} cannot be read: {reason}.") from away


def _syntax(file: Path, wrong: str, written: str) -> str:
    match = re.fullmatch(r"(.*) \(at (?:line (\d+), column (\d+)|end of document)\)", wrong, re.DOTALL)
    reason, line, column = match.groups() if match else (wrong, None, None)
    last = written.rstrip().count("\n") + 1
    place = f"line {line}, column {column}" if line else f"line {last}"
    return f"{file}, {place}: this is not TOML: {reason[:1].lower()}{reason[1:]}."


def _flat(
    table: Mapping[str, object], section_type: type | None, prefix: str
) -> Iterator[tuple[str, object]]:
    """Dotted names of what a table holds; a table that is no section is one value, refused as a whole."""
    inner = sections(section_type) if section_type else {}
    for key, value in table.items():
        if isinstance(value, dict) and key in inner:
            yield from _flat(value, inner[key], f"{prefix}{key}.")
        else:
            yield prefix + _quoted(key), value


def _quoted(key: str) -> str:
    """A key as it must be written: quoted when it holds a dot or anything else that is not bare."""
    return key if re.fullmatch("[A-Za-z0-9_-]+", key) else json.dumps(key)


def line_of(written: str, name: str) -> int | None:
    """The line on which the statement stands that gives a dotted name, or opens its table.

    The parser tells no lines, so each statement is handed to it alone: a statement ends at the first line
    at which what was gathered since the last one is valid TOML by itself.
    """
    table: tuple[str, ...] = ()
    gathered, start = "", 1
    for number, line in enumerate(written.split("\n"), start=1):
        gathered += line + "\n"
        try:
            statement = tomllib.loads(gathered)
        except (ValueError, RecursionError):
            continue
        opens_table = gathered.lstrip().startswith("[")
        found = [path if opens_table else (*table, *path) for path in _paths(statement)]
        if any(".".join(path) == name for path in found):
            return start
        if opens_table:
            table = max(found, key=len)
        gathered, start = "", number + 1
    return None


def _paths(table: object) -> Iterator[tuple[str, ...]]:
    if isinstance(table, list):
        for each in table:
            yield from _paths(each)
    if isinstance(table, dict):
        for key, value in table.items():
            yield (_quoted(key),)
            yield from ((_quoted(key), *path) for path in _paths(value))
