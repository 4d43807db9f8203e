"""Listens at every primary of a cluster, as each publishes only of its own keys, and follows changes."""

import asyncio
from typing import NoReturn

from holdfast.store.live.address import Endpoint
from holdfast.store.live.interface import Gap, Hearing
from holdfast.store.live.link import Greet, Line, always
from holdfast.store.live.subscription import Inbox, Subscription
from holdfast.store.live.topology import Topology
from holdfast.store.live.waiting import Background

# What a server publishes about its own keys is heard only at that server.
OWN_KEYS = ("__keyspace@", "__keyevent@")


def split(hearing: Hearing) -> tuple[Hearing, Hearing]:
    """What must be listened to at every server, and what any one of them tells."""
    channels, patterns = hearing.channels, hearing.patterns
    own = Hearing(
        tuple(name for name in channels if name.startswith(OWN_KEYS)),
        tuple(name for name in patterns if name.startswith(OWN_KEYS)),
    )
    rest = Hearing(
        tuple(name for name in channels if name not in own.channels),
        tuple(name for name in patterns if name not in own.patterns),
    )
    return own, rest


class Listeners:
    """One subscription per primary."""

    def __init__(self, topology: Topology, line: Line, greet: Greet, hearing: Hearing, inbox: Inbox) -> None:
        self._topology = topology
        self._line = line
        self._greet = greet
        self._hearing = hearing
        self._inbox = inbox
        self._tasks: dict[Endpoint, asyncio.Task[None]] = {}
        self._version = topology.version

    def start(self, background: Background) -> list[Subscription]:
        """Listen wherever nobody listens yet; returns the new ones."""
        self._version = self._topology.version
        new = {}
        for endpoint in self._topology.links.keys() - self._tasks.keys():
            new[endpoint] = Subscription(
                self._line, always(endpoint), self._greet, self._hearing, self._inbox
            )
            self._tasks[endpoint] = background.start(new[endpoint].run())
        return list(new.values())

    async def follow(self, background: Background) -> NoReturn:
        """What happened to keys on their way elsewhere was perhaps not heard, hence the Gap."""
        while True:
            await self._topology.changed(self._version)
            for endpoint in self._tasks.keys() - self._topology.links.keys():
                await background.stop([self._tasks.pop(endpoint)])
            for subscription in self.start(background):
                subscription.late = True
            self._inbox.put(Gap("the cluster's primaries changed"))
