"""The websocket through which a page listens to the live feed."""

import asyncio
from typing import Any

import msgspec
from litestar import WebSocket, websocket
from litestar.di import NamedDependency
from litestar.exceptions import WebSocketDisconnect

from holdfast.catalogue.model import Actor
from holdfast.clock import Clock
from holdfast.errors import RefusedError, UnavailableError
from holdfast.web.door import Web
from holdfast.web.feed import TOO_MANY_MESSAGES, Client, Wish
from holdfast.web.identity import Identity, session_key

BURST = 20
PER_SECOND = 2.0
"""Wishes that a client may send: a burst when a page opens, few afterwards."""
NOT_A_WISH = 1007

Socket = WebSocket[Any, Any, Any]


class Allowance:
    """Tokens that refill with time; one is spent for each message."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._left = float(BURST)
        self._at = clock.steady()

    def spend(self) -> bool:
        now = self._clock.steady()
        self._left = min(BURST, self._left + (now - self._at) * PER_SECOND)
        self._at = now
        self._left -= 1
        return self._left >= 0


@websocket("/live", may="overview.read")
async def live(socket: Socket, actor: NamedDependency[Actor], web: NamedDependency[Web]) -> None:
    """Changes as they happen; what is sent and received is described in docs/api.md."""

    async def again() -> Actor | None:
        try:
            return await Identity(web).who(socket)
        except RefusedError:
            return None
        except UnavailableError:
            return actor  # nobody can be signed out while the records are away

    client = web.feed.join(actor, session_key(socket), again)
    try:
        await socket.accept()
        async with asyncio.TaskGroup() as tasks:
            sending = tasks.create_task(_send(socket, client), name="feed-send")
            try:
                await _receive(socket, client, Allowance(web.clock))
            except WebSocketDisconnect:
                sending.cancel()
    finally:
        web.feed.leave(client)


async def _send(socket: Socket, client: Client) -> None:
    try:
        while (message := await client.next()) is not None:
            await socket.send_data(message.decode(), mode="text")
        await socket.close(code=client.closing or NOT_A_WISH)
    except WebSocketDisconnect:
        client.close(TOO_MANY_MESSAGES)


async def _receive(socket: Socket, client: Client, allowance: Allowance) -> None:
    """Until the other side has gone; what cannot be read ends the conversation."""
    while True:
        text = await socket.receive_data(mode="text")
        if client.closing is not None:
            continue
        if not allowance.spend():
            client.close(TOO_MANY_MESSAGES)
            continue
        try:
            wish = msgspec.json.decode(text, type=Wish)
        except msgspec.DecodeError:
            client.close(NOT_A_WISH)
            continue
        client.topics.difference_update(wish.unsubscribe)
        client.hear(msgspec.json.encode(client.subscribe(wish.subscribe)))
