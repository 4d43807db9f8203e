"""A supervisor inside the test itself, where its clock and its callers can be chosen."""

import asyncio
import os
import signal
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from holdfast.clock import Clock, SystemClock
from holdfast.errors import UnavailableError
from holdfast.supervise.folder import claim_folder
from holdfast.supervise.model import PartSpec
from holdfast.supervise.supervisor import Supervisor
from tests.system.supervise.world import House, part


class FastClock:
    """Time at ten times its pace."""

    def now(self) -> float:
        return time.time()

    def steady(self) -> float:
        return time.monotonic() * 10

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds / 10)


class Scene:
    """One supervised life in this process, and all that was said in it."""

    def __init__(self, data: Path, clock: Clock, *specs: dict[str, Any]) -> None:
        self.data = data
        self.clock = clock
        self.specs = [PartSpec(**{**spec, "argv": tuple(spec["argv"])}) for spec in specs]
        self.said: list[str] = []
        self.heard = asyncio.Event()
        self.supervisor: Supervisor

    def say(self, sentence: str, **facts: object) -> None:
        self.said.append(sentence)
        self.heard.set()

    async def hears(self, words: str, times: int = 1) -> None:
        while sum(words in sentence for sentence in self.said) < times:
            self.heard.clear()
            await self.heard.wait()

    def play(self, on_ready: Callable[[], Awaitable[None]]) -> None:
        async def life() -> None:
            with await claim_folder(self.data, self.clock, self.say) as folder:
                self.supervisor = Supervisor(
                    self.specs, {}, folder, say=self.say, clock=self.clock, chance=lambda: 0.0
                )
                await self.supervisor.run(on_ready)

        asyncio.run(life())


def test_a_part_that_dies_again_and_again_rests_longer_each_time(house: House) -> None:
    scene = Scene(house.data, FastClock(), part("brief"))

    async def on_ready() -> None:
        await scene.hears("again in", 5)
        scene.supervisor.stop()

    scene.play(on_ready)
    rests = [sentence.split("again in ")[1] for sentence in scene.said if "again in" in sentence]
    assert rests[:5] == ["1 s", "2 s", "4 s", "8 s", "16 s"]
    assert house.is_empty()


def test_a_start_that_cannot_be_announced_is_undone(house: House) -> None:
    scene = Scene(house.data, SystemClock(), part("tame"))

    async def on_ready() -> None:
        raise UnavailableError("The disk is full.")

    with pytest.raises(UnavailableError, match=r"The disk is full\."):
        scene.play(on_ready)
    assert house.is_empty()


def test_parts_that_cannot_be_shown_go_on_and_it_is_said_once(house: House) -> None:
    scene = Scene(house.data, SystemClock(), part("tame"))

    async def on_ready() -> None:
        (house.data / "parts.json.new").mkdir()
        pid = scene.supervisor.parts[0].pid
        assert pid
        os.kill(pid, signal.SIGKILL)
        await scene.hears("running again")
        scene.supervisor.stop()

    scene.play(on_ready)
    assert len([sentence for sentence in scene.said if "Cannot write how the parts stand" in sentence]) == 1
    assert house.is_empty()


def test_a_fault_of_our_own_leaves_nothing_running(house: House) -> None:
    async def broken() -> None:
        await asyncio.sleep(0.3)
        raise RuntimeError("a fault in a probe")

    scene = Scene(house.data, SystemClock(), part("tame"), {**part("stubborn"), "ready": broken})

    async def on_ready() -> None: ...

    with pytest.raises(ExceptionGroup):
        scene.play(on_ready)
    house.wait_until_empty()


def test_a_supervisor_refuses_to_live_on_a_thread_that_may_end_before_its_process(house: House) -> None:
    scene = Scene(house.data, SystemClock(), part("tame"))

    async def on_ready() -> None: ...

    with pytest.raises(RuntimeError, match="main thread"):
        asyncio.run(asyncio.to_thread(scene.play, on_ready))
