"""Filling a queue: many names in few steps, each short enough that no claim waits for it."""

from collections.abc import Sequence

from holdfast.items.store.live import Bench

AT_ONCE = 500


async def fill(bench: Bench, queue: str, items: Sequence[str]) -> list[str]:
    """Add what is new; answers with that."""
    new: list[str] = []
    for start in range(0, len(items), AT_ONCE):
        new += await bench.add(queue, items[start : start + AT_ONCE])
    return new
