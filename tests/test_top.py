"""What `holdfast top` draws, and how it reckons; the live one is driven in tests/system/operate."""

import io
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from holdfast.status import Look, facts, span
from holdfast.top.page import filled
from holdfast.top.rates import Busy, busy
from holdfast.top.view import Picture
from holdfast.top.view import lines as lines_of


def part(name: str = "web", **changes: Any) -> dict[str, Any]:
    usual = {
        "name": name, "instance": f"{name}-1", "pid": 7, "state": "ready", "since": 0.0, "restarts": 0,
        "version": "1.0", "resident_bytes": 64 << 20, "cpu_seconds": 10.0, "beat": 1.0,
    }  # fmt: skip
    return usual | changes


def system(**changes: Any) -> dict[str, Any]:
    usual = {
        "version": "1.0", "uptime": 90061.0, "community": "The Tidewater Archive", "parts": [part()],
        "live": {"address": "embedded", "version": "9.1.2", "used_memory": 3 << 20, "max_memory": 512 << 20,
                 "clients": 5, "calls_per_second": 40, "state": "up"},
        "records": {"address": "sqlite", "kind": "sqlite", "size_bytes": 1 << 20, "schema": "0001",
                    "state": "up"},
        "outbox": {"waiting": 0, "oldest_age": None}, "alarms": [],
        "disk": {"free_bytes": 1 << 30, "total_bytes": 1 << 32},
        "addresses": {"web": "http://w", "tracker": "http://t"},
    }  # fmt: skip
    return usual | changes


def look(**changes: Any) -> Look:
    return Look(system(**changes), {"members": 1, "uploads": 2, "size": 3 << 30, "removed": 4, "unread": 0})


def event(number: int) -> dict[str, Any]:
    return {
        "at": 60.0 * number, "actor": {"name": "ann"}, "action": "upload.add",
        "target_kind": "upload", "target_name": f"number {number}",
    }  # fmt: skip


def drawn(picture: Picture, width: int = 80, height: int = 24) -> list[str]:
    """The lines as a terminal of that size shows them."""
    console = Console(width=width, height=height, file=io.StringIO(), color_system=None)
    with console.capture() as captured:
        console.print(filled(lines_of(picture, height - 1), width, height), end="")
    return captured.get().split("\n")


EVENTS = [event(number) for number in range(30)]


def test_everything_stands_on_a_small_terminal() -> None:
    parts = [part(name) for name in ("clerk", "live", "tracker", "web")]
    text = "\n".join(drawn(Picture(look=look(parts=parts), events=EVENTS)))
    for word in (
        "The Tidewater Archive", "1 d 1 h", "clerk", "live store", "3.0 MiB of 512.0 MiB", "40 calls/s",
        "nothing waits", "1.0 GiB of 4.0 GiB free", "1 member, 2 uploads", "upload.add", "q quits",
    ):  # fmt: skip
        assert word in text


@given(st.integers(5, 200), st.integers(3, 60), st.integers(0, 12), st.integers(0, 30), st.booleans())
def test_the_picture_is_as_large_as_the_terminal_and_never_larger(
    width: int, height: int, parts: int, events: int, trouble: bool
) -> None:
    picture = Picture(
        look=look(parts=[part(f"part{number}") for number in range(parts)]),
        events=EVENTS[:events],
        trouble="It is away. " * 20 if trouble else "",
    )
    lines = drawn(picture, width, height)
    assert len(lines) == height
    assert max(map(len, lines)) <= width
    assert lines[-1].startswith("q"[:width])


def test_what_went_wrong_goes_before_what_happened() -> None:
    alarms = [{"level": "alarm", "text": f"Alarm number {number}."} for number in range(3)]
    lines = drawn(Picture(look=look(alarms=alarms), events=EVENTS))
    at = [number for number, line in enumerate(lines) if "Alarm" in line]
    assert at == list(range(at[0], at[0] + 3))
    assert at[-1] < min(number for number, line in enumerate(lines) if "upload.add" in line)


def test_a_system_that_is_away_is_said_to_be() -> None:
    lines = drawn(Picture(look=look(), trouble="Holdfast does not answer.", away=65.0))
    assert lines[1] == "No news for 1 min 5 s: Holdfast does not answer."


def test_a_store_that_is_away_is_said_to_be() -> None:
    live = {**system()["live"], "state": "away", "version": None, "used_memory": None, "max_memory": None}
    records = {**system()["records"], "state": "away", "size_bytes": None, "schema": None}
    said = facts(look(live=live, records=records))
    assert (said["live store"], said["records"]) == ("embedded: away", "sqlite: away")


def test_names_cannot_move_the_cursor() -> None:
    nasty = event(1) | {"actor": {"name": "\x1b[2Jann"}}
    text = "\n".join(drawn(Picture(look=look(community="a\rb"), events=[nasty])))
    assert "\x1b" not in text
    assert "\r" not in text


def test_a_share_of_the_processor_is_reckoned_between_two_beats() -> None:
    first = busy({}, [part(cpu_seconds=10.0, beat=1.0)], now=100.0)
    assert first["web", "web-1"].share is None
    again = busy(first, [part(cpu_seconds=10.0, beat=1.5)], now=100.5)
    assert again == first  # the same beat, seen again
    second = busy(again, [part(cpu_seconds=12.5, beat=0.0)], now=104.0)
    assert second["web", "web-1"] == Busy(12.5, 104.0, 0.5)


def test_a_part_that_was_started_again_is_reckoned_from_its_start() -> None:
    before = busy({}, [part(cpu_seconds=10.0)], now=100.0)
    assert busy(before, [part(cpu_seconds=0.5)], now=110.0)["web", "web-1"].share is None


def test_an_idle_part_is_busy_by_nothing() -> None:
    before = busy({}, [part(cpu_seconds=10.0, beat=0.0)], now=100.0)
    assert busy(before, [part(cpu_seconds=10.0, beat=0.0)], now=105.0)["web", "web-1"].share == 0.0


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (None, "-"),
        (-3.0, "0 s"),
        (59.9, "59 s"),
        (61.0, "1 min 1 s"),
        (3600.0, "1 h"),
        (7380.0, "2 h 3 min"),
        (90000.0, "1 d 1 h"),
    ],
)
def test_lengths_of_time_are_told_in_two_units(seconds: float | None, words: str) -> None:
    assert span(seconds) == words
