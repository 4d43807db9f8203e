"""The secret of UDP connection ids is the same at every worker anywhere: the first to come makes it."""

import secrets
from typing import Final

import structlog

from holdfast.clock import Clock
from holdfast.errors import UnavailableError
from holdfast.store.live import LiveReplyError, LiveStore
from holdfast.tracker.keys import UDP_SECRET
from holdfast.tracker.udp import ConnectionIds

log = structlog.get_logger()
LENGTH: Final = 32
AGAIN: Final = 60.0
"""A store that was emptied has another secret; nobody need be restarted for that."""


async def agree(ids: ConnectionIds, live: LiveStore) -> None:
    key, offered = UDP_SECRET.name(live.layout), secrets.token_bytes(LENGTH)
    try:
        found = await live.call("SET", key, offered, "NX", "GET", repeat=True)
    except (UnavailableError, LiveReplyError) as error:
        log.warning("no secret shared", reason=str(error))
    else:
        ids.agree(found if isinstance(found, bytes) and found else offered)


async def keep_agreeing(ids: ConnectionIds, live: LiveStore, clock: Clock) -> None:
    """Until cancelled."""
    while True:
        await clock.sleep(AGAIN)
        await agree(ids, live)
