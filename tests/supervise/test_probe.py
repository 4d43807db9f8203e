"""A store serves once it answers anything but LOADING."""

import asyncio
from pathlib import Path

import pytest

from holdfast.clock import Clock
from holdfast.supervise.probe import store_answers


def asked_until_ready(path: Path, clock: Clock, answers: list[bytes]) -> int:
    """How often a store that gives these answers in turn is asked before it counts as ready."""
    asked = 0

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal asked
        assert await reader.readline() == b"PING\r\n"
        writer.write(answers[asked])
        asked += 1
        writer.close()
        await writer.wait_closed()

    async def scene() -> None:
        async with await asyncio.start_unix_server(answer, path):
            await store_answers(path, clock)()

    asyncio.run(scene())
    return asked


@pytest.mark.parametrize(
    "last", [b"+PONG\r\n", b"-NOAUTH Authentication required.\r\n", b"-MISCONF disk\r\n"]
)
def test_a_loading_store_is_waited_for(tmp_path: Path, clock: Clock, last: bytes) -> None:
    loading = b"-LOADING Valkey is loading the dataset in memory\r\n"
    assert asked_until_ready(tmp_path / "live.sock", clock, [loading, b"", b"-LOAD", loading, last]) == 5


def test_a_store_that_is_not_there_yet_is_waited_for(tmp_path: Path, clock: Clock) -> None:
    sleeps: list[float] = []

    async def scene() -> None:
        gone = asyncio.Event()

        class Waiting:
            now, steady = clock.now, clock.steady

            async def sleep(self, seconds: float) -> None:
                sleeps.append(seconds)
                if len(sleeps) == 10:
                    gone.set()
                    await asyncio.Event().wait()

        async with asyncio.TaskGroup() as tasks:
            waiting = tasks.create_task(store_answers(tmp_path / "live.sock", Waiting())())
            await gone.wait()
            waiting.cancel()

    asyncio.run(scene())
    assert sleeps[:3] == [0.01, 0.02, 0.04]
    assert max(sleeps) == 0.25
