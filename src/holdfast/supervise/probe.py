"""Whether a live store answers yet, asked in raw bytes so that the parent needs no client library."""

import asyncio
from pathlib import Path

from holdfast.clock import Clock
from holdfast.supervise.model import Probe

FIRST_WAIT = 0.01
LONGEST_WAIT = 0.25
ANSWER_SECONDS = 2.0


def store_answers(path: Path, clock: Clock) -> Probe:
    """A probe that returns once the store on the Unix socket has loaded its data and serves."""

    async def wait() -> None:
        pause = FIRST_WAIT
        while not await _serves(path):
            await clock.sleep(pause)
            pause = min(LONGEST_WAIT, pause * 2)

    return wait


async def _serves(path: Path) -> bool:
    try:
        async with asyncio.timeout(ANSWER_SECONDS):
            reader, writer = await asyncio.open_unix_connection(path)
            try:
                writer.write(b"PING\r\n")
                answer = await reader.readline()
            finally:
                writer.close()
    except (OSError, TimeoutError):
        return False
    # Any whole answer but LOADING means that it serves: one that wants a password, say, is up.
    return answer.endswith(b"\n") and not answer.startswith(b"-LOADING")
