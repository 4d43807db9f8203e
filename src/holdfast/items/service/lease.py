"""Claims that nobody reported or renewed in time go back to where others can take them."""

from holdfast.clock import Clock
from holdfast.items.model import Project
from holdfast.items.store.live import Bench
from holdfast.store.live import LiveStore

AT_ONCE = 200


async def expire(live: LiveStore, clock: Clock, project: Project) -> int:
    """End the claims whose lease is over, a few in each step; returns how many there were."""
    if not project.lease:
        return 0
    bench, ended = Bench(live, project.prefix), 0
    now = clock.now()
    while many := await bench.expire(now, now - project.lease, project.attempts, AT_ONCE):
        ended += many
    return ended
