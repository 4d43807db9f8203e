"""One connection to one server: commands out in one write per loop turn, replies back to whoever asked."""

import asyncio
import ssl
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias, cast

import hiredis

from holdfast.clock import Clock
from holdfast.store.live.address import Endpoint
from holdfast.store.live.errors import LiveAnswerLost, LiveStoreAway, reply_error
from holdfast.store.live.interface import Arg, Reply, Traffic
from holdfast.store.live.waiting import within

NOTHING = object()

# The stub says "a tuple of one"; it takes any length.
pack = cast("Callable[[tuple[Arg, ...]], bytes]", hiredis.pack_command)

Pushed: TypeAlias = Callable[[Reply], None]


class NotSentError(LiveStoreAway):
    """The connection broke before the command left: it can go out again over another."""


class _Answer:
    """The replies that one request still waits for. Cancelled or not, they come off the wire in order."""

    __slots__ = ("future", "missing", "replies")

    def __init__(self, future: "asyncio.Future[list[Reply]]", missing: int) -> None:
        self.future = future
        self.missing = missing
        self.replies: list[Reply] = []


class Conversation(asyncio.Protocol):
    """Lives as long as its connection. `lost` is done, with the reason, when it is over."""

    def __init__(self, traffic: Traffic) -> None:
        self._loop = asyncio.get_running_loop()
        self._traffic = traffic
        self._reader = hiredis.Reader(replyError=reply_error, notEnoughData=NOTHING)
        self._transport: asyncio.Transport | None = None
        self._answers: deque[_Answer] = deque()
        self._outgoing: list[bytes] = []
        self._flush_planned = False
        self._writable = True
        self._heard = True
        self._suspect: _Answer | None = None
        self._unsent = 0
        self.pushed: Pushed | None = None
        self.lost: asyncio.Future[str] = self._loop.create_future()

    def ask(self, packed: bytes, replies: int) -> "asyncio.Future[list[Reply]]":
        """Queue commands already in wire form; the future brings exactly so many replies."""
        future: asyncio.Future[list[Reply]] = self._loop.create_future()
        if self.lost.done():
            future.set_exception(NotSentError(self.lost.result()))
            return future
        self._answers.append(_Answer(future, replies))
        self._outgoing.append(packed)
        self._traffic.commands += replies
        if not self._flush_planned:
            self._flush_planned = True
            self._loop.call_soon(self._flush)
        return future

    async def do(self, *command: Arg) -> Reply:
        """One command outside the hot path; an error comes back as a value."""
        return (await self.ask(pack(command), 1))[0]

    def say(self, packed: bytes) -> None:
        """Send what is answered through `pushed`."""
        if self._transport is not None and not self.lost.done():
            self._transport.write(packed)

    def drop(self, reason: str) -> None:
        """End the connection at once."""
        self._end(reason)
        if self._transport is not None:
            self._transport.abort()

    def silent(self) -> bool:
        """Asked at regular intervals: whether all through one an answer was owed and nothing went or came."""
        owed = self._answers[0] if self._answers else None
        unsent = self._transport.get_write_buffer_size() if self._transport is not None else 0
        moved = self._heard or unsent < self._unsent
        silent = owed is not None and owed is self._suspect and not moved
        self._suspect, self._unsent, self._heard = owed, unsent, False
        return silent

    def _flush(self) -> None:
        self._flush_planned = False
        if not (self._outgoing and self._writable and self._transport is not None) or self.lost.done():
            return
        self._traffic.writes += 1
        packed = b"".join(self._outgoing)
        self._outgoing.clear()
        self._transport.write(packed)

    # What asyncio calls.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        self._traffic.connects += 1

    def pause_writing(self) -> None:
        self._writable = False

    def resume_writing(self) -> None:
        self._writable = True
        self._flush()

    def data_received(self, data: bytes) -> None:
        self._heard = True
        try:
            self._reader.feed(data)
            while (reply := self._reader.gets()) is not NOTHING:
                self._take(reply)
        except hiredis.ProtocolError as error:
            self.drop(f"it does not speak the protocol: {error}")

    def _take(self, reply: Any) -> None:
        if not self._answers:
            if self.pushed is None:
                raise hiredis.ProtocolError("a reply that nobody asked for")
            self.pushed(reply)
            return
        answer = self._answers[0]
        answer.replies.append(reply)
        answer.missing -= 1
        if not answer.missing:
            self._answers.popleft()
            if not answer.future.done():
                answer.future.set_result(answer.replies)

    def connection_lost(self, error: Exception | None) -> None:
        self._end(str(error) if error else "it closed the connection")

    def _end(self, reason: str) -> None:
        """Those whose bytes never left may go again elsewhere; the others are told that nobody knows."""
        if self.lost.done():
            return
        self.lost.set_result(reason)
        sent = len(self._answers) - len(self._outgoing)
        for place, answer in enumerate(self._answers):
            if not answer.future.done():
                answer.future.set_exception(answer_lost(reason) if place < sent else NotSentError(reason))
        self._answers.clear()
        self._outgoing.clear()


def answer_lost(reason: str) -> LiveAnswerLost:
    return LiveAnswerLost(
        f"The live store was lost before it answered ({reason}); "
        "look whether the change was made before you repeat it."
    )


async def connect(
    endpoint: Endpoint, tls: ssl.SSLContext | None, clock: Clock, patience: float, traffic: Traffic
) -> Conversation:
    """Raises OSError (TLS faults and time-outs are such) when nobody answers there."""
    loop = asyncio.get_running_loop()
    conversation = Conversation(traffic)
    opening: Awaitable[object]
    if endpoint.path:
        opening = loop.create_unix_connection(lambda: conversation, endpoint.path)
    else:
        name = endpoint.host if tls else None
        opening = loop.create_connection(
            lambda: conversation, endpoint.host, endpoint.port, ssl=tls, server_hostname=name
        )
    try:
        await within(clock, patience, opening)
    except BaseException as fault:
        conversation.drop(str(fault))
        raise
    return conversation
