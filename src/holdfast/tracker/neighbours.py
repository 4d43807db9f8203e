"""Workers of one machine share a port, and look after the queue of one that has died.

Each has a listening socket of its own by SO_REUSEPORT, for one in common would wake all at each connection.
The parent holds the sockets too, so that what waits at one outlives its worker; but the system goes on to
send clients there, who would have to wait until it is started again, or for ever if it cannot be.
"""

from collections.abc import Callable, Sequence
from typing import Final

from holdfast.clock import Clock

EVERY: Final = 0.5


async def keep_looking_in(takes: Sequence[Callable[[], bool]], clock: Clock) -> None:
    """Take over what waits at the neighbours' sockets, until cancelled; a take says whether there is more."""
    while takes:
        more = [take() for take in takes]
        await clock.sleep(0.0 if any(more) else EVERY)
