"""The desk between the doors and the live store: what comes in one turn of the loop is stored in one step.

Nobody is answered before the live store has acknowledged. While two steps are on their way the next
announces gather, so that batches grow with the load by themselves.
"""

import asyncio
from collections.abc import Callable, Coroutine
from random import Random
from typing import Any, Protocol, TypeAlias

import structlog

from holdfast.clock import Clock
from holdfast.errors import UnavailableError
from holdfast.store.live import Library, LiveReplyError, LiveStore
from holdfast.tracker import records, rules
from holdfast.tracker.figures import Figures
from holdfast.tracker.keys import DEADLINES
from holdfast.tracker.mishaps import Mishaps, Refusable
from holdfast.tracker.model import Limits, Request, Status
from holdfast.tracker.register import Register
from holdfast.tracker.suspicions import Suspicions
from holdfast.wire.announce import Code, RefusedAnnounceError

log = structlog.get_logger()
Own: TypeAlias = Callable[[Coroutine[Any, Any, None]], None]
LIBRARY = Library.read("holdfast.tracker")
ANNOUNCE = LIBRARY.function("announce")
REAP = LIBRARY.function("reap")
HOLD_TO_ACCOUNT = LIBRARY.function("hold_to_account")
EXEMPT = LIBRARY.function("exempt")
MOST_AT_ONCE = 256
MOST_ON_THEIR_WAY = 2
AWAY = RefusedAnnounceError(
    Code.AWAY, "The tracker's store is away for a moment; your client will try again by itself.", retry=1
)


class Caller(Refusable, Protocol):
    """Who waits for the answer to one announce."""

    def answered(self, request: Request, answer: records.Answer) -> None: ...


class Desk:
    """Takes announces that the rules have admitted to the live store, many at a time."""

    def __init__(
        self,
        live: LiveStore,
        clock: Clock,
        limits: Limits,
        random: Random,
        own: Own,
        mishaps: Mishaps,
        register: Register,
        suspicions: Suspicions,
        figures: Figures,
    ) -> None:
        self._live = live
        self._clock = clock
        self._limits = limits
        self._packed = limits.packed()
        self._keys = (DEADLINES.name(live.layout),)
        self._chance = random.getrandbits
        self._own = own
        self._mishaps = mishaps
        self._register = register
        self._suspicions = suspicions
        self.figures = figures
        self._since = 0.0
        self._waiting: list[tuple[Request, Caller]] = []
        self._on_their_way = 0
        self._planned = False

    def take(self, request: Request, caller: Caller) -> None:
        if not self._waiting:
            self._since = self._clock.steady()
        self._waiting.append((request, caller))
        if not self._planned and self._on_their_way < MOST_ON_THEIR_WAY:
            self._planned = True
            asyncio.get_running_loop().call_soon(self._send)

    def _send(self) -> None:
        self._planned = False
        while self._waiting and self._on_their_way < MOST_ON_THEIR_WAY:
            batch, self._waiting = self._waiting[:MOST_AT_ONCE], self._waiting[MOST_AT_ONCE:]
            self._on_their_way += 1
            self._own(self._carry(batch, self._since))

    async def _carry(self, batch: list[tuple[Request, Caller]], since: float) -> None:
        limits, chance, now = self._limits, self._chance, self._clock.now()
        try:
            shares = rules.in_force(self._register.windows, now)
            packed = b"".join([records.pack(request, limits, chance(31), *shares) for request, _ in batch])
            answers = await self._live.function(
                ANNOUNCE, self._keys, (int(now), self._packed, packed), repeat=True
            )
        except (UnavailableError, LiveReplyError) as error:
            log.warning("announces not stored", count=len(batch), reason=str(error))
            for _, caller in batch:
                caller.refused(AWAY)
        except Exception:  # noqa: BLE001 - logged, counted and answered there
            self._mishaps.answer(*[caller for _, caller in batch])
        else:
            for (request, caller), answer in zip(batch, answers, strict=True):  # type: ignore[arg-type]
                self._hand_over(request, caller, answer)  # type: ignore[arg-type]
            self.figures.answered(batch, self._clock.steady() - since)
        finally:
            self._on_their_way -= 1
            if self._waiting:
                self._send()

    def _hand_over(self, request: Request, caller: Caller, packed: bytes) -> None:
        try:
            self._answer(request, caller, packed)
        except Exception:  # noqa: BLE001 - logged, counted and answered there
            self._mishaps.answer(caller)

    def _answer(self, request: Request, caller: Caller, packed: bytes) -> None:
        answer = records.unpack(packed, request, self._limits)
        if answer.status > Status.EARLY:
            caller.refused(rules.refusal(Status(answer.status)))
            if answer.status == Status.FULL and request.holder.only:
                asked = (request.holder, request.announce, request.ep4, request.ep6)
                self._own(self._suspicions.too_many(*asked))
        else:
            caller.answered(request, answer)
