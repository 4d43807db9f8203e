"""The HTTP server: uvicorn inside an event loop, a socket and a lifetime that are ours."""

import asyncio
import contextlib
import socket
from collections.abc import Iterator

import uvicorn
from litestar.types import ASGIApp
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

GRACE = 2
"""Seconds that requests under way have to end once the door closes."""
HEAD_MOST = 64 << 10
HEAD_SECONDS = 20.0
MESSAGE_MOST = 16 << 10
PING_EVERY = 20.0


class Connection(HttpToolsProtocol):
    """A connection whose request heads are neither endless nor endlessly slow; uvicorn limits neither."""

    _head = 0
    _alarm: asyncio.TimerHandle | None = None
    _in_head = True

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._alarm = self.loop.call_later(HEAD_SECONDS, self._too_slow)

    def on_message_begin(self) -> None:
        self._head, self._in_head = 0, True
        if self._alarm is None:
            self._alarm = self.loop.call_later(HEAD_SECONDS, self._too_slow)
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        self._in_head = False
        self._calm()
        super().on_headers_complete()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._head += len(data) if self._in_head else 0
        if self._head > HEAD_MOST and not self.transport.is_closing():
            self.send_400_response("The head of this request is too large.")

    def connection_lost(self, exc: Exception | None) -> None:
        self._calm()
        super().connection_lost(exc)

    def _calm(self) -> None:
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None

    def _too_slow(self) -> None:
        self._alarm = None
        if not self.transport.is_closing():
            self.transport.close()


class Server(uvicorn.Server):
    """Signals belong to whoever runs the part, not to the server."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def server(app: ASGIApp) -> Server:
    config = uvicorn.Config(
        app,
        loop="none",
        http=Connection,
        ws="websockets-sansio",
        ws_max_size=MESSAGE_MOST,
        ws_ping_interval=PING_EVERY,
        ws_ping_timeout=PING_EVERY,
        ws_per_message_deflate=False,
        lifespan="off",
        interface="asgi3",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        timeout_keep_alive=30,
        timeout_graceful_shutdown=GRACE,
    )
    return Server(config)


async def serve(app: ASGIApp, listening: socket.socket, stopping: asyncio.Event) -> None:
    """Serve until told to stop; websockets are closed with 1012, requests under way are answered."""
    serving = server(app)
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(serving.serve([listening]), name="http")
        await stopping.wait()
        serving.should_exit = True
