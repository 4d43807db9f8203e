"""What `holdfast tracker top` draws: totals and their rates, the workers, the busiest swarms."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from rich.text import Text

from holdfast.client import Door
from holdfast.clock import Clock
from holdfast.status import NONE, span
from holdfast.terminal import Column, size
from holdfast.top.page import news, share, table
from holdfast.top.rates import Busy, Key, busy
from holdfast.top.watch import Glance

MOST = 100
RATES = ("announces", "scrapes")
RIGHT = ("id", "pid", "cpu", "memory", "seeders", "leechers", "snatches", "ann/s", "moved/s")


@dataclass(frozen=True, kw_only=True)
class Picture(Glance):
    tracker: Mapping[str, Any]
    """What /tracker said."""
    before: Mapping[str, Any] | None = None
    """What it said the time before; between the two lie the rates."""
    busy: Mapping[Key, Busy] = field(default_factory=dict)


def see(by: str, clock: Clock, door: Door, before: Picture | None) -> Picture:
    said = door.get("/tracker", by=by, limit=MOST)
    known = before.busy if before else {}
    return Picture(
        tracker=said,
        before=before.tracker if before else None,
        busy=busy(known, said["workers"], clock.steady()),
    )


def lines(picture: Picture, most: int) -> list[Text]:
    """What there is to see, the most important first."""
    found = [*_head(picture), Text(), *_workers(picture), Text(), *_swarms(picture)]
    return found[:most]


def _head(picture: Picture) -> Iterator[Text]:
    totals = picture.tracker["totals"]
    yield Text.assemble(
        ("Tracker ", "bold"),
        f"{totals['seeders']:,} seeders, {totals['leechers']:,} leechers; ",
        f"{totals['seeded']:,} uploads seeded",
    )
    yield from news(picture)
    yield Text("; ".join(f"{totals[name]:,} {name}{_rate(picture, name)}" for name in RATES))
    if totals["open"]:
        yield Text(f"{totals['open']:,} strangers in open swarms")
    if totals["overdue"]:
        yield Text(f"{totals['overdue']:,} silent peers wait to be looked at", style="yellow")


def _workers(picture: Picture) -> Iterator[Text]:
    columns: list[Column] = [
        ("worker", lambda one: f"{one['name']} {one['instance']}"),
        ("pid", lambda one: one["pid"]),
        ("cpu", lambda one: share(picture.busy, one)),
        ("memory", lambda one: size(one["resident_bytes"])),
        ("heard", lambda one: f"{span(one['beat'])} ago"),
    ]
    if not picture.tracker["workers"]:
        return iter([Text("No worker is heard: nobody answers announces.", style="bold red")])
    return table(columns, picture.tracker["workers"], RIGHT)


def _swarms(picture: Picture) -> Iterator[Text]:
    was = {one["upload"]["id"]: one["counts"] for one in (picture.before or {"busiest": []})["busiest"]}

    def rate(one: Mapping[str, Any], *names: str) -> float | None:
        before = was.get(one["upload"]["id"])
        seconds = _passed(picture)
        if before is None or seconds is None:
            return None
        return float(sum(max(0, one["counts"][name] - before[name]) for name in names)) / seconds

    def moved(one: Mapping[str, Any]) -> str:
        found = rate(one, "uploaded", "downloaded")
        return NONE if found is None else size(round(found))

    def announced(one: Mapping[str, Any]) -> str:
        found = rate(one, "announces")
        return NONE if found is None else f"{found:.1f}"

    columns: list[Column] = [
        ("id", lambda one: one["upload"]["id"]),
        *[(name, lambda one, name=name: one["counts"][name]) for name in ("seeders", "leechers", "snatches")],
        ("ann/s", announced),
        ("moved/s", moved),
        ("upload", lambda one: one["upload"]["name"]),
    ]
    if not picture.tracker["busiest"]:
        return iter([Text("No swarm is busy.", style="dim")])
    return table(columns, picture.tracker["busiest"], RIGHT)


def _rate(picture: Picture, name: str) -> str:
    seconds = _passed(picture)
    if picture.before is None or seconds is None:
        return ""
    more = picture.tracker["totals"][name] - picture.before["totals"][name]
    return f", {max(0, more) / seconds:,.1f} a second"


def _passed(picture: Picture) -> float | None:
    if picture.before is None:
        return None
    seconds = float(picture.tracker["at"] - picture.before["at"])
    return seconds if seconds > 0 else None
