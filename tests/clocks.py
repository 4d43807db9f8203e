"""Clocks that stand still until a test moves them."""

import asyncio


class StillClock:
    """Time that only `sleep` and the test itself move."""

    def __init__(self, now: float = 1_000_000.0) -> None:
        self._now = now
        self._steady = 0.0

    def now(self) -> float:
        return self._now

    def steady(self) -> float:
        return self._steady

    async def sleep(self, seconds: float) -> None:
        self.pass_by(seconds)
        await asyncio.sleep(0)

    def pass_by(self, seconds: float) -> None:
        self._now += seconds
        self._steady += seconds

    def jump(self, seconds: float) -> None:
        """What is written down changes; what is waited for does not."""
        self._now += seconds
