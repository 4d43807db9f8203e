"""What commands show: tables for people, JSON for programs, progress for long work."""

import json
import os
import shutil
import sys
import textwrap
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

Item = Mapping[str, Any]
Column = tuple[str, Callable[[Any], object]]
UNITS = ("B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB")
GAP = "  "
INDENT = "    "
NARROWEST = 6
"""What is left of a column, however narrow the terminal."""


def listed(
    items: Iterable[Item],
    columns: Sequence[Column],
    *,
    as_json: bool,
    empty: str,
    below: Callable[[Any], str] | None = None,
) -> None:
    """Print a listing: as an array of all fields, or as a table of the columns.

    `below` says what would make a row too long; it stands under the row, indented.
    """
    found = list(items)
    if as_json:
        print_json(found)
    elif not found:
        said(empty)
    else:
        width = _width()
        rows = [[printable(cell(item)) for _, cell in columns] for item in found]
        heading, *lines = table([[name for name, _ in columns], *rows], width)
        sys.stdout.write(f"{_bold(heading)}\n")
        for item, line in zip(found, lines, strict=True):
            sys.stdout.write(f"{line}\n")
            if below is not None:
                sys.stdout.writelines(f"{each}\n" for each in _indented(printable(below(item)), width))


def table(rows: Sequence[Sequence[str]], width: int | None) -> list[str]:
    """The rows as lines of columns; where they do not fit, the widest give way and end in `…`."""
    widths = [max(map(cells, column)) for column in zip(*rows, strict=True)]
    if width is not None:
        _narrow(widths, width - len(GAP) * (len(widths) - 1))
    return [
        GAP.join(_padded(cell, room) for cell, room in zip(row, widths, strict=True)).rstrip() for row in rows
    ]


def _narrow(widths: list[int], room: int) -> None:
    while sum(widths) > room and max(widths) > NARROWEST:
        widths[widths.index(max(widths))] -= 1


def _padded(text: str, room: int) -> str:
    if cells(text) > room:
        while cells(text) > room - 1:
            text = text[:-1]
        text += "…"
    return text + " " * (room - cells(text))


def cells(text: str) -> int:
    """How many places of a terminal a text takes: signs of East Asia take two, accents none."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(sign) else 2 if unicodedata.east_asian_width(sign) in "WF" else 1
        for sign in text
    )


def _indented(text: str, width: int | None) -> list[str]:
    if width is None:
        return [INDENT + text] if text else []
    return textwrap.wrap(
        text,
        max(width, len(INDENT) + NARROWEST),
        initial_indent=INDENT,
        subsequent_indent=INDENT,
        break_on_hyphens=False,
    )


def _width() -> int | None:
    """The terminal's; what goes into a file or a program is never cut."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() or "COLUMNS" in os.environ else None


def _bold(text: str) -> str:
    return f"\033[1m{text}\033[0m" if sys.stdout.isatty() and not os.environ.get("NO_COLOR") else text


def shown(facts: Mapping[str, object], item: Any, *, as_json: bool) -> None:
    """Print one thing: whole as JSON, or its facts line by line."""
    if as_json:
        print_json(item)
        return
    width = max(len(name) for name in facts)
    for name, value in facts.items():
        sys.stdout.write(f"{name:<{width}}  {printable(value)}\n")


def print_json(value: Any) -> None:
    sys.stdout.write(json.dumps(value, indent=2, ensure_ascii=False) + "\n")


def said(sentence: str) -> None:
    """Tell the person what was done; programs read the exit code or the JSON."""
    sys.stderr.write(f"{printable(sentence)}\n")


def printable(value: object) -> str:
    """Text that cannot move the cursor or colour the terminal, whoever wrote it."""
    return "".join(sign if sign.isprintable() else "�" for sign in str(value))


def size(count: int) -> str:
    """Bytes in binary units, as the pages show them."""
    amount = float(count)
    for unit in UNITS:
        if amount < 1024 or unit == UNITS[-1]:
            return f"{count} B" if unit == "B" else f"{amount:.1f} {unit}"
        amount /= 1024
    raise AssertionError("the last unit takes every amount")


def when(seconds: float | None) -> str:
    if seconds is None:
        return "never"
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M")


def credited(one: Item) -> str:
    """A member's or an upload's multipliers."""
    return f"uploads times {one['multi_up']:g}, downloads times {one['multi_down']:g}"


def yes(flag: bool) -> str:
    return "yes" if flag else "no"


@contextmanager
def progress(what: str) -> Iterator[Callable[[int, int], None]]:
    """A bar on standard error for work counted in bytes; nothing where nobody watches."""
    if not sys.stderr.isatty():
        yield lambda _done, _total: None
        return
    from rich.console import Console  # noqa: PLC0415 - slow to import, and only long work needs it
    from rich.markup import escape  # noqa: PLC0415
    from rich.progress import (  # noqa: PLC0415
        BarColumn,
        DownloadColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
        TransferSpeedColumn,
    )

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        DownloadColumn(binary_units=True),
        TransferSpeedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(escape(printable(what)), total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
