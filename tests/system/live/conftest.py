"""The installations that the live store must behave alike on."""

from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TypeVar

import pytest
import uvloop

from holdfast.clock import SystemClock
from holdfast.store.live import Layout, LiveStore, Patience, open_live
from tests.servers import RunningServer, debian_redis, embedded_valkey, valkey_cluster

T = TypeVar("T")

Story = Callable[[LiveStore], Awaitable[T]]


def tell(
    address: str, story: Story[T], layout: Layout = Layout.CLASSIC, patience: Patience | None = None
) -> T:
    """Open the store and let the story happen."""

    async def told() -> T:
        store = open_live(address, clock=SystemClock(), layout=layout, patience=patience or Patience())
        async with store:
            return await story(store)

    return uvloop.run(told())


@dataclass(frozen=True)
class Place:
    """An installation, with its servers for looking behind the store's back."""

    address: str
    layout: Layout
    servers: tuple[RunningServer, ...]

    def tell(self, story: Story[T], patience: Patience | None = None) -> T:
        return tell(self.address, story, self.layout, patience)

    def total(self, section: str, name: str) -> int:
        return sum(int(server.info(section)[name]) for server in self.servers)


KINDS = {
    "embedded-classic": ("embedded", Layout.CLASSIC),
    "embedded-tagged": ("embedded", Layout.TAGGED),
    "redis7-classic": ("redis", Layout.CLASSIC),
    "redis7-tagged": ("redis", Layout.TAGGED),
    "cluster-tagged": ("cluster", Layout.TAGGED),
}


@pytest.fixture(scope="package")
def embedded() -> Iterator[RunningServer]:
    with embedded_valkey() as server:
        yield server


@pytest.fixture(scope="package")
def redis7() -> Iterator[RunningServer]:
    with debian_redis() as server:
        yield server


@pytest.fixture(scope="package")
def cluster() -> Iterator[tuple[RunningServer, ...]]:
    with valkey_cluster() as servers:
        yield tuple(servers)


@pytest.fixture(params=KINDS)
def place(request: pytest.FixtureRequest) -> Place:
    """Each installation in turn, empty and without functions."""
    kind, layout = KINDS[request.param]
    if kind == "cluster":
        servers: tuple[RunningServer, ...] = request.getfixturevalue("cluster")
        address = f"redis+cluster://{','.join(f'127.0.0.1:{server.where}' for server in servers)}"
    else:
        server: RunningServer = request.getfixturevalue("embedded" if kind == "embedded" else "redis7")
        servers, address = (server,), server.address
    for server in servers:
        assert server.ask("FLUSHALL") == b"OK"
        assert server.ask("FUNCTION", "FLUSH") == b"OK"
        assert server.ask("CONFIG", "RESETSTAT") == b"OK"
        assert server.ask("CONFIG", "SET", "notify-keyspace-events", "Kx$g") == b"OK"
    return Place(address, layout, servers)


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as held:
        yield held
