"""What is remembered of members, uploads and clients is forgotten as soon as it is said to have changed."""

import structlog

from holdfast.catalogue.keys import CHANGES
from holdfast.clock import Clock
from holdfast.errors import UnavailableError
from holdfast.store.live import LiveStore
from holdfast.tracker.register import Register

log = structlog.get_logger()
ASK_AGAIN = 1.0
SUBJECTS = ("torrent", "user", "whitelist", "windows", "pace")


async def keep_watching(register: Register, live: LiveStore, clock: Clock) -> None:
    """Until cancelled. After a gap nothing that was remembered can be trusted."""
    while True:
        try:
            await _watch(register, live)
        except UnavailableError as error:
            log.warning("changes are not heard yet", reason=str(error))
            await clock.sleep(ASK_AGAIN)


async def _watch(register: Register, live: LiveStore) -> None:
    channels = [CHANGES.name(live.layout, what=subject) for subject in SUBJECTS]
    async with live.subscribe(channels) as heard:
        await _renew(register)
        async for _ in heard:
            await _renew(register)


async def _renew(register: Register) -> None:
    register.forget()
    try:
        await register.read_house()
    except UnavailableError as error:
        log.warning("what is the same for everybody is not read", reason=str(error))
