"""What every live view is drawn with: lines that fit the terminal, tables, and word that there is no news."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from rich.text import Text

from holdfast.status import NONE, span
from holdfast.terminal import Column, printable
from holdfast.top.rates import Busy, Key
from holdfast.top.watch import Glance

FAULT = "bold red"


def filled(lines: Sequence[Text], width: int, height: int) -> Text:
    """The lines as a picture that fills the terminal, and how to leave it."""
    found = [*lines, *[Text()] * (height - 1 - len(lines)), Text("q quits", style="dim")]
    for line in found:
        line.truncate(width, overflow="ellipsis")
    return Text("\n").join(found)


def news(glance: Glance) -> Iterator[Text]:
    if glance.trouble:
        yield Text(f"No news for {span(glance.away)}: {printable(glance.trouble)}", style=FAULT)


def table(
    columns: Sequence[Column],
    items: Iterable[Any],
    right: Collection[str] = (),
    styles: Mapping[str, Callable[[str], str]] | None = None,
) -> Iterator[Text]:
    """A heading and a line for each; the columns named in `right` stand to the right."""
    rows = [[name for name, _ in columns]]
    rows += [[printable(cell(item)) for _, cell in columns] for item in items]
    widths = [max(len(row[at]) for row in rows) for at in range(len(columns))]
    for number, row in enumerate(rows):
        line = Text(style="bold" if number == 0 else "")
        for (name, _), cell, width in zip(columns, row, widths, strict=True):
            style = styles[name](cell) if styles and number and name in styles else ""
            line.append((cell.rjust if name in right else cell.ljust)(width), style=style)
            line.append("  ")
        yield line


def share(known: Mapping[Key, Busy], part: Mapping[str, Any]) -> str:
    """Of one processor, as far as that is known."""
    found = known.get((part["name"], part["instance"]))
    return NONE if found is None or found.share is None else f"{found.share:.0%}"
