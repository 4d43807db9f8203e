"""What commands show: tables for people, JSON for programs, progress for long work."""

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.progress import (
    BarColumn,
    DownloadColumn,
    Progress,
    TextColumn,
    TimeRemainingColumn,
    TransferSpeedColumn,
)
from rich.table import Table

Item = Mapping[str, Any]
Column = tuple[str, Callable[[Any], object]]
UNITS = ("B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB")


def listed(items: Iterable[Item], columns: Sequence[Column], *, as_json: bool, empty: str) -> None:
    """Print a listing: as an array of all fields, or as a table of the columns."""
    found = list(items)
    if as_json:
        print_json(found)
        return
    if not found:
        Console(stderr=True).print(escape(empty))
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading, _ in columns:
        table.add_column(heading, overflow="fold")
    for item in found:
        table.add_row(*(escape(str(cell(item))) for _, cell in columns))
    Console().print(table)


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


def yes(flag: bool) -> str:
    return "yes" if flag else "no"


@contextmanager
def progress(what: str) -> Iterator[Callable[[int, int], None]]:
    """A bar on standard error for work counted in bytes; nothing where nobody watches."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        DownloadColumn(binary_units=True),
        TransferSpeedColumn(),
        TimeRemainingColumn(),
    )
    console = Console(stderr=True)
    with Progress(*columns, console=console, disable=not console.is_terminal, transient=True) as bar:
        task = bar.add_task(escape(what), total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
