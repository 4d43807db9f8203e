"""What `top` draws: the looks it had, as lines that fit the terminal, whatever its size."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from rich.text import Text

from holdfast.client import Door
from holdfast.clock import Clock
from holdfast.status import Look, facts, look_at, part_columns
from holdfast.terminal import printable, when
from holdfast.top.page import FAULT, news, share, table
from holdfast.top.rates import Busy, Key, busy
from holdfast.top.show import View
from holdfast.top.watch import Glance

EVENTS = 20

STATES = {"ready": "green", "starting": "yellow", "waiting": "yellow"}
LEVELS = {"alarm": "bold red", "warning": "yellow"}
RIGHT = ("pid", "cpu", "memory", "restarts")


@dataclass(frozen=True, kw_only=True)
class Picture(Glance):
    """All that is on the screen."""

    look: Look
    events: Sequence[Mapping[str, Any]] = ()
    busy: Mapping[Key, Busy] = field(default_factory=dict)


def see(clock: Clock, door: Door, before: Picture | None) -> Picture:
    look, events = look_at(door), door.get("/audit", limit=EVENTS)["items"]
    known = before.busy if before else {}
    return Picture(look=look, events=events, busy=busy(known, look.system["parts"], clock.steady()))


def body(picture: Picture) -> dict[str, Any]:
    return {**picture.look.body, "events": list(picture.events)}


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
    yield from news(picture)
    yield Text()


def _parts(picture: Picture) -> Iterator[Text]:
    columns = part_columns(lambda part: share(picture.busy, part))
    return table(
        columns, picture.look.system["parts"], RIGHT, {"state": lambda cell: STATES.get(cell, FAULT)}
    )


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


VIEW = View(see, body, lines)
