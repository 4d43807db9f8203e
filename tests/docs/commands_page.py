"""Writes docs/commands.md, read off the command line itself; see the second line of that page."""

import sys
from collections.abc import Iterator, Mapping
from typing import Any

import typer
from typer.core import TyperArgument, TyperGroup, TyperOption

from holdfast.cli import INTERRUPTED, app
from holdfast.errors import Exit

OPENING = """\
# Commands

Generated from the commands themselves by `python -m tests.docs.commands_page`; change them there.

`holdfast COMMAND --help` tells every option. Before the command:

- `--data DIR` names the data folder (default `./data`). In it stands `run.json`, by which every command
  finds the running system; whoever may read it has an operator's rights.
- `--settings FILE` and `--set NAME=VALUE` change [settings](settings.md) for this command.
- `--debug` shows the traceback of an error that is otherwise one sentence.

Elsewhere than on the machine that runs Holdfast, name it by `HOLDFAST_URL` and give a token in
`HOLDFAST_TOKEN`. Every listing takes `--json` for programs: an array with every field. Tables and JSON go to
standard output, all else to standard error.

<!-- a system runs -->

```console
$ holdfast member add ann --json > ann.json
$ holdfast member list
id  name  roles   enabled  points  uploaded  downloaded  joined
1   ann   member  yes      0       0 B       0 B         …
$ holdfast member show nobody || echo "exit code $?"
holdfast: …
exit code 3
```
"""
SHELL = """
## Completion

```sh
holdfast completion bash > holdfast-completion
. ./holdfast-completion
```

The second line in `~/.bashrc` completes commands and options in every new shell; there is one for `zsh`
and one for `fish`.
"""
MEANINGS = {
    Exit.OK: "It was done.",
    Exit.FAILED: "Something else went wrong; the sentence says what. A fault of Holdfast ends so, too.",
    Exit.USAGE: "The command line, or a value in it, makes no sense.",
    Exit.NOT_FOUND: "What was named does not exist.",
    Exit.REFUSED: "Whoever asks may not do this.",
    Exit.CONFLICT: "It exists already, or its state does not allow this.",
    Exit.UNAVAILABLE: "Holdfast or one of its stores does not answer; trying again later may help.",
    Exit.SETTINGS: "The settings cannot be used as written.",
    Exit.FINDINGS: "`holdfast doctor` found a problem.",
}


def page() -> str:
    commands: dict[str, Any] = typer.main.get_command(app).commands  # type: ignore[attr-defined]
    groups = {name: one for name, one in commands.items() if isinstance(one, TyperGroup)}
    alone = {name: one for name, one in commands.items() if name not in groups}
    lines = [OPENING, "## The system", "", *_table("", alone)]
    for name, group in groups.items():
        lines += ["", f"## {name.capitalize()}", "", *_table(f"{name} ", group.commands)]
    lines += [SHELL, "## Exit codes", "", "| code | name | meaning |", "|---|---|---|"]
    lines += [f"| {code.value} | {code.name.lower().replace('_', ' ')} | {MEANINGS[code]} |" for code in Exit]
    lines += [f"| {INTERRUPTED} | | Ctrl-C ended it. |"]
    return "\n".join(lines) + "\n"


def _table(before: str, commands: Mapping[str, Any]) -> Iterator[str]:
    yield "| command | what it does |"
    yield "|---|---|"
    yield from _rows(before, commands)


def _rows(before: str, commands: Mapping[str, Any]) -> Iterator[str]:
    for name, command in sorted(commands.items()):
        if isinstance(command, TyperGroup):
            yield from _rows(f"{before}{name} ", command.commands)
            continue
        words = " ".join(["holdfast", f"{before}{name}", *_arguments(command), *_must(command)])
        yield f"| `{words}` | {command.help.splitlines()[0]} |"


def _arguments(command: Any) -> Iterator[str]:
    for one in command.params:
        if isinstance(one, TyperArgument):
            yield _word(one) + ("…" if one.nargs == -1 else "")


def _must(command: Any) -> Iterator[str]:
    """The options that it cannot do without."""
    for one in command.params:
        if isinstance(one, TyperOption) and one.required:
            flags = "/".join([*one.opts, *one.secondary_opts])
            yield flags if one.is_flag else f"{flags} {_word(one)}"


def _word(parameter: Any) -> str:
    return str(parameter.metavar or parameter.name).upper()


if __name__ == "__main__":
    sys.stdout.write(page())
