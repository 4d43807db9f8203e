"""How busy each part is, from how much processor time it says to have used at each beat."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

Key = tuple[str, str]


@dataclass(frozen=True)
class Busy:
    cpu: float
    """Seconds of processor time, at its last beat."""
    beat: float
    """When that was, by our steady clock."""
    share: float | None = None
    """Of one processor, between the last two beats; None until there were two."""


def busy(before: Mapping[Key, Busy], parts: Iterable[Mapping[str, Any]], now: float) -> dict[Key, Busy]:
    """What the parts say now, against what they said before."""
    found = {}
    for part in parts:
        if part["cpu_seconds"] is not None and part["beat"] is not None:
            key = part["name"], part["instance"]
            found[key] = _next(before.get(key), part["cpu_seconds"], now - part["beat"])
    return found


def _next(last: Busy | None, cpu: float, beat: float) -> Busy:
    if last is None or cpu < last.cpu:
        return Busy(cpu, beat)
    if cpu == last.cpu and beat - last.beat < 1.0:
        return last  # the same beat, seen again
    passed = beat - last.beat
    return Busy(cpu, beat, (cpu - last.cpu) / passed if passed > 0 else last.share)
