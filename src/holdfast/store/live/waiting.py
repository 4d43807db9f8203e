"""Waiting that ends: a limit on the caller's clock, and pauses that grow between attempts."""

import asyncio
import math
from collections import deque
from collections.abc import Awaitable, Coroutine, Iterable, Iterator
from random import Random
from types import TracebackType
from typing import Any, Self, TypeVar, cast

from holdfast.clock import Clock
from holdfast.store.live.interface import Patience

T = TypeVar("T")


async def within(clock: Clock, seconds: float, work: Awaitable[T]) -> T:
    """The work's result, or TimeoutError when the clock passes the limit first."""
    doing = asyncio.ensure_future(work)
    alarm = asyncio.ensure_future(clock.sleep(seconds))
    try:
        await asyncio.wait({doing, alarm}, return_when=asyncio.FIRST_COMPLETED)
        if doing.done():
            return doing.result()
        raise TimeoutError(f"no answer within {seconds:g} s")
    finally:
        for task in (doing, alarm):
            task.cancel()
        await asyncio.gather(doing, alarm, return_exceptions=True)


async def together(works: Iterable[Awaitable[T]]) -> list[T]:
    """All results; when some fail, the first's error, but only once all have ended."""
    results = await asyncio.gather(*works, return_exceptions=True)
    for result in results:
        if isinstance(result, BaseException):
            raise result
    return cast("list[T]", results)


def pauses(patience: Patience, random: Random) -> Iterator[float]:
    """Doubling pauses up to the longest, each varied by half so that not all clients come back at once."""
    pause = patience.pause
    while True:
        yield pause * random.uniform(0.5, 1.0)
        pause = min(pause * 2, patience.longest_pause)


class Gate:
    """Where callers wait for something to come back, each up to a moment. `run` belongs to a task.

    It is closed, so that nobody waits for what cannot come, until `admit` and from `close` on.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._closed = True
        self._waiting: deque[tuple[float, asyncio.Future[None]]] = deque()
        self._somebody_waits = asyncio.Event()

    async def wait(self, give_up: float) -> None:
        """Until the gate opens; TimeoutError when the moment comes first."""
        if self._closed or give_up <= self._clock.steady():
            raise TimeoutError
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((give_up, future))
        self._somebody_waits.set()
        await future

    def let_through(self) -> None:
        """All who wait now."""
        for _, future in self._waiting:
            if not future.done():
                future.set_result(None)
        self._waiting.clear()

    def _expire(self, until: float) -> None:
        """Send away those whose moment has come. As all wait equally long, the first comes first."""
        while self._waiting and self._waiting[0][0] <= until:
            _, future = self._waiting.popleft()
            if not future.done():
                future.set_exception(TimeoutError())

    def admit(self) -> None:
        self._closed = False

    def close(self) -> None:
        self._closed = True
        self._expire(math.inf)

    async def run(self) -> None:
        while True:
            while self._waiting:
                await self._clock.sleep(max(0.0, self._waiting[0][0] - self._clock.steady()))
                self._expire(self._clock.steady())
            self._somebody_waits.clear()
            await self._somebody_waits.wait()


class Background:
    """Tasks that run beside a block: they are cancelled when it ends, and a fault in one of them ends it.

    Unlike in a bare TaskGroup the block's own error comes out as it is, not wrapped in a group.
    """

    def __init__(self) -> None:
        self._group = asyncio.TaskGroup()
        self._tasks: set[asyncio.Task[None]] = set()

    def start(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = self._group.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def stop(self, tasks: Iterable[asyncio.Task[None]] | None = None) -> None:
        """Cancel these tasks, or all, and wait until they are gone."""
        ending = list(self._tasks if tasks is None else tasks)
        for task in ending:
            task.cancel()
        if ending:
            await asyncio.wait(ending)

    async def __aenter__(self) -> Self:
        await self._group.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            await self.stop()
        finally:
            try:
                await self._group.__aexit__(kind, error, trace)
            except BaseExceptionGroup as group:
                if group.exceptions != (error,):
                    raise
