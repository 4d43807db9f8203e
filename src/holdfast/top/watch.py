"""Looks at the running system again and again, and finds it anew when it was restarted."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from holdfast.client import Door
from holdfast.clock import Clock
from holdfast.errors import HoldfastError


@dataclass(frozen=True)
class Glance:
    """What a look gave; whoever draws says what else."""

    trouble: str = ""
    """Why there is nothing newer."""
    away: float = 0.0
    """Seconds since there was."""


G = TypeVar("G", bound=Glance)


class Watch(Generic[G]):
    """What was seen last, and a way to see more.

    `find` gives the door of the system as it runs now, `see` has one look through it, knowing the one before.
    """

    def __init__(self, find: Callable[[], Door], see: Callable[[Door, G | None], G], clock: Clock) -> None:
        self._find = find
        self._see = see
        self._clock = clock
        self._door: Door | None = None
        self._seen = 0.0
        self.picture: G | None = None

    def look(self) -> G:
        """Raises HoldfastError only when nothing was ever seen."""
        try:
            if self._door is None:
                self._door = self._find()
            self.picture = self._see(self._door, self.picture)
        except HoldfastError as error:
            # Whoever answers next may listen elsewhere and take another token.
            self._leave()
            if self.picture is None:
                raise
            away = self._clock.steady() - self._seen
            self.picture = replace(self.picture, trouble=str(error), away=away)
        else:
            self._seen = self._clock.steady()
        return self.picture

    def _leave(self) -> None:
        if self._door is not None:
            self._door.close()
            self._door = None
