"""The work itself: so many items side by side, each claimed, done, brought away and reported."""

import asyncio
import os
import shlex
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from holdfast.clock import Clock
from holdfast.errors import UnavailableError
from holdfast.items.work.shelf import Place, Shelf
from holdfast.items.work.tracker import Held, NothingError, Tracker

T = TypeVar("T")
ITEM = "{item}"
DOMAIN = "data"
LONGER = 10.0
"""Seconds by which each wait is longer than the one before."""


@dataclass(frozen=True)
class Wishes:
    """How a volunteer wants to work; times in seconds."""

    command: str
    parallel: int = 2
    most: int = 0
    """Items after which to end; 0: none."""
    keep: bool = False
    """Whether what was found stays although it was brought away."""
    heartbeat: float = 60.0
    patience: float = 60.0
    """The first wait when there is nothing to do; each next one is longer by ten seconds."""
    longest: float = 300.0
    until_empty: bool = False
    """Whether to end when there are no items, instead of waiting for more."""


@dataclass
class Progress:
    """What has been done so far."""

    done: int = 0
    failed: int = 0
    bytes: int = 0
    running: dict[str, float] = field(default_factory=dict)
    waiting: str = ""


class Worker:
    def __init__(
        self, tracker: Tracker, shelf: Shelf, wishes: Wishes, clock: Clock, tell: Callable[[str], None]
    ) -> None:
        self._tracker = tracker
        self._shelf = shelf
        self._wishes = wishes
        self._clock = clock
        self._tell = tell
        self._stopping = asyncio.Event()
        self._begun = 0
        self.progress = Progress()
        self._places: dict[str, Place] = {}

    def stop(self) -> None:
        """Claim nothing more; what runs comes to its end."""
        self._stopping.set()

    async def work(self) -> None:
        for place in list(self._shelf.left()):
            self._tell(f"{place.held.item}: begun in an earlier run")
            self._places[place.held.item] = place
        left = list(self._places.values())
        async with asyncio.TaskGroup() as tasks:
            beating = tasks.create_task(self._beat())
            slots = [tasks.create_task(self._slot(left)) for _ in range(self._wishes.parallel)]
            await asyncio.wait(slots)
            beating.cancel()

    async def _slot(self, left: list[Place]) -> None:
        while not self._stopping.is_set():
            place = left.pop() if left else await self._next()
            if place is None:
                return
            await self._do(place)

    async def _next(self) -> Place | None:
        """The next item's place; None when there shall be no more."""
        wait = self._wishes.patience
        while not self._stopping.is_set() and (not self._wishes.most or self._begun < self._wishes.most):
            self._begun += 1
            try:
                (held,) = await self._tracker.claim(1)
            except UnavailableError as reason:
                self._begun -= 1
                if self._wishes.until_empty and isinstance(reason, NothingError):
                    return None
                self.progress.waiting = str(reason)
            else:
                self.progress.waiting = ""
                return self._shelf.put(held)
            await self._rest(wait)
            wait = min(wait + LONGER, self._wishes.longest)
        return None

    async def _do(self, place: Place) -> None:
        held = place.held
        self._places[held.item] = place
        self.progress.running[held.item] = self._clock.steady()
        try:
            code = 0 if place.is_ready else await self._run(place)
            if code == 0:
                place.mark_ready()
                await self._deliver(place)
            else:
                reason = place.last_words() or f"the command ended with {code}"
                await self._insist(lambda: self._tracker.fail(held, reason))
                place.forget(keep=False)
                self.progress.failed += 1
                self._tell(f"{held.item}: failed, {reason}")
        finally:
            del self.progress.running[held.item], self._places[held.item]

    async def _run(self, place: Place) -> int:
        """The command, in a shell of its own, in the folder where what it finds is looked for."""
        place.empty()
        command = self._wishes.command.replace(ITEM, shlex.quote(place.held.item))
        with place.log.open("wb") as log:
            process = await asyncio.create_subprocess_shell(
                command,
                cwd=place.found,
                env={**os.environ, "HOLDFAST_ITEM": place.held.item},
                stdin=asyncio.subprocess.DEVNULL,
                stdout=log,
                stderr=asyncio.subprocess.STDOUT,
            )
            try:
                return await process.wait()
            finally:
                if process.returncode is None:
                    process.kill()
                    await process.wait()

    async def _deliver(self, place: Place) -> None:
        held, size = place.held, place.size()
        target = await self._insist(lambda: self._tracker.target(held))
        if target is not None:
            await self._insist(lambda: self._bring(place, target))
        await self._insist(lambda: self._tracker.done(held, {DOMAIN: size}))
        place.forget(keep=self._wishes.keep or target is None)
        self.progress.done += 1
        self.progress.bytes += size
        self._tell(f"{held.item}: done, {size} bytes")

    async def _bring(self, place: Place, target: str) -> None:
        if target.startswith("rsync://"):
            await _rsync(place.found, target)
            return
        for path in place.files():
            body = await asyncio.to_thread(path.read_bytes)
            await self._tracker.bring(f"{target}{path.relative_to(place.found).as_posix()}", body)

    async def _insist(self, ask: Callable[[], Awaitable[T]]) -> T:
        """Ask until it is heard: what was done must not be lost to a tracker that is away."""
        wait = self._wishes.patience
        while True:
            try:
                heard = await ask()
            except UnavailableError as reason:
                self.progress.waiting = str(reason)
            else:
                self.progress.waiting = ""
                return heard
            await self._clock.sleep(wait)
            wait = min(wait + LONGER, self._wishes.longest)

    async def _beat(self) -> None:
        while True:
            await self._clock.sleep(self._wishes.heartbeat)
            held: list[Held] = [place.held for place in self._places.values()]
            if held:
                try:
                    await self._tracker.still_there(held)
                except UnavailableError as reason:
                    self._tell(f"no sign of life could be given: {reason}")

    async def _rest(self, seconds: float) -> None:
        asleep = asyncio.create_task(self._clock.sleep(seconds))
        asked = asyncio.create_task(self._stopping.wait())
        await asyncio.wait({asleep, asked}, return_when=asyncio.FIRST_COMPLETED)
        for task in (asleep, asked):
            task.cancel()


async def _rsync(folder: Path, target: str) -> None:
    program = await asyncio.create_subprocess_exec(
        "rsync", "--archive", "--partial", "--", f"{folder}/", target, stdin=asyncio.subprocess.DEVNULL
    )
    if code := await program.wait():
        raise UnavailableError(f"rsync to {target} ended with {code}")
