"""Shows the settings to people: the commented sample file, the reference, and the values in force."""

import textwrap
from collections.abc import Iterator
from operator import attrgetter
from typing import NamedTuple

from holdfast.settings.kinds import Leaf, Plain, leaves, literal, sections
from holdfast.settings.tree import Settings

SAMPLE_HEAD = (
    "Settings of Holdfast, each with its default. Save the file as holdfast.toml in the data folder, or name "
    "it with --settings FILE; keep only the lines that you change. The command line goes before the "
    "environment, the environment before this file, this file before the defaults. Relative paths start at "
    "the working directory."
)

REFERENCE_HEAD = """\
# Settings

Generated from `src/holdfast/settings/tree.py` by `python -m holdfast.settings`; change it there.

A setting is taken from the first of these places that gives it:

1. the command line (`--data DIR`, `--web HOST:PORT`, `--tracker HOST:PORT`);
2. the environment: `HOLDFAST_` and the name in capitals, with `_` for each dot;
   `web.listen` is `HOLDFAST_WEB_LISTEN`, lists are separated by commas;
3. the file `holdfast.toml` in the data folder, or the one named by `--settings FILE`;
4. the default.

`holdfast settings` prints a commented sample of the file, `holdfast settings --json` the values in force
and where each came from. A name that does not exist or a value that cannot be used is refused with the
line of the file.

Settings marked *secret* show as `***` everywhere. Each can stand in a file of its own instead: add `_file` to
its name, as in `notices.email.password_file = "/run/secrets/mail"` or `HOLDFAST_NOTICES_EMAIL_PASSWORD_FILE`.
"""


class Seen(NamedTuple):
    """A setting as it may be shown to anybody."""

    name: str
    value: Plain
    origin: str
    doc: str


def as_seen(settings: Settings) -> list[Seen]:
    """Every setting in force, its value as the file would write it, secrets masked."""
    return [
        Seen(
            leaf.name,
            leaf.kind.plain(attrgetter(leaf.name)(settings)),
            settings.origins.get(leaf.name, "default"),
            leaf.doc,
        )
        for leaf in leaves(type(settings))
    ]


def sample(section_type: type) -> str:
    """The whole settings file with its documentation as comments; loading it gives the defaults."""
    return "\n".join([*_comment(SAMPLE_HEAD), *_sample_of(section_type, "")]) + "\n"


def reference(section_type: type) -> str:
    """The same documentation as a page of Markdown."""
    return "\n".join([REFERENCE_HEAD, *_reference_of(section_type, "")])


def _comment(text: str) -> list[str]:
    return [f"# {line}" for line in textwrap.wrap(text, 100, break_long_words=False, break_on_hyphens=False)]


def _doc(section_type: type) -> str:
    return textwrap.dedent(section_type.__doc__ or "").strip()


def _own(section_type: type) -> Iterator[Leaf]:
    return (leaf for leaf in leaves(section_type) if "." not in leaf.name)


def _sample_of(section_type: type, prefix: str) -> Iterator[str]:
    full = {leaf.name.removeprefix(prefix): leaf for leaf in leaves(section_type, prefix)}
    for leaf in _own(section_type):
        yield ""
        yield from _comment(leaf.doc)
        yield from _comment(f"{_takes(leaf)} Variable: {full[leaf.name].variable}")
        yield f"{leaf.name} = {literal(leaf.kind.plain(leaf.default))}"
    for name, inner in sections(section_type).items():
        yield from ("", "", *_comment(_doc(inner)), f"[{prefix}{name}]")
        yield from _sample_of(inner, f"{prefix}{name}.")


def _takes(leaf: Leaf) -> str:
    return f"Takes {leaf.kind.expected}."


def _reference_of(section_type: type, prefix: str) -> Iterator[str]:
    for leaf in leaves(section_type, prefix):
        if "." in leaf.name.removeprefix(prefix):
            continue
        mark = ", *secret*" if leaf.kind.secret else ""
        yield f"- **`{leaf.name}`** = `{literal(leaf.kind.plain(leaf.default))}`{mark}  "
        yield f"  {leaf.doc}  "
        yield f"  {_takes(leaf)}"
    for name, inner in sections(section_type).items():
        yield from ("", f"## {prefix}{name}", "", _doc(inner), "")
        yield from _reference_of(inner, f"{prefix}{name}.")
