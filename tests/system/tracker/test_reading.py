"""Swarms read live as a tracker leaves them, in either layout, and what other programs wrote beside them."""

from collections.abc import Awaitable, Callable
from typing import TypeVar

import pytest
import uvloop

from holdfast.clock import SystemClock
from holdfast.store.live import Layout, LiveStore, open_live
from holdfast.tracker import swarm
from holdfast.tracker.keys import INDEX, PEERS
from holdfast.tracker.model import Role
from holdfast.tracker.swarm import Counts
from tests.servers import RunningServer
from tests.system.tracker.ground import BOB, UPLOAD, Tracker, tracker

T = TypeVar("T")
SEVEN = 7
"""The number of the upload that the ground has."""


def asked(door: Tracker, ask: Callable[[LiveStore], Awaitable[T]]) -> T:
    async def main() -> T:
        async with open_live(door.server.address, clock=SystemClock(), layout=door.layout) as live:
            return await ask(live)

    return uvloop.run(main())


@pytest.mark.parametrize("layout", Layout)
def test_a_swarm_is_read_as_its_tracker_left_it(live_server: RunningServer, layout: Layout) -> None:
    with tracker(live_server, layout=layout) as door:
        door.announce()
        door.announce(BOB, peer_id=b"-qB5020-0123456789ab", left=9, event="paused")
        assert asked(door, lambda live: swarm.counts(live, [SEVEN, 8])) == {
            SEVEN: Counts(seeders=1, leechers=1, partial=1, announces=2),
            8: Counts(),
        }
        found, following = asked(door, lambda live: swarm.peers(live, SEVEN))
        assert following is None
        assert sorted((str(one.client), one.user_id, one.role, one.left) for one in found) == [
            ("Transmission 4.0.0", 1, Role.SEED, 0),
            ("qBittorrent 5.0.2", 2, Role.PARTIAL, 9),
        ]
        assert asked(door, lambda live: swarm.busiest(live, "leechers", 5)) == [SEVEN]
        totals = asked(door, lambda live: swarm.totals(live, door.clock.now()))
        assert (totals.seeders, totals.leechers, totals.announces, totals.seeded) == (1, 1, 2, 1)
        keys = asked(door, lambda live: swarm.keys_of(live, SEVEN, [UPLOAD.hex()]))
        assert PEERS.name(layout, info_hash=UPLOAD.hex()) in [key.key for key in keys]


def test_what_no_tracker_wrote_spoils_nothing(live_server: RunningServer) -> None:
    with tracker(live_server) as door:
        door.announce()
        door.server.ask("SADD", PEERS.name(door.layout, info_hash=UPLOAD.hex()), "nobody", b"\xff" * 20)
        door.server.ask("HSET", f"t:t:{UPLOAD.hex()}", "snatches", "many")
        door.server.ask("ZADD", INDEX.name(door.layout, count="leechers"), 3, "not-a-number")
        (found,), _ = asked(door, lambda live: swarm.peers(live, SEVEN))
        assert found.user_id == 1
        assert asked(door, lambda live: swarm.counts(live, [SEVEN]))[SEVEN].snatches == 0
        assert asked(door, lambda live: swarm.busiest(live, "leechers", 5)) == []
