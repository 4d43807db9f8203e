"""The candidates, each behind the same two verbs: a call and a batch."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from typing import Any, Protocol

Commands = list[tuple[str | int, ...]]


class Candidate(Protocol):
    async def call(self, *command: str | int) -> Any: ...

    async def batch(self, commands: Commands) -> Any: ...


class Raw(asyncio.Protocol):
    """The least one can do over hiredis: no reconnecting, no waiting, no errors; the floor for Python."""

    def __init__(self) -> None:
        import hiredis  # noqa: PLC0415

        self.pack: Any = hiredis.pack_command
        self.reader = hiredis.Reader()
        self.loop = asyncio.get_running_loop()
        self.waiting: deque[asyncio.Future[Any]] = deque()
        self.outgoing: list[bytes] = []

    def connection_made(self, transport: Any) -> None:
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        self.reader.feed(data)
        while (reply := self.reader.gets()) is not False:
            self.waiting.popleft().set_result(reply)

    def flush(self) -> None:
        self.transport.write(b"".join(self.outgoing))
        self.outgoing.clear()

    def ask(self, command: tuple[str | int, ...]) -> "asyncio.Future[Any]":
        if not self.outgoing:
            self.loop.call_soon(self.flush)
        self.outgoing.append(self.pack(command))
        future = self.loop.create_future()
        self.waiting.append(future)
        return future

    async def call(self, *command: str | int) -> Any:
        return await self.ask(command)

    async def batch(self, commands: Commands) -> Any:
        return [await future for future in [self.ask(command) for command in commands]]


async def raw(_: AsyncExitStack, port: int) -> Candidate:
    loop = asyncio.get_running_loop()
    return (await loop.create_connection(Raw, "127.0.0.1", port))[1]


async def holdfast(stack: AsyncExitStack, port: int) -> Candidate:
    from holdfast.clock import SystemClock  # noqa: PLC0415
    from holdfast.store.live import open_live  # noqa: PLC0415

    return await stack.enter_async_context(open_live(f"redis://127.0.0.1:{port}", clock=SystemClock()))


class Pooled:
    """redis-py and valkey-py: one client, a few pooled connections."""

    def __init__(self, client: Any) -> None:
        self.client = client

    async def call(self, *command: str | int) -> Any:
        return await self.client.execute_command(*command)

    async def batch(self, commands: Commands) -> Any:
        pipeline = self.client.pipeline(transaction=False)
        for command in commands:
            pipeline.execute_command(*command)
        return await pipeline.execute()


async def redis_py(stack: AsyncExitStack, port: int) -> Candidate:
    import redis.asyncio  # noqa: PLC0415

    pool: Any = redis.asyncio.BlockingConnectionPool(host="127.0.0.1", port=port, max_connections=8)
    client = redis.asyncio.Redis(connection_pool=pool)
    stack.push_async_callback(pool.disconnect)
    return Pooled(client)


async def valkey_py(stack: AsyncExitStack, port: int) -> Candidate:
    import valkey.asyncio  # noqa: PLC0415

    pool: Any = valkey.asyncio.BlockingConnectionPool(host="127.0.0.1", port=port, max_connections=8)
    client = valkey.asyncio.Valkey(connection_pool=pool)
    stack.push_async_callback(pool.disconnect)
    return Pooled(client)


class Coredis:
    """coredis: the commands of the workloads by its own methods, as it has no free form in a pipeline."""

    def __init__(self, client: Any) -> None:
        self.client = client

    async def call(self, *command: str | int) -> Any:
        return await getattr(self.client, str(command[0]).lower())(*_coredis_args(command))

    async def batch(self, commands: Commands) -> Any:
        async with self.client.pipeline(transaction=False) as pipeline:
            for command in commands:
                getattr(pipeline, str(command[0]).lower())(*_coredis_args(command))
        return pipeline.results


def _coredis_args(command: tuple[str | int, ...]) -> tuple[Any, ...]:
    if command[0] == "HSET":
        return command[1], dict(zip(command[2::2], command[3::2], strict=True))
    return command[1:]


async def coredis(stack: AsyncExitStack, port: int) -> Candidate:
    import coredis as library  # noqa: PLC0415

    client = library.Redis("127.0.0.1", port, max_connections=8)
    return Coredis(await stack.enter_async_context(client))


class Glide:
    def __init__(self, client: Any, batch: Any) -> None:
        self.client = client
        self.make_batch = batch

    async def call(self, *command: str | int) -> Any:
        return await self.client.custom_command([str(part) for part in command])

    async def batch(self, commands: Commands) -> Any:
        gathered = self.make_batch(is_atomic=False)
        for command in commands:
            gathered.custom_command([str(part) for part in command])
        return await self.client.exec(gathered, raise_on_error=True)


async def glide(stack: AsyncExitStack, port: int) -> Candidate:
    from glide import Batch, GlideClient, GlideClientConfiguration, NodeAddress  # noqa: PLC0415

    where = [NodeAddress("127.0.0.1", port)]
    client = await GlideClient.create(GlideClientConfiguration(where, request_timeout=10_000))
    stack.push_async_callback(client.close)
    return Glide(client, Batch)


CANDIDATES: dict[str, tuple[Callable[[AsyncExitStack, int], Awaitable[Candidate]], str]] = {
    "raw over hiredis": (raw, "hiredis"),
    "holdfast": (holdfast, "holdfast.store.live"),
    "redis-py": (redis_py, "redis.asyncio"),
    "valkey-py": (valkey_py, "valkey.asyncio"),
    "coredis": (coredis, "coredis"),
    "valkey-glide": (glide, "glide"),
}
