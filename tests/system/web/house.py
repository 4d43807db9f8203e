"""A real web door for tests: uvicorn on loopback, SQLite in a folder, the embedded Valkey."""

import asyncio
import hashlib
import io
import logging
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

import httpx
import structlog
from sqlalchemy import Connection

import holdfast.web.access.tables
from holdfast.catalogue.model import Actor, Door, Role
from holdfast.catalogue.store import members
from holdfast.clock import SystemClock
from holdfast.observe.logs import configure_logs
from holdfast.settings import Settings
from holdfast.settings.tree import LogFormat, LogLevel, Logs
from holdfast.store.live import Patience, open_live
from holdfast.store.records import metadata, open_records
from holdfast.store.records.engine import records_address
from holdfast.stores import Stores
from holdfast.web.access import links
from holdfast.web.app import create_door
from holdfast.web.door import Addresses, Web
from holdfast.web.part import attended, open_web
from holdfast.web.serve import serve
from tests.servers import RunningServer, embedded_valkey

T = TypeVar("T")

RUN_TOKEN = "run-token-of-this-test"
PASSWORD = "correct horse battery"
SYSTEM = Actor(None, "test", Door.SYSTEM, roles=frozenset(Role))
KNOWN = holdfast.web.access.tables  # the schema made below has these tables too


class MovedClock(SystemClock):
    """The real time, moved on by hand."""

    def __init__(self) -> None:
        self.moved = 0.0

    def now(self) -> float:
        return super().now() + self.moved

    def steady(self) -> float:
        return super().steady() + self.moved


@dataclass
class House:
    """An open door, and what is behind it."""

    url: str
    web: Web
    clock: MovedClock
    valkey: RunningServer
    client: httpx.AsyncClient
    passwords: dict[str, str] = field(default_factory=dict)

    async def write(self, work: Callable[[Connection], T]) -> T:
        return await self.web.records.write(work)

    async def read(self, work: Callable[[Connection], T]) -> T:
        return await self.web.records.read(work)

    async def member(self, name: str, *roles: str, password: str | None = PASSWORD) -> int:
        now, hashed = self.clock.now(), await self.web.passwords.hash(password) if password else None

        def add(tx: Connection) -> int:
            made, _ = members.add(tx, now, SYSTEM, name=name, roles=roles)
            if hashed:
                links.keep_password(tx, now, made.id, hashed)
            return made.id

        return await self.write(add)

    async def sign_in(self, name: str, password: str = PASSWORD) -> httpx.AsyncClient:
        """A client of its own, with the cookie of a new session and its CSRF token."""
        client = httpx.AsyncClient(base_url=self.url)
        answer = await client.post("/api/v1/session", json={"name": name, "password": password})
        assert answer.status_code == 200, answer.text
        client.headers["X-CSRF-Token"] = answer.json()["csrf"]
        return client

    @property
    def operator(self) -> dict[str, str]:
        """The headers by which the command line is known."""
        return {"Authorization": f"Bearer {RUN_TOKEN}"}


def settings_for(folder: Path, **web: Any) -> Settings:
    settings = Settings(data=folder, community="Test")
    return replace(settings, web=replace(settings.web, **web))


@asynccontextmanager
async def opened(
    folder: Path,
    valkey: RunningServer,
    *,
    wait: float = 2.0,
    url: str | None = None,
    hears: bool = True,
    **web: Any,
) -> AsyncIterator[House]:
    settings, clock = settings_for(folder, public_url=url, **web), MovedClock()
    listening = socket.create_server(("127.0.0.1", 0))
    here = f"http://127.0.0.1:{listening.getsockname()[1]}"
    live = open_live(valkey.address, clock=SystemClock(), patience=Patience(wait=wait))
    async with open_records(records_address("sqlite", folder)) as records, live:
        metadata.create_all(records.engine)
        token_hash = hashlib.sha256(RUN_TOKEN.encode()).hexdigest()
        places = Addresses(url or here, "http://127.0.0.1:6969")
        door = open_web(settings, Stores(records, live), clock, places, token_hash)
        stopping = asyncio.Event()
        async with attended(door), asyncio.TaskGroup() as tasks:
            tasks.create_task(serve(create_door(door), listening, stopping))
            async with httpx.AsyncClient(base_url=here, timeout=20) as client:
                try:
                    if hears:
                        await door.feed.listening.wait()
                    yield House(here, door, clock, valkey, client)
                finally:
                    stopping.set()
    listening.close()


@contextmanager
def valkey() -> Iterator[RunningServer]:
    with embedded_valkey() as server:
        yield server


def in_house(
    folder: Path, server: RunningServer, work: Callable[[House], Awaitable[None]], **options: Any
) -> None:
    async def main() -> None:
        async with opened(folder, server, **options) as house:
            await work(house)

    asyncio.run(main())


def problem(answer: httpx.Response, status: int, code: str) -> dict[str, Any]:
    """An answer that must be a refusal as all refusals are; returns it."""
    told: dict[str, Any] = answer.json()
    assert answer.headers["content-type"] == "application/problem+json", answer.text
    assert (answer.status_code, told["status"], told["code"]) == (status, status, code), answer.text
    assert told["request_id"] == answer.headers["x-request-id"]
    return told


@contextmanager
def quiet() -> Iterator[io.StringIO]:
    """Sends what the door logs into a text, as JSON, instead of to the terminal."""
    handlers, level = logging.getLogger().handlers[:], logging.getLogger().level
    written = io.StringIO()
    configure_logs(Logs(format=LogFormat.JSON, level=LogLevel.INFO), "web", written, SystemClock())
    yield written
    logging.getLogger().handlers[:] = handlers
    logging.getLogger().setLevel(level)
    logging.getLogger("holdfast").setLevel(logging.NOTSET)
    structlog.reset_defaults()
