"""What `top` draws: the looks it had, as lines that fit the terminal, whatever its size."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from rich.text import Text

from holdfast.status import NONE, Look, facts, part_columns, span
from holdfast.terminal import printable, when
from holdfast.top.rates import Busy, Key

STATES = {"ready": "green", "starting": "yellow", "waiting": "yellow"}
LEVELS = {"alarm": "bold red", "warning": "yellow"}
RIGHT = ("pid", "cpu", "memory", "restarts")


@dataclass(frozen=True)
class Picture:
    """All that is on the screen."""

    look: Look
    events: Sequence[Mapping[str, Any]] = ()
    busy: Mapping[Key, Busy] = field(default_factory=dict)
    trouble: str = ""
    """Why there is nothing newer."""
    away: float = 0.0
    """Seconds since there was."""


def draw(picture: Picture, width: int, height: int) -> Text:
    """Exactly `height` lines of at most `width` signs: the events make do with the room that is left."""
    found = lines(picture, height - 1)
    found += [Text()] * (height - 1 - len(found))
    found.append(Text("q quits", style="dim"))
    for line in found:
        line.truncate(width, overflow="ellipsis")
    return Text("\n").join(found)


def lines(picture: Picture, most: int) -> list[Text]:
    """What there is to see, the most important first."""
    found = [*_head(picture), *_parts(picture), Text(), *_facts(picture), *_alarms(picture)]
    room = most - len(found) - 1
    if picture.events and room > 0:
        found += [Text(), *(_event(one) for one in picture.events[:room])]
    return found[:most]


def _head(picture: Picture) -> Iterator[Text]:
    name, rest = next(iter(facts(picture.look).items()))
    yield Text.assemble((f"{name} ", "bold"), printable(rest))
    if picture.trouble:
        yield Text(f"No news for {span(picture.away)}: {printable(picture.trouble)}", style="bold red")
    yield Text()


def _parts(picture: Picture) -> Iterator[Text]:
    def share(part: Mapping[str, Any]) -> str:
        known = picture.busy.get((part["name"], part["instance"]))
        return NONE if known is None or known.share is None else f"{known.share:.0%}"

    columns = part_columns(share)
    rows = [[name for name, _ in columns]]
    rows += [[printable(cell(part)) for _, cell in columns] for part in picture.look.system["parts"]]
    widths = [max(len(row[at]) for row in rows) for at in range(len(columns))]
    for number, row in enumerate(rows):
        line = Text(style="bold" if number == 0 else "")
        for (name, _), cell, width in zip(columns, row, widths, strict=True):
            style = STATES.get(cell, "bold red") if name == "state" and number else ""
            line.append((cell.rjust if name in RIGHT else cell.ljust)(width), style=style)
            line.append("  ")
        yield line


def _facts(picture: Picture) -> Iterator[Text]:
    for name, fact in list(facts(picture.look).items())[1:]:
        yield Text.assemble((f"{name:<11} ", "bold"), printable(fact))


def _alarms(picture: Picture) -> Iterator[Text]:
    for alarm in picture.look.system["alarms"]:
        yield Text(printable(alarm["text"]), style=LEVELS.get(alarm["level"], ""))


def _event(entry: Mapping[str, Any]) -> Text:
    target = " ".join(str(entry[name]) for name in ("target_kind", "target_name") if entry[name])
    words = f"{when(entry['at'])}  {entry['actor']['name']}  {entry['action']}  {target}"
    return Text(printable(words), style="dim")
