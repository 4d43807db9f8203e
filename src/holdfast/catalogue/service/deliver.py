"""Carrying notices out of the house: each is tried until it is taken or the operator's patience ends."""

from collections.abc import Mapping
from functools import partial

import structlog

from holdfast.catalogue import rules
from holdfast.catalogue.model import DeliveryState
from holdfast.catalogue.service.sinks import SECONDS, Sink, UndeliveredError
from holdfast.catalogue.store import notices
from holdfast.clock import Clock
from holdfast.errors import UnavailableError
from holdfast.store.records import Records

log = structlog.get_logger()
AT_ONCE = 20
PAUSE = 2.0
DAY = 86_400.0
# Longer than any sink takes, though a mail server may be slow at each of a dozen steps: nobody else tries
# what is being tried.
CLAIM = 15 * SECONDS


class Courier:
    """Works off the deliveries that are due; several may run at once."""

    def __init__(self, records: Records, clock: Clock, sinks: Mapping[str, Sink], attempts: int) -> None:
        self._records = records
        self._clock = clock
        self._sinks = sinks
        self._attempts = attempts

    async def deliver(self) -> int:
        """Try what is due now; returns how many were taken."""
        now = self._clock.now()
        due = await self._records.read(lambda tx: notices.due(tx, now, AT_ONCE))
        taken = [await self._try(one) for one in due]
        return sum(taken)

    async def _try(self, one: notices.Due) -> bool:
        until = self._clock.now() + CLAIM
        if not await self._records.write(lambda tx: notices.claim(tx, one, until)):
            return False
        sink = self._sinks.get(one.sink)
        if sink is None:
            await self._failed(one, f"{one.sink} is no longer set up")
            return False
        if one.attempts >= self._attempts:
            await self._failed(one, "no attempt has come to an end")
            return False
        try:
            await sink.carry(one)
        except UndeliveredError as error:
            await self._missed(one, error)
            return False
        await self._records.write(lambda tx: notices.settle(tx, one, DeliveryState.SENT))
        return True

    async def _missed(self, one: notices.Due, error: UndeliveredError) -> None:
        attempts = one.attempts + 1
        log.warning(
            "notice not delivered", notice=one.notice_id, sink=one.sink, attempts=attempts, reason=str(error)
        )
        if error.in_vain or attempts >= self._attempts:
            await self._failed(one, str(error))
            return
        again = rules.next_delivery(attempts, self._clock.now())
        await self._records.write(
            lambda tx: notices.settle(tx, one, DeliveryState.PENDING, error=str(error), next_at=again)
        )

    async def _failed(self, one: notices.Due, reason: str) -> None:
        await self._records.write(lambda tx: notices.settle(tx, one, DeliveryState.FAILED, error=reason))


async def keep_delivering(courier: Courier, clock: Clock) -> None:
    """Deliver until cancelled."""
    while True:
        try:
            await courier.deliver()
        except UnavailableError as error:
            log.warning("notices wait", reason=str(error))
        await clock.sleep(PAUSE)


async def keep_forgetting(records: Records, clock: Clock, keep: float) -> None:
    """Once a day, drop the notices that were read and are older than the operator keeps."""
    while True:
        try:
            forgotten = await records.write(partial(notices.forget, before=clock.now() - keep))
            log.info("old notices forgotten", count=forgotten)
        except UnavailableError as error:
            log.warning("old notices stay for now", reason=str(error))
        await clock.sleep(DAY)
