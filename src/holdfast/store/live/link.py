"""Keeps one conversation with a server alive: reconnects for ever, and bounds how long a caller waits."""

import asyncio
import ssl
from collections import deque
from collections.abc import Awaitable, Callable
from random import Random
from typing import NoReturn

from holdfast.clock import Clock
from holdfast.store.live.address import Endpoint
from holdfast.store.live.conversation import Conversation, NotSentError, connect
from holdfast.store.live.errors import LiveAnswerLost, LiveReplyError, LiveStoreAway
from holdfast.store.live.greeting import WrongRoleError
from holdfast.store.live.interface import Patience, Reply, Traffic
from holdfast.store.live.waiting import pauses, within

# What an attempt to connect may end with; anything else is a fault of ours and ends the store.
FAULTS = (OSError, LiveReplyError, LiveStoreAway, WrongRoleError)

Find = Callable[[], Awaitable[Endpoint]]
Greet = Callable[[Conversation], Awaitable[None]]


class Line:
    """What every connection of one store has in common."""

    def __init__(self, clock: Clock, patience: Patience, random: Random, tls: ssl.SSLContext | None) -> None:
        self.clock = clock
        self.patience = patience
        self.random = random
        self.tls = tls
        self.traffic = Traffic()

    async def open(self, find: Find, greet: Greet) -> Conversation:
        """Connect and greet, or raise one of FAULTS."""
        endpoint = await find()
        silence = self.patience.silence
        conversation = await connect(endpoint, self.tls, self.clock, silence, self.traffic)
        try:
            await within(self.clock, silence, greet(conversation))
        except BaseException as fault:
            conversation.drop(str(fault))
            raise
        return conversation


class Link:
    """`run` belongs to a task of the store that owns the link."""

    def __init__(self, name: str, line: Line, find: Find, greet: Greet, *, wait: float | None = None) -> None:
        self.name = name
        self.generation = 0
        """Counts the connections: who compares it knows whether a server was lost in between."""
        self._line = line
        self._find = find
        self._greet = greet
        self._wait = line.patience.wait if wait is None else wait
        self._conversation: Conversation | None = None
        self._reason = "not yet connected"
        self._closed = False
        self._waiting: deque[tuple[float, asyncio.Future[Conversation]]] = deque()
        self._somebody_waits = asyncio.Event()

    async def ask(self, packed: bytes, replies: int, *, repeat: bool = False) -> list[Reply]:
        """Replies to commands in wire form. Raises LiveStoreAway or, once they were sent, LiveAnswerLost."""
        give_up: float | None = None
        while True:
            conversation = self._conversation
            if conversation is None:
                give_up = self._line.clock.steady() + self._wait if give_up is None else give_up
                conversation = await self._connected(give_up)
            try:
                return await conversation.ask(packed, replies)
            except NotSentError:
                await asyncio.sleep(0)
            except LiveAnswerLost:
                if not repeat:
                    raise

    def drop(self, reason: str) -> None:
        """The server is not the right one any more: connect anew."""
        if self._conversation is not None:
            self._conversation.drop(reason)

    async def run(self) -> None:
        try:
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(self._keep_connected())
                tasks.create_task(self._expire())
        finally:
            self._closed = True
            self._reason = "it was closed here"
            if self._conversation is not None:
                self._conversation.drop(self._reason)
                self._conversation = None
            self._fail_waiting(None)

    async def _connected(self, give_up: float) -> Conversation:
        if self._closed or give_up <= self._line.clock.steady():
            self._refuse()
        future: asyncio.Future[Conversation] = asyncio.get_running_loop().create_future()
        self._waiting.append((give_up, future))
        self._somebody_waits.set()
        return await future

    async def _keep_connected(self) -> NoReturn:
        growing = pauses(self._line.patience, self._line.random)
        while True:
            try:
                conversation = await self._line.open(self._find, self._greet)
            except FAULTS as fault:
                self._reason = str(fault) or type(fault).__name__
                if self._wait == 0:
                    self._fail_waiting(None)
            else:
                growing = pauses(self._line.patience, self._line.random)
                self._admit(conversation)
                self._reason = await self._end_of(conversation)
                self._conversation = None
            await self._line.clock.sleep(next(growing))

    def _admit(self, conversation: Conversation) -> None:
        self.generation += 1
        self._conversation = conversation
        for _, future in self._waiting:
            if not future.done():
                future.set_result(conversation)
        self._waiting.clear()

    async def _end_of(self, conversation: Conversation) -> str:
        while True:
            try:
                return await within(
                    self._line.clock, self._line.patience.silence, asyncio.shield(conversation.lost)
                )
            except TimeoutError:
                if conversation.silent():
                    conversation.drop(f"no answer within {self._line.patience.silence:g} s")

    async def _expire(self) -> NoReturn:
        """Those who wait are in the order of their deadlines, as all wait equally long."""
        clock = self._line.clock
        while True:
            while self._waiting:
                await clock.sleep(max(0.0, self._waiting[0][0] - clock.steady()))
                self._fail_waiting(clock.steady())
            self._somebody_waits.clear()
            await self._somebody_waits.wait()

    def _fail_waiting(self, until: float | None) -> None:
        while self._waiting and (until is None or self._waiting[0][0] <= until):
            _, future = self._waiting.popleft()
            if not future.done():
                future.set_exception(self._away())

    def _refuse(self) -> NoReturn:
        raise self._away()

    def _away(self) -> LiveStoreAway:
        return LiveStoreAway(
            f"The live store at {self.name} is away ({self._reason}); check that it runs, then try again."
        )
