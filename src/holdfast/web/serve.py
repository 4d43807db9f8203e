"""The HTTP server: uvicorn inside an event loop, a socket and a lifetime that are ours."""

import asyncio
import contextlib
import socket
from collections.abc import Iterator

import uvicorn
from litestar.types import ASGIApp

GRACE = 2
"""Seconds that requests under way have to end once the door closes."""
MESSAGE_MOST = 16 << 10
PING_EVERY = 20.0


class Server(uvicorn.Server):
    """Signals belong to whoever runs the part, not to the server."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def server(app: ASGIApp) -> Server:
    config = uvicorn.Config(
        app,
        loop="none",
        http="httptools",
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
