"""Faults of ours: one request that we cannot serve stops no other, and is noted."""

from typing import Protocol

import structlog

from holdfast.observe.metrics import Metrics
from holdfast.tracker import rules
from holdfast.wire.announce import RefusedAnnounceError

log = structlog.get_logger()


class Refusable(Protocol):
    """Who waits for an answer, which may be that there is none."""

    def refused(self, reason: RefusedAnnounceError) -> None: ...


class Mishaps:
    def __init__(self, metrics: Metrics) -> None:
        self._count = metrics.counter(
            "tracker_crashes_total", "Requests that met a fault of ours and were answered with a failure."
        )

    def answer(self, *callers: Refusable) -> None:
        """To be called while the error is at hand."""
        log.exception("request crashed", count=len(callers))
        self._count.at().inc(len(callers))
        for caller in callers:
            caller.refused(rules.crashed())
