"""Time as a value handed in, so that a test can stop it, move it and let it jump."""

import asyncio
import time
from typing import Protocol


class Clock(Protocol):
    def now(self) -> float:
        """Seconds since 1970 UTC: for what is written down. It may jump."""
        ...

    def steady(self) -> float:
        """Seconds that never run backwards: for waiting and measuring."""
        ...

    async def sleep(self, seconds: float) -> None: ...


class SystemClock:
    def now(self) -> float:
        return time.time()

    def steady(self) -> float:
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)
