"""Listening on channels: a connection that comes back by itself and says where something may be missing."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from typing import Any

from holdfast.store.live.conversation import Conversation, pack
from holdfast.store.live.errors import LiveStoreAway, away
from holdfast.store.live.interface import Gap, Hearing, Message, Reply
from holdfast.store.live.link import FAULTS, Find, Greet, Line
from holdfast.store.live.waiting import pauses, within

PING = pack(("PING",))


class Inbox:
    """What was heard and not yet read. When it is full the oldest goes, and a Gap says so."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._heard: deque[Message | Gap] = deque()
        self._something = asyncio.Event()
        self._dropped = 0
        self._closed: LiveStoreAway | None = None

    def put(self, heard: Message | Gap) -> None:
        if len(self._heard) >= self._limit:
            self._heard.popleft()
            self._dropped += 1
        self._heard.append(heard)
        self._something.set()

    def close(self) -> None:
        self._closed = LiveStoreAway("The live store was closed here while somebody listened.")
        self._something.set()

    def __aiter__(self) -> AsyncIterator[Message | Gap]:
        return self

    async def __anext__(self) -> Message | Gap:
        while not (self._heard or self._dropped):
            if self._closed is not None:
                raise self._closed
            self._something.clear()
            await self._something.wait()
        if self._dropped:
            dropped, self._dropped = self._dropped, 0
            return Gap(f"{dropped} messages were dropped because they were not read in time")
        return self._heard.popleft()


class Subscription:
    """One server's part of a subscription. `run` belongs to a task; `ready` is set once it listens."""

    def __init__(self, line: Line, find: Find, greet: Greet, hearing: Hearing, inbox: Inbox) -> None:
        self.ready = asyncio.Event()
        self.reason = "not yet connected"
        self._line = line
        self._find = find
        self._greet = greet
        self._hearing = hearing
        self._inbox = inbox
        self._owed = False
        self.late = False
        """Others listen already: even its first connection leaves a gap behind."""
        self._lost = "a new server"

    async def run(self) -> None:
        growing = pauses(self._line.patience, self._line.random)
        while True:
            try:
                conversation = await self._line.open(self._find, self._listen)
            except FAULTS as fault:
                self.reason = str(fault)
            else:
                growing = pauses(self._line.patience, self._line.random)
                try:
                    self._lost = await self._end_of(conversation)
                finally:
                    conversation.drop("it was closed here")
            await self._line.clock.sleep(next(growing))

    async def _listen(self, conversation: Conversation) -> None:
        """Over when the server has confirmed every name. Only then comes the Gap: what its reader looks at
        from there on, he either sees or is told of."""
        await self._greet(conversation)
        self._owed = False
        hearing = self._hearing
        unconfirmed = len(hearing.channels) + len(hearing.patterns)
        confirmed: asyncio.Future[None] = asyncio.get_running_loop().create_future()

        def pushed(reply: Reply) -> None:
            nonlocal unconfirmed
            match reply:
                case [b"message", bytes(channel), bytes(data)]:
                    self._inbox.put(Message(_name(channel), data))
                case [b"pmessage", bytes(pattern), bytes(channel), bytes(data)]:
                    self._inbox.put(Message(_name(channel), data, _name(pattern)))
                case [b"subscribe" | b"psubscribe", *_]:
                    unconfirmed -= 1
                    if not unconfirmed and not confirmed.done():
                        confirmed.set_result(None)
                        self._listening()
                case [b"pong", *_]:
                    self._owed = False
                case _:
                    conversation.drop(f"it refused the subscription: {reply!r}")

        conversation.pushed = pushed
        for word, names in (("SUBSCRIBE", hearing.channels), ("PSUBSCRIBE", hearing.patterns)):
            if names:
                conversation.say(pack((word, *names)))
        either: list[asyncio.Future[Any]] = [confirmed, conversation.lost]
        await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        if not confirmed.done():
            raise LiveStoreAway(conversation.lost.result())

    def _listening(self) -> None:
        if self.ready.is_set() or self.late:
            self._inbox.put(Gap(f"the connection was lost ({self._lost})"))
        self.ready.set()

    async def _end_of(self, conversation: Conversation) -> str:
        """A connection that is silent may be dead: ask it now and then."""
        while True:
            try:
                return await within(
                    self._line.clock, self._line.patience.silence, asyncio.shield(conversation.lost)
                )
            except TimeoutError:
                if self._owed:
                    conversation.drop(f"no answer within {self._line.patience.silence:g} s")
                else:
                    self._owed = True
                    conversation.say(PING)


def _name(channel: bytes) -> str:
    return channel.decode("utf-8", "surrogateescape")


async def ready(line: Line, name: str, subscription: Subscription) -> None:
    """Raises LiveStoreAway when nobody is there to listen to within the caller's patience."""
    try:
        await within(line.clock, line.patience.wait, subscription.ready.wait())
    except TimeoutError:
        raise LiveStoreAway(away(name, subscription.reason)) from None
