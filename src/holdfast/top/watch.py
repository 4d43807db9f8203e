"""Looks at the running system again and again, and finds it anew when it was restarted."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from holdfast.client import Door
from holdfast.clock import Clock
from holdfast.errors import HoldfastError
from holdfast.status import Look, look_at
from holdfast.top.rates import busy
from holdfast.top.view import Picture

EVENTS = 20


class Watch:
    """What was seen last, and a way to see more; `find` gives the door of the system as it runs now."""

    def __init__(self, find: Callable[[], Door], clock: Clock) -> None:
        self._find = find
        self._clock = clock
        self._door: Door | None = None
        self._seen = 0.0
        self.picture: Picture | None = None

    def look(self) -> Picture:
        """Raises HoldfastError only when nothing was ever seen."""
        try:
            look, events = self._ask()
        except HoldfastError as error:
            # Whoever answers next may listen elsewhere and take another token.
            self._leave()
            if self.picture is None:
                raise
            away = self._clock.steady() - self._seen
            self.picture = replace(self.picture, trouble=str(error), away=away)
        else:
            self._seen = self._clock.steady()
            before = self.picture.busy if self.picture else {}
            self.picture = Picture(look, events, busy(before, look.system["parts"], self._seen))
        return self.picture

    def _ask(self) -> tuple[Look, list[Mapping[str, Any]]]:
        if self._door is None:
            self._door = self._find()
        return look_at(self._door), self._door.get("/audit", limit=EVENTS)["items"]

    def _leave(self) -> None:
        if self._door is not None:
            self._door.close()
            self._door = None
