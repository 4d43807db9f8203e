"""One server of the comparison, in a process of its own: `served.py SERVER APP PORT FOLDER`."""

import asyncio
import contextlib
import hashlib
import signal
import socket
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec
import uvloop
from granian.constants import HTTPModes, Interfaces
from granian.server.embed import Server as Granian
from litestar import Litestar, get, post
from litestar.params import JSONBody

from holdfast.catalogue.model import Actor, Door, Role
from holdfast.catalogue.store import members
from holdfast.clock import SystemClock
from holdfast.observe.logs import configure_logs
from holdfast.settings import Settings
from holdfast.settings.tree import Logs
from holdfast.stores import open_stores
from holdfast.web.app import create_door
from holdfast.web.door import Addresses
from holdfast.web.part import attended, open_web
from holdfast.web.serve import serve

TOKEN = "benchmark"
App = Callable[..., Awaitable[None]]


class Wish(msgspec.Struct):
    amount: int
    reason: str


class Answer(msgspec.Struct):
    id: int
    amount: int
    reason: str


async def constant(_scope: Any, receive: Any, send: Any) -> None:
    """The least that an ASGI server can be asked to do."""
    await receive()
    headers = [(b"content-type", b"application/json"), (b"content-length", b"13")]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": b'{"live":true}'})


def litestar() -> App:
    """The framework alone: a typed constant, and a typed body sent back."""

    @get("/read")
    async def read() -> Answer:
        return Answer(1, 2, "benchmark")

    @post("/write")
    async def write(data: JSONBody[Wish]) -> Answer:
        return Answer(1, data.amount, data.reason)

    return Litestar([read, write], openapi_config=None, logging_config=None)


@asynccontextmanager
async def door(folder: Path, port: int) -> AsyncIterator[App]:
    """The real door over SQLite and the embedded Valkey that `run.py` started."""
    settings, clock = Settings(data=folder), SystemClock()
    digest = hashlib.sha256(TOKEN.encode()).hexdigest()
    async with open_stores(settings, clock, "web") as stores:
        places = Addresses(f"http://127.0.0.1:{port}", "http://127.0.0.1:1")
        system = Actor(None, "benchmark", Door.SYSTEM, roles=frozenset(Role))
        with contextlib.suppress(Exception):
            await stores.records.write(lambda tx: members.add(tx, clock.now(), system, name="ann"))
        web = open_web(settings, stores, clock, places, digest)
        async with attended(web):
            yield create_door(web)


@asynccontextmanager
async def chosen(name: str, folder: Path, port: int) -> AsyncIterator[App]:
    if name == "door":
        async with door(folder, port) as app:
            yield app
    else:
        yield constant if name == "asgi" else litestar()


async def main(server: str, name: str, port: int, folder: Path) -> None:
    stopping = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stopping.set)
    async with chosen(name, folder, port) as app:
        if server == "uvicorn":
            with socket.create_server(("127.0.0.1", port), backlog=1024) as listening:
                await serve(app, listening, stopping)
        else:
            granian = Granian(app, "127.0.0.1", port, interface=Interfaces.ASGINL, http=HTTPModes.http1,
                              log_enabled=False)  # fmt: skip
            serving = asyncio.create_task(granian.serve())
            await stopping.wait()
            granian.stop()
            await serving


if __name__ == "__main__":
    configure_logs(Logs(), "web", Path("/dev/null").open("w"), SystemClock())  # noqa: SIM115
    uvloop.run(main(sys.argv[1], sys.argv[2], int(sys.argv[3]), Path(sys.argv[4])))
