"""The live feed: what the parts tell each other, passed on to the pages that asked for it, without growing.

A client that reads too slowly loses the oldest messages and is told how many; it can always fetch the truth.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Iterable
from typing import Any

import msgspec
import structlog

from holdfast.catalogue.keys import EVENTS
from holdfast.catalogue.model import Actor
from holdfast.catalogue.rules import may
from holdfast.clock import Clock
from holdfast.errors import ConflictError, UnavailableError
from holdfast.observe.metrics import Metrics
from holdfast.store.live import Gap, LiveStore

log = structlog.get_logger()

# The right that each topic asks for; whoever may read the list may hear that it has changed.
TOPICS = {
    "uploads": "upload.list",
    "members": "member.list",
    "freeleech": "freeleech.list",
    "projects": "project.list",
    "items": "project.list",
    "notices": "notice.list",
    "audit": "audit.read",
    "system": "system.read",
}
CLIENTS_MOST = 20
"""Feeds that one session or token may have open: one for each window, and some."""
LOOK_AGAIN = 10.0
"""Seconds after which it is looked up again whether a client may still listen."""
SYSTEM_EVERY = 5.0
ASK_AGAIN = 1.0

SIGNED_OUT = 4401
TOO_MANY_MESSAGES = 1008


class Event(msgspec.Struct):
    event: str
    topic: str
    data: dict[str, Any]
    at: float
    member_id: int | None = None


class Wish(msgspec.Struct, forbid_unknown_fields=True):
    """What a client sends."""

    subscribe: list[str] = []
    unsubscribe: list[str] = []


class Client:
    """One listening page: what it wants to hear, and what is still to be sent to it."""

    def __init__(
        self, actor: Actor, session: str, again: Callable[[], Awaitable[Actor | None]], most: int
    ) -> None:
        self.actor = actor
        self.session = session
        self.topics: set[str] = set()
        self.again = again
        self.closing: int | None = None
        self._most = most
        self._waiting: deque[bytes] = deque()
        self._dropped = 0
        self._wake = asyncio.Event()

    def hear(self, message: bytes) -> int:
        """Take a message to be sent; returns how many had to be dropped for it."""
        dropped = 0
        if len(self._waiting) >= self._most:
            self._waiting.popleft()
            self._dropped += 1
            dropped = 1
        self._waiting.append(message)
        self._wake.set()
        return dropped

    def subscribe(self, topics: Iterable[str]) -> dict[str, list[str]]:
        wanted = list(dict.fromkeys(topics))
        granted = [topic for topic in wanted if topic in TOPICS and may(self.actor, TOPICS[topic])]
        self.topics.update(granted)
        return {"subscribed": granted, "refused": [topic for topic in wanted if topic not in granted]}

    def became(self, actor: Actor) -> None:
        """Roles may have changed since: what is not his to hear any more ends here."""
        self.actor = actor
        lost = sorted(topic for topic in self.topics if not may(actor, TOPICS[topic]))
        self.topics.difference_update(lost)
        if lost:
            self.hear(msgspec.json.encode({"subscribed": [], "refused": lost}))

    def close(self, code: int) -> None:
        self.closing = self.closing or code
        self._wake.set()

    async def next(self) -> bytes | None:
        """The next message to send; None when the feed ends for this client."""
        while not self._waiting and not self._dropped and self.closing is None:
            self._wake.clear()
            await self._wake.wait()
        if self.closing is not None:
            return None
        if self._dropped:
            dropped, self._dropped = self._dropped, 0
            return msgspec.json.encode({"dropped": dropped})
        return self._waiting.popleft()


class Feed:
    """All clients of one process, and the one subscription that serves them."""

    def __init__(self, live: LiveStore, clock: Clock, metrics: Metrics, *, queue: int) -> None:
        self._live = live
        self._clock = clock
        self._queue = queue
        self.listening = asyncio.Event()
        """Set from the moment from which nothing is missed."""
        self._clients: set[Client] = set()
        self._clients_gauge = metrics.gauge("web_feed_clients", "Clients of the live feed.").at()
        self._dropped = metrics.counter(
            "web_feed_dropped_total", "Messages that slow clients of the live feed lost."
        ).at()

    def join(self, actor: Actor, session: str, again: Callable[[], Awaitable[Actor | None]]) -> Client:
        if sum(client.session == session for client in self._clients) >= CLIENTS_MOST:
            raise ConflictError(f"{CLIENTS_MOST} windows listen already; close one.")
        client = Client(actor, session, again, self._queue)
        self._clients.add(client)
        self._clients_gauge.set(len(self._clients))
        return client

    def leave(self, client: Client) -> None:
        self._clients.discard(client)
        self._clients_gauge.set(len(self._clients))

    def tell(self, event: Event) -> None:
        """Pass an event on to whoever asked for its topic; what is somebody's own is for him alone."""
        message = msgspec.json.encode(
            {"topic": event.topic, "event": event.event, "data": event.data, "at": event.at}
        )
        private = event.member_id is not None or event.topic == "notices"
        for client in self._clients:
            mine = client.actor.member_id is not None and client.actor.member_id == event.member_id
            if event.topic in client.topics and (mine or not private):
                self._dropped.inc(client.hear(message))

    def gap(self) -> None:
        message = msgspec.json.encode({"gap": True})
        for client in self._clients:
            self._dropped.inc(client.hear(message))

    def end(self, session: str) -> None:
        """Close the feeds of a session or token that ended; when the door closes, the server does that."""
        for client in self._clients:
            if client.session == session:
                client.close(SIGNED_OUT)

    async def run(self) -> None:
        """Listen to the live store until cancelled."""
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._listen(), name="feed-events")
            tasks.create_task(self._look_again(), name="feed-rights")
            tasks.create_task(self._tick(), name="feed-system")

    async def _listen(self) -> None:
        """A subscription comes back by itself once it stood; until it first stands, it is asked for again."""
        while True:
            try:
                await self._hear()
            except UnavailableError as error:
                log.warning("nothing is heard from the live store", reason=str(error))
                await self._clock.sleep(ASK_AGAIN)

    async def _hear(self) -> None:
        async with self._live.subscribe([EVENTS.name(self._live.layout)]) as heard:
            self.listening.set()
            self.gap()
            async for message in heard:
                if isinstance(message, Gap):
                    self.gap()
                else:
                    await self._take(message.data)

    async def _take(self, data: bytes) -> None:
        try:
            event = msgspec.json.decode(data, type=Event)
        except msgspec.DecodeError as error:
            log.warning("event not understood", reason=str(error))
            return
        self.tell(event)
        if event.event == "member.changed":
            changed = event.data.get("id")
            await self._check([client for client in self._clients if client.actor.member_id == changed])

    async def _look_again(self) -> None:
        while True:
            await self._clock.sleep(LOOK_AGAIN)
            await self._check(list(self._clients))

    async def _check(self, clients: list[Client]) -> None:
        for client in clients:
            actor = await client.again()
            if actor is None:
                client.close(SIGNED_OUT)
            else:
                client.became(actor)

    async def _tick(self) -> None:
        """How the system is changes all the time; whoever watches it looks again at this beat."""
        while True:
            await self._clock.sleep(SYSTEM_EVERY)
            self.tell(Event("system", "system", {}, self._clock.now()))
