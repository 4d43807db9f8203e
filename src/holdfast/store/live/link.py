"""Keeps one conversation with a server alive: reconnects for ever, and bounds how long a caller waits."""

import asyncio
import ssl
from collections.abc import Awaitable, Callable
from random import Random
from typing import NoReturn

from holdfast.clock import Clock
from holdfast.store.live.address import Endpoint
from holdfast.store.live.conversation import Conversation, NotSentError, answer_lost, connect
from holdfast.store.live.errors import LiveAnswerLost, LiveReplyError, LiveStoreAway, away
from holdfast.store.live.greeting import WrongRoleError
from holdfast.store.live.interface import Patience, Reply, Traffic
from holdfast.store.live.waiting import Background, Gate, pauses, within

# What an attempt to connect may end with; anything else is a fault of ours and ends the store.
FAULTS = (OSError, LiveReplyError, LiveStoreAway, WrongRoleError)

Find = Callable[[], Awaitable[Endpoint]]
Greet = Callable[[Conversation], Awaitable[None]]


def always(endpoint: Endpoint) -> Find:
    """For who knows where to go."""

    async def find() -> Endpoint:
        return endpoint

    return find


class Line:
    """What every connection of one store has in common."""

    def __init__(self, clock: Clock, patience: Patience, random: Random, tls: ssl.SSLContext | None) -> None:
        self.clock = clock
        self.patience = patience
        self.random = random
        self.tls = tls
        self.traffic = Traffic()

    def give_up(self) -> float:
        """Until when a caller who asks now waits for a store that is away."""
        return self.clock.steady() + self.patience.wait

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

    async def ask_once(self, endpoint: Endpoint, greet: Greet, packed: bytes, replies: int) -> list[Reply]:
        """Over a connection for this question only; raises one of FAULTS."""
        conversation = await self.open(always(endpoint), greet)
        try:
            return await within(self.clock, self.patience.silence, conversation.ask(packed, replies))
        except TimeoutError as fault:
            raise answer_lost(str(fault)) from None
        finally:
            conversation.drop("it has answered")


class Link:
    """Belongs to the store that starts it."""

    def __init__(
        self, name: str, line: Line, find: Find, greet: Greet, lost: Callable[[], None] | None = None
    ) -> None:
        self.name = name
        self.generation = 0
        """Counts the connections: who compares it knows whether a server was lost in between."""
        self._line = line
        self._find = find
        self._greet = greet
        self._lost = lost
        self._conversation: Conversation | None = None
        self._reason = "it is not open"
        self._gate = Gate(line.clock)

    @property
    def connected(self) -> bool:
        return self._conversation is not None

    async def ask(
        self, packed: bytes, replies: int, *, repeat: bool = False, give_up: float | None = None
    ) -> list[Reply]:
        """Replies to commands in wire form. Raises LiveStoreAway or, once they were sent, LiveAnswerLost."""
        while True:
            conversation = self._conversation
            if conversation is None:
                give_up = give_up or self._line.give_up()
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

    def start(self, background: Background) -> asyncio.Task[None]:
        """The link lives as long as this task."""
        self._reason = "not yet connected"
        self._gate.admit()
        return background.start(self._run())

    async def _run(self) -> None:
        try:
            async with Background() as own:
                own.start(self._gate.run())
                await self._keep_connected()
        finally:
            self._reason = "it was closed here"
            self._gate.close()

    async def _connected(self, give_up: float) -> Conversation:
        while self._conversation is None:
            try:
                await self._gate.wait(give_up)
            except TimeoutError:
                raise self._away() from None
        return self._conversation

    def _away(self) -> LiveStoreAway:
        return LiveStoreAway(away(self.name, self._reason))

    async def _keep_connected(self) -> NoReturn:
        growing = pauses(self._line.patience, self._line.random)
        while True:
            try:
                conversation = await self._line.open(self._find, self._greet)
            except FAULTS as fault:
                self._reason = str(fault) or type(fault).__name__
            else:
                growing = pauses(self._line.patience, self._line.random)
                await self._serve(conversation)
            if self._lost is not None:
                self._lost()
            await self._line.clock.sleep(next(growing))

    async def _serve(self, conversation: Conversation) -> None:
        """Lend the connection to callers until it is lost."""
        self.generation += 1
        self._conversation = conversation
        self._gate.let_through()
        try:
            self._reason = await self._end_of(conversation)
        finally:
            self._conversation = None
            conversation.drop("it was closed here")

    async def _end_of(self, conversation: Conversation) -> str:
        silence = self._line.patience.silence
        while True:
            try:
                return await within(self._line.clock, silence, asyncio.shield(conversation.lost))
            except TimeoutError:
                if conversation.silent():
                    conversation.drop(f"no answer within {silence:g} s")
