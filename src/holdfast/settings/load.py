"""Reads the settings from command line, environment and file, and refuses all that is wrong at once."""

import dataclasses
import difflib
import json
import os
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

from holdfast.errors import SettingsError
from holdfast.settings.check import cautions, contradictions
from holdfast.settings.kinds import PATH, Leaf, leaves, sections, variable
from holdfast.settings.sources import Source, from_command_line, from_environment, from_file
from holdfast.settings.tree import Settings
from holdfast.settings.values import Secret

T = TypeVar("T")

IN_A_FILE = "_file"
"""What follows the name of a secret when its value stands in a file of its own."""


@dataclasses.dataclass(frozen=True)
class Taken:
    """A value that was read, where it came from, and the file that holds it when it is a secret."""

    value: object
    origin: str
    held_in: Path | None = None


def load_settings(file: Path | None, environ: Mapping[str, str], overrides: Mapping[str, object]) -> Settings:
    """The settings in force: overrides before the environment, that before the file, that before defaults."""
    settings, taken = load(Settings, file, environ, overrides)
    problems = contradictions(settings)
    if problems:
        raise SettingsError("\n".join(problems))
    origins = {name: each.origin for name, each in taken.items()}
    findings = (*cautions(settings, origins), *_readable_by_others(taken))
    return dataclasses.replace(settings, origins=origins, findings=findings)


def settings_file(environ: Mapping[str, str], overrides: Mapping[str, object]) -> Path | None:
    """`holdfast.toml` in the data folder that command line or environment name, if it is there."""
    try:
        data = PATH.take(overrides.get("data") or environ.get(variable("data")) or Settings.data)
    except ValueError:
        return None  # loading refuses it in better words
    file = data / "holdfast.toml"
    try:
        return file if file.exists() else None
    except OSError:
        return file  # there may be one that cannot be seen: loading says why it cannot be read


def load(
    section_type: type[T], file: Path | None, environ: Mapping[str, str], overrides: Mapping[str, object]
) -> tuple[T, dict[str, Taken]]:
    """Any tree of sections from its three sources, with what was given and where."""
    known = {leaf.name: leaf for leaf in leaves(section_type)}
    known |= {name + IN_A_FILE: leaf for name, leaf in known.items() if leaf.kind.secret}
    problems: list[str] = []
    sources = []
    if file is not None:
        try:
            sources.append(from_file(file, section_type))
        except SettingsError as unreadable:
            problems.append(str(unreadable))
    sources += [from_environment(environ, list(known)), from_command_line(overrides)]
    taken: dict[str, Taken] = {}
    for source in sources:
        problems += _take(source, known, _section_names(section_type), taken)
    if problems:
        raise SettingsError("\n".join(problems))
    return _build(section_type, {name: each.value for name, each in taken.items()}), taken


def _take(
    source: Source, known: Mapping[str, Leaf], section_names: list[str], taken: dict[str, Taken]
) -> Iterator[str]:
    """Adds what a source gives to what is taken, and yields a sentence for everything it cannot use."""
    for name, value in source.values.items():
        leaf = known.get(name)
        if leaf is None:
            yield f"{source.spot(name)} {_no_setting(name, source, list(known), section_names)}"
        elif name == leaf.name:
            try:
                read = leaf.kind.read(value, as_text=source.as_text)
            except ValueError:
                yield f"{source.spot(name)} must be {leaf.kind.expected}{_instead(leaf, value)}."
            else:
                taken[name] = Taken(read, source.origin(name), source.held_in)
        elif value == "":
            continue
        elif source.values.get(leaf.name):
            yield f"{source.spot(name)} is given beside {leaf.name}; keep one of them."
        else:
            try:
                taken[leaf.name] = _from_own_file(leaf, value)
            except ValueError as wrong:
                yield f"{source.spot(name)} {wrong}"


def _from_own_file(leaf: Leaf, value: object) -> Taken:
    if not isinstance(value, str | Path):
        raise ValueError("must be the path of a file.")  # noqa: TRY004 - the caller tells people
    file = Path(value).expanduser()
    try:
        held = file.read_text("utf-8").rstrip("\r\n")
        return Taken(leaf.kind.take(held), f"{file}", file)
    except OSError as away:
        raise ValueError(
            f"names {file}, which cannot be read: {os.strerror(away.errno or 0).lower()}."
        ) from away
    except ValueError:
        raise ValueError(f"names {file}, which must hold {leaf.kind.expected}.") from None


def _instead(leaf: Leaf, value: object) -> str:
    too_long = isinstance(value, int) and value.bit_length() > 64
    if leaf.kind.secret or too_long or isinstance(value, dict | Secret):
        return ""
    shown = json.dumps(value, ensure_ascii=not str(value).isprintable(), default=str)
    return f", not {shown if len(shown) <= 60 else shown[:60] + '…'}"


def _section_names(section_type: type, prefix: str = "") -> list[str]:
    inner = sections(section_type)
    return [
        each
        for name, of in inner.items()
        for each in (prefix + name, *_section_names(of, f"{prefix}{name}."))
    ]


def _no_setting(name: str, source: Source, known: list[str], section_names: list[str]) -> str:
    if name in section_names:
        return f"is a section, not a value; write its settings below [{name}]."
    if source.write is variable:
        # Compared without what all variables share, which would make everything look close.
        by_rest = {variable(each).removeprefix(variable("")): variable(each) for each in known}
        near = by_rest.get(_nearest(name.removeprefix(variable("")), list(by_rest)) or "")
    elif isinstance(source.values[name], dict):
        near = _nearest(name, section_names)
    else:
        near = _nearest_name(name, known)
    return f"is not a setting; did you mean {near}?" if near else "is not a setting; remove it."


def _nearest_name(name: str, known: list[str]) -> str | None:
    """The likeliest slip: a letter wrong within the section, the wrong section, or anything close."""
    section, _, last = name.rpartition(".")
    siblings = [each for each in known if each.rpartition(".")[0] == section]
    elsewhere = [each for each in known if each.rpartition(".")[2] == last]
    return _nearest(name, siblings, 0.75) or _nearest(name, elsewhere, 0.0) or _nearest(name, known)


def _nearest(name: str, names: list[str], cutoff: float = 0.6) -> str | None:
    return next(iter(difflib.get_close_matches(name, names, n=1, cutoff=cutoff)), None)


def _build(section_type: type[T], values: Mapping[str, object], prefix: str = "") -> T:
    given: dict[str, Any] = {
        name: _build(inner, values, f"{prefix}{name}.") for name, inner in sections(section_type).items()
    }
    own = {name.removeprefix(prefix): value for name, value in values.items() if name.startswith(prefix)}
    return section_type(**given, **{name: value for name, value in own.items() if "." not in name})


def _readable_by_others(taken: Mapping[str, Taken]) -> Iterator[str]:
    for name, each in taken.items():
        if each.held_in is None or not (isinstance(each.value, Secret) and each.value.is_secret):
            continue
        mode = stat.S_IMODE(each.held_in.stat().st_mode)
        if mode & 0o077:
            yield f"{each.held_in} holds {name} and can be read by others; run chmod 600 {each.held_in}."
