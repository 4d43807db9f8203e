"""Knows which primary has each slot of the cluster, keeps a link to each, and learns when that changes."""

import asyncio
from collections.abc import Sequence
from typing import NoReturn

from holdfast.store.live.address import Endpoint
from holdfast.store.live.conversation import pack
from holdfast.store.live.errors import LiveReplyError, LiveStoreAway, away
from holdfast.store.live.link import FAULTS, Greet, Line, Link, always
from holdfast.store.live.slots import SLOTS, Redirect, read_slots
from holdfast.store.live.waiting import Background, Gate, pauses


class Topology:
    """Belongs to the store that starts it."""

    def __init__(
        self, name: str, seeds: Sequence[Endpoint], line: Line, greet: Greet, greet_guest: Greet
    ) -> None:
        self.links: dict[Endpoint, Link] = {}
        self.version = 0
        """Counts the changes: who compares it knows whether a slot went elsewhere in between."""
        self._name = name
        self._seeds = tuple(seeds)
        self._line = line
        self.greet = greet
        self._greet_guest = greet_guest
        self._owners: list[Endpoint | None] = [None] * SLOTS
        self._tasks: dict[Endpoint, asyncio.Task[None]] = {}
        self._doubtful = asyncio.Event()
        self._doubtful.set()
        self._gate = Gate(line.clock)
        self._changed = asyncio.Event()
        self._asking = False
        self._reason = "it is not open"

    def owner(self, slot: int | None) -> Endpoint | None:
        """Who has the slot; without one, any primary. None while nobody is known."""
        if slot is None:
            return next((place for place, link in self.links.items() if link.connected), None)
        return self._owners[slot]

    def link(self, slot: int) -> Link | None:
        owner = self._owners[slot]
        return None if owner is None else self.links.get(owner)

    def learn(self, moved: Redirect) -> None:
        """A server said who has a slot now; what else has changed is asked for."""
        if not moved.asking and self._owners[moved.slot] != moved.endpoint:
            self._owners[moved.slot] = moved.endpoint
            self.version += 1
            self._doubtful.set()

    def doubt(self) -> None:
        self._doubtful.set()

    async def refreshed(self, give_up: float) -> None:
        """Until the cluster has been asked anew; LiveStoreAway when nobody in it answers for so long."""
        if not self._asking:
            self._doubtful.set()
        try:
            await self._gate.wait(give_up)
        except TimeoutError:
            raise LiveStoreAway(away(self._name, self._reason)) from None

    async def changed(self, since: int) -> None:
        """Until the primaries are others than at that version."""
        while self.version == since:
            self._changed.clear()
            await self._changed.wait()

    def start(self, background: Background) -> None:
        self._reason = "not yet connected"
        self._gate.admit()
        background.start(self._run())

    async def _run(self) -> None:
        try:
            async with Background() as own:
                own.start(self._gate.run())
                await self._keep_asking(own)
        finally:
            self._reason = "it was closed here"
            self._gate.close()

    async def _keep_asking(self, background: Background) -> NoReturn:
        """Whenever somebody doubts the map, and over and over while slots are without a server."""
        growing = pauses(self._line.patience, self._line.random)
        while True:
            await self._doubtful.wait()
            self._doubtful.clear()
            self._asking = True
            try:
                owners = await self._ask_around()
            except LiveStoreAway as fault:
                self._reason = str(fault)
                self._doubtful.set()
            else:
                await self._adopt(owners, background)
                self._gate.let_through()
                if None in owners:
                    self._doubtful.set()
                else:
                    growing = pauses(self._line.patience, self._line.random)
            self._asking = False
            await self._line.clock.sleep(next(growing))

    async def _ask_around(self) -> list[Endpoint | None]:
        """The map as the first server that answers has it; who covers most slots is believed most."""
        reasons = []
        for endpoint in dict.fromkeys((*self.links, *self._seeds)):
            try:
                owners = await self._ask(endpoint)
            except FAULTS as fault:
                reasons.append(f"{endpoint}: {fault}")
                continue
            if any(owners):
                return owners
            reasons.append(f"{endpoint}: it has no slots")
        raise LiveStoreAway("; ".join(reasons))

    async def _ask(self, endpoint: Endpoint) -> list[Endpoint | None]:
        [reply] = await self._line.ask_once(endpoint, self._greet_guest, pack(("CLUSTER", "SLOTS")), 1)
        if isinstance(reply, LiveReplyError):
            raise reply
        return read_slots(reply, endpoint)

    async def _adopt(self, owners: list[Endpoint | None], background: Background) -> None:
        if owners == self._owners and {*owners} - {None} == self.links.keys():
            return
        self._owners = owners
        wanted = dict.fromkeys(owner for owner in owners if owner is not None)
        for endpoint in wanted.keys() - self.links.keys():
            link = Link(str(endpoint), self._line, always(endpoint), self.greet, self.doubt)
            self.links[endpoint] = link
            self._tasks[endpoint] = link.start(background)
        gone = self.links.keys() - wanted.keys()
        for endpoint in gone:
            del self.links[endpoint]
        await background.stop([self._tasks.pop(endpoint) for endpoint in gone])
        self.version += 1
        self._changed.set()
