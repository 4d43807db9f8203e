"""The public board: totals that anybody may read at the tracker's door, where the operator wants that."""

import json
from collections.abc import Mapping
from typing import Final, Protocol

import structlog

from holdfast.clock import Clock
from holdfast.errors import UnavailableError
from holdfast.store.live import LiveReplyError, LiveStore, Reply
from holdfast.tracker.desk import Own
from holdfast.tracker.keys import INDEX, STATS
from holdfast.wire.tracker_answer import NOT_NOW, board_answer
from holdfast.wire.tracker_request import Verb

log = structlog.get_logger()
TOTALS: Final = ("seeders", "leechers", "announces", "scrapes", "requests")
FRESH: Final = 1.0
"""Seconds for which an answer is given again: many readers cost no more than one."""


class BoardCaller(Protocol):
    def told(self, answer: bytes) -> None: ...


class Board:
    def __init__(self, live: LiveStore, clock: Clock, own: Own) -> None:
        self._live = live
        self._clock = clock
        self._own = own
        self._read = -FRESH
        self._totals: Mapping[str, int] = {}

    def show(self, verb: Verb, caller: BoardCaller) -> None:
        self._own(self._show(verb, caller))

    async def _show(self, verb: Verb, caller: BoardCaller) -> None:
        try:
            if self._clock.steady() >= self._read + FRESH:
                self._totals = await self._ask()
                self._read = self._clock.steady()
        except (UnavailableError, LiveReplyError) as error:
            log.warning("board not read", reason=str(error))
            caller.told(NOT_NOW)
            return
        if verb is Verb.STATS_JSON:
            caller.told(board_answer(json.dumps(self._totals), "application/json"))
        else:
            lines = [f"{name} {count}" for name, count in self._totals.items()]
            caller.told(board_answer("\n".join(lines), "text/plain"))

    async def _ask(self) -> dict[str, int]:
        layout = self._live.layout
        keys = [STATS.name(layout, what=what) for what in TOTALS]
        torrents, *counts = await self._live.batch(
            [("ZCARD", INDEX.name(layout, count="seeders")), *[("GET", key) for key in keys]], repeat=True
        )
        found = {"torrents": torrents, **dict(zip(TOTALS, counts, strict=True))}
        return {name: _number(count) for name, count in found.items()}


def _number(reply: Reply) -> int:
    """Other programs may write these keys, too."""
    if isinstance(reply, bytes):
        return int(reply) if reply.isdigit() else 0
    return reply if isinstance(reply, int) else 0
