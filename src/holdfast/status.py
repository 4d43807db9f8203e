"""`holdfast status`: how the running system is, in a dozen lines; and the words for it that `top` shares."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import typer

from holdfast.asked import Json, asked_in
from holdfast.client import Door, Place
from holdfast.errors import UnavailableError
from holdfast.launch import settings_for
from holdfast.runfile import read_run
from holdfast.terminal import listed, print_json, printable, said, size

NONE = "-"
SECONDS = 5.0
"""Who asks how things are would rather hear that nobody answers than wait."""


@dataclass(frozen=True)
class Look:
    """One look at a running system: what /system says, and the catalogue's counts."""

    system: Mapping[str, Any]
    counts: Mapping[str, int]

    @property
    def body(self) -> dict[str, Any]:
        return {**self.system, "counts": dict(self.counts)}


def status(context: typer.Context, json: Json = False) -> None:
    """Show how the running system is: addresses, parts, stores, alarms."""
    asked = asked_in(context)
    folder = settings_for(asked.data, asked.settings, asked.changes).data
    place = Place.find(folder)
    try:
        look = look_at(Door(place, seconds=SECONDS))
    except UnavailableError as error:
        _show_what_is_left(folder, error, as_json=json)
        raise
    if json:
        print_json(look.body)
        return
    for name, fact in facts(look).items():
        typer.echo(f"{name:<11} {printable(fact)}")
    typer.echo()
    listed(look.system["parts"], part_columns(), as_json=False, empty="No parts are known.")
    for alarm in look.system["alarms"]:
        said(f"{alarm['level']}: {alarm['text']}")


def look_at(door: Door) -> Look:
    return Look(door.get("/system"), door.get("/overview")["counts"])


def facts(look: Look) -> dict[str, str]:
    """Everything but parts and alarms, a line each."""
    system, counts = look.system, look.counts
    live, records, outbox, disk = (system[name] for name in ("live", "records", "outbox", "disk"))
    return {
        "Holdfast": f"{system['version']}, {system['community']}, up for {span(system['uptime'])}",
        "web": system["addresses"]["web"],
        "tracker": system["addresses"]["tracker"],
        "live store": _live(live),
        "records": _records(records),
        "outbox": f"{outbox['waiting']} waiting, the oldest for {span(outbox['oldest_age'])}"
        if outbox["waiting"]
        else "nothing waits",
        "disk": f"{size(disk['free_bytes'])} of {size(disk['total_bytes'])} free",
        "catalogue": f"{_count(counts['members'], 'member')}, {_count(counts['uploads'], 'upload')} of "
        f"{size(counts['size'])}, {counts['removed']} removed",
    }


def part_columns(cpu: Callable[[Any], object] | None = None) -> list[tuple[str, Callable[[Any], object]]]:
    """`cpu` tells a part's share of a processor; without it, the seconds it has used are shown."""
    return [
        ("part", lambda one: one["name"]),
        ("pid", lambda one: one["pid"] or NONE),
        ("state", lambda one: one["state"]),
        ("cpu", cpu or (lambda one: NONE if one["cpu_seconds"] is None else f"{one['cpu_seconds']:.1f} s")),
        ("memory", lambda one: _size(one["resident_bytes"])),
        ("heard", lambda one: NONE if one["beat"] is None else f"{span(one['beat'])} ago"),
        ("restarts", lambda one: one["restarts"]),
    ]


def span(seconds: float | None) -> str:
    """A length of time in its two largest units."""
    if seconds is None:
        return NONE
    whole = int(max(0.0, seconds))
    days, hours, minutes = whole // 86400, whole // 3600 % 24, whole // 60 % 60
    for count, unit, rest, smaller in ((days, "d", hours, "h"), (hours, "h", minutes, "min")):
        if count:
            return f"{count} {unit} {rest} {smaller}" if rest else f"{count} {unit}"
    return f"{minutes} min {whole % 60} s" if minutes else f"{whole} s"


def _live(live: Mapping[str, Any]) -> str:
    ceiling = f" of {size(live['max_memory'])}" if live["max_memory"] else ""
    rate = "" if live["calls_per_second"] is None else f", {live['calls_per_second']} calls/s"
    memory = f"{_size(live['used_memory'])}{ceiling}"
    return _away_or(live, f"version {live['version']}, {memory}, {live['clients']} clients{rate}")


def _records(records: Mapping[str, Any]) -> str:
    return _away_or(records, f"{_size(records['size_bytes'])}, schema {records['schema']}")


def _away_or(store: Mapping[str, Any], words: str) -> str:
    return f"{store['address']}: " + (words if store["state"] == "up" else "away")


def _size(count: int | None) -> str:
    return NONE if count is None else size(count)


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _show_what_is_left(folder: Path, error: UnavailableError, *, as_json: bool) -> None:
    """The web door is away, or a store that it needs: what the parent left in the data folder must do."""
    from holdfast.supervise.folder import read_parts  # noqa: PLC0415 - slow to import, and rarely needed

    run = read_run(folder)
    addresses = {"web": run.web, "tracker": run.tracker}
    parts = [asdict(part) for part in read_parts(folder)]
    if as_json:
        alarm = {"level": "alarm", "text": str(error)}
        print_json({"started": run.started, "addresses": addresses, "parts": parts, "alarms": [alarm]})
        return
    for door, address in addresses.items():
        typer.echo(f"{door:<11} {address}")
    typer.echo()
    name, pid, state, *_, restarts = part_columns()
    listed(parts, [name, pid, state, restarts], as_json=False, empty="No parts are known.")
