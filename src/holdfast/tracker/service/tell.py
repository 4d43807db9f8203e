"""What the doors count is told to the live store by the second, for scripts that read t:stats:*."""

from typing import Final

import structlog

from holdfast.clock import Clock
from holdfast.errors import UnavailableError
from holdfast.store.live import LiveReplyError, LiveStore
from holdfast.tracker.figures import Figures
from holdfast.tracker.keys import STATS

log = structlog.get_logger()
EVERY: Final = 1.0


async def keep_telling(figures: Figures, live: LiveStore, clock: Clock) -> None:
    """Until cancelled. What cannot be told now is told with what comes next."""
    told = dict.fromkeys(("requests", "scrapes"), 0)
    while True:
        await clock.sleep(EVERY)
        now = {"requests": figures.requests, "scrapes": figures.scrapes}
        more = {what: now[what] - told[what] for what in now if now[what] > told[what]}
        if not more:
            continue
        try:
            await live.batch(
                [("INCRBY", STATS.name(live.layout, what=what), count) for what, count in more.items()]
            )
        except (UnavailableError, LiveReplyError) as error:
            log.debug("counts kept for later", reason=str(error))
        else:
            told = now
