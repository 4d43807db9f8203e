"""A clock whose sleeps take no time, so that waits of many seconds are tested at once."""

import asyncio

import pytest


class QuickClock:
    def __init__(self) -> None:
        self.time = 1000.0

    def now(self) -> float:
        return self.time

    def steady(self) -> float:
        return self.time

    async def sleep(self, seconds: float) -> None:
        self.time += seconds
        await asyncio.sleep(0)


@pytest.fixture
def clock() -> QuickClock:
    return QuickClock()
