"""What `holdfast tracker top` draws, and how it reckons; the live one is driven in tests/system/commands."""

import io
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from holdfast.top.page import filled
from holdfast.tracker.commands.view import Picture, lines

WORKER = {
    "name": "tracker", "instance": "here-7", "pid": 7, "since": 0.0, "beat": 2.0,
    "resident_bytes": 40 << 20, "cpu_seconds": 1.0,
}  # fmt: skip


def swarm(number: int, announces: int = 0, moved: int = 0, name: str = "logbooks") -> dict[str, Any]:
    counts = {
        "seeders": 5, "leechers": 2, "partial": 0, "snatches": 9,
        "announces": announces, "uploaded": moved, "downloaded": 0,
    }  # fmt: skip
    return {"upload": {"id": number, "name": name, "size": 1, "removed": False}, "counts": counts}


def tracker(at: float, announces: int, *busiest: dict[str, Any], **changes: Any) -> dict[str, Any]:
    totals = {
        "seeders": 1234, "leechers": 2, "announces": announces, "scrapes": 0, "requests": 0,
        "open": 0, "seeded": 1, "overdue": 0,
    }  # fmt: skip
    return {"at": at, "totals": totals, "busiest": list(busiest), "workers": [WORKER]} | changes


def drawn(picture: Picture, width: int = 80, height: int = 24) -> list[str]:
    console = Console(width=width, height=height, file=io.StringIO(), color_system=None)
    with console.capture() as captured:
        console.print(filled(lines(picture, height - 1), width, height), end="")
    return [line.rstrip() for line in captured.get().split("\n")]


def test_rates_lie_between_two_looks() -> None:
    first = tracker(100.0, 1000, swarm(1, 10))
    assert "1,000 announces; 0 scrapes" in drawn(Picture(tracker=first))[1]
    second = tracker(102.0, 1500, swarm(1, 13, moved=4096), swarm(2, 7))
    text = drawn(Picture(tracker=second, before=first))
    assert text[1].startswith("1,500 announces, 250.0 a second;")
    old, new = (line.split() for line in text if line.endswith("logbooks"))
    assert old == ["1", "5", "2", "9", "1.5", "2.0", "KiB", "logbooks"]
    assert new == ["2", "5", "2", "9", "-", "-", "logbooks"]


def test_counts_that_began_anew_are_no_rate_below_nothing() -> None:
    picture = Picture(tracker=tracker(102.0, 3, swarm(1, 1)), before=tracker(100.0, 1000, swarm(1, 10)))
    text = drawn(picture)
    assert "3 announces, 0.0 a second" in text[1]
    assert next(line for line in text if line.endswith("logbooks")).split()[4] == "0.0"


def test_what_is_missing_is_said() -> None:
    text = "\n".join(drawn(Picture(tracker=tracker(1.0, 0, workers=[]), trouble="It is away.", away=61.0)))
    assert "No worker is heard" in text
    assert "No swarm is busy." in text
    assert "No news for 1 min 1 s: It is away." in text


@given(st.integers(5, 200), st.integers(3, 60), st.integers(0, 12), st.integers(0, 100))
def test_the_picture_is_as_large_as_the_terminal_and_never_larger(
    width: int, height: int, workers: int, swarms: int
) -> None:
    told = tracker(
        1.0, 5, *(swarm(at, name="x\x1b[2J" * at) for at in range(swarms)), workers=[WORKER] * workers
    )
    text = drawn(Picture(tracker=told), width, height)
    assert len(text) == height
    assert max(map(len, text)) <= width
    assert "\x1b" not in "".join(text)
