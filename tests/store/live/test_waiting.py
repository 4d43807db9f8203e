"""Waiting ends when it should: on the caller's clock, on closing, and with the block that owns the work."""

import asyncio
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.store.live.interface import Patience
from holdfast.store.live.waiting import Background, Gate, pauses, together, within


class HandClock:
    """Time passes only by `move`; whoever sleeps wakes when his moment has come."""

    def __init__(self) -> None:
        self.time = 100.0
        self._sleepers: list[tuple[float, asyncio.Event]] = []

    def now(self) -> float:
        return self.time

    def steady(self) -> float:
        return self.time

    async def sleep(self, seconds: float) -> None:
        if seconds <= 0:
            await asyncio.sleep(0)
            return
        woken = asyncio.Event()
        self._sleepers.append((self.time + seconds, woken))
        await woken.wait()

    async def move(self, seconds: float) -> None:
        self.time += seconds
        for moment, woken in self._sleepers:
            if moment <= self.time:
                woken.set()
        await turns()


async def turns() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


def test_work_within_its_time_gives_its_result_and_its_error() -> None:
    async def story() -> None:
        async def work() -> int:
            return 7

        async def fault() -> None:
            raise ZeroDivisionError

        clock = HandClock()
        assert await within(clock, 1, work()) == 7
        with pytest.raises(ZeroDivisionError):
            await within(clock, 1, fault())

    asyncio.run(story())


def test_work_beyond_its_time_is_cancelled() -> None:
    async def story() -> None:
        ended = asyncio.Event()

        async def work() -> None:
            try:
                await asyncio.Event().wait()
            finally:
                ended.set()

        clock = HandClock()
        limited = asyncio.ensure_future(within(clock, 2, work()))
        await turns()
        await clock.move(1.9)
        assert not limited.done()
        await clock.move(0.2)
        with pytest.raises(TimeoutError, match="within 2 s"):
            await limited
        assert ended.is_set()

    asyncio.run(story())


@given(st.integers(0, 2**32))
def test_pauses_double_up_to_the_longest_and_vary_by_half(seed: int) -> None:
    growing = pauses(Patience(pause=0.1, longest_pause=1.0), Random(seed))
    for full in (0.1, 0.2, 0.4, 0.8, 1.0, 1.0):
        assert full / 2 <= next(growing) <= full


def test_a_gate_lets_all_through_and_sends_each_away_in_his_time() -> None:
    async def story() -> None:
        clock = HandClock()
        gate = Gate(clock)
        gate.admit()
        async with Background() as background:
            background.start(gate.run())
            late = asyncio.ensure_future(gate.wait(clock.steady() + 2))
            await clock.move(1)
            later = asyncio.ensure_future(gate.wait(clock.steady() + 2))
            await turns()
            await clock.move(1.5)
            with pytest.raises(TimeoutError):
                await late
            assert not later.done()
            gate.let_through()
            await later
            with pytest.raises(TimeoutError):
                await gate.wait(clock.steady())

    asyncio.run(story())


def test_nobody_waits_at_a_closed_gate() -> None:
    async def story() -> None:
        clock = HandClock()
        gate = Gate(clock)
        with pytest.raises(TimeoutError):
            await gate.wait(clock.steady() + 1)
        gate.admit()
        waiting = asyncio.ensure_future(gate.wait(clock.steady() + 1))
        await turns()
        gate.close()
        with pytest.raises(TimeoutError):
            await waiting

    asyncio.run(story())


def test_the_tasks_of_a_block_end_with_it_and_its_error_comes_out_as_it_is() -> None:
    async def story() -> None:
        ended = []

        async def work(name: str) -> None:
            try:
                await asyncio.Event().wait()
            finally:
                ended.append(name)

        with pytest.raises(ZeroDivisionError):  # noqa: PT012 - the block is what is tested
            async with Background() as background:
                one, two = background.start(work("one")), background.start(work("two"))
                await turns()
                await background.stop([one])
                assert ended == ["one"]
                assert not two.done()
                raise ZeroDivisionError
        assert ended == ["one", "two"]

    asyncio.run(story())


def test_a_fault_in_a_task_ends_the_block() -> None:
    async def story() -> None:
        async def fault() -> None:
            raise ZeroDivisionError

        with pytest.raises(ExceptionGroup) as group:  # noqa: PT012 - the block is what is tested
            async with Background() as background:
                background.start(fault())
                await asyncio.Event().wait()
        assert [type(error) for error in group.value.exceptions] == [ZeroDivisionError]

    asyncio.run(story())


def test_works_done_together_are_all_ended_before_the_first_error_is_told() -> None:
    async def story() -> None:
        ended = []

        async def work(turns: int, *, fails: bool = False) -> int:
            for _ in range(turns):
                await asyncio.sleep(0)
            ended.append(turns)
            if fails:
                raise ZeroDivisionError
            return turns

        assert await together(work(n) for n in (3, 1, 2)) == [3, 1, 2]
        ended.clear()
        with pytest.raises(ZeroDivisionError):
            await together([work(1, fails=True), work(5)])
        assert ended == [1, 5]

    asyncio.run(story())
