"""The parent at work: carries out what the rules decide, and brings them word of what happens."""

import asyncio
import os
import random
import signal
import threading
from collections.abc import Awaitable, Callable, Iterable, Mapping
from math import inf
from socket import socket

from holdfast.clock import Clock, SystemClock
from holdfast.supervise import rules
from holdfast.supervise.child import Child, spawn
from holdfast.supervise.folder import Folder
from holdfast.supervise.model import PartFailedError, PartSpec, PartState, Say

STOP_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


class Supervisor:
    """Runs the parts of one data folder; lives on the main thread, whose death the leash tells."""

    def __init__(
        self,
        specs: Iterable[PartSpec],
        sockets: Mapping[str, socket],
        folder: Folder,
        *,
        say: Say,
        clock: Clock | None = None,
        chance: Callable[[], float] = random.random,
    ) -> None:
        self._clock = clock or SystemClock()
        self._house = rules.found(specs, self._clock.steady())
        self._sockets = sockets
        self._folder = folder
        self._say = say
        self._chance = chance
        self._events: asyncio.Queue[rules.Event] = asyncio.Queue()
        self._children: dict[str, Child] = {}
        self._states = {name: self._state(name) for name in self._house.specs}
        self._lifeline = (-1, -1)
        self._unwritable = False
        self._error: Exception | None = None

    @property
    def parts(self) -> list[PartState]:
        """How every part stands now."""
        return list(self._states.values())

    def stop(self) -> None:
        """Asks all parts to stop; asked again, hurries."""
        self._events.put_nowait(rules.StopAsked())

    async def run(self, on_ready: Callable[[], Awaitable[None]]) -> None:
        """Starts everything, calls `on_ready` once all is ready, and returns when it has stopped as asked.

        Raises PartFailedError when a part cannot be started, or what `on_ready` raised, once all has stopped.
        """
        if threading.current_thread() is not threading.main_thread():
            raise RuntimeError("a supervisor runs on the main thread, or its parts would die with another")
        self._lifeline = os.pipe()
        loop = asyncio.get_running_loop()
        signals = [number for number in STOP_SIGNALS if _wanted(number)]
        for number in signals:
            loop.add_signal_handler(number, self.stop)
        try:
            async with asyncio.TaskGroup() as tasks:
                await self._live(tasks, on_ready)
        finally:
            for number in signals:
                loop.remove_signal_handler(number)
            for child in self._children.values():
                child.end()
            for end in self._lifeline:
                os.close(end)
        if self._error:
            raise self._error
        if failure := self._house.failure:
            raise PartFailedError(failure.sentence, failure.exit_code)

    async def _live(self, tasks: asyncio.TaskGroup, on_ready: Callable[[], Awaitable[None]]) -> None:
        announcing: asyncio.Task[None] | None = None
        self._events.put_nowait(rules.Ticked())
        while not self._house.finished:
            event = await self._next_event(tasks)
            was_stopping = self._house.stopping
            self._house, actions = rules.step(self._house, self._clock.steady(), event)
            if self._house.stopping and not was_stopping:
                self._close_doors()
            for action in actions:
                if isinstance(action, rules.Announce):
                    announcing = tasks.create_task(self._announce(on_ready))
                else:
                    self._do(action, tasks)
            self._publish()
        if announcing:
            announcing.cancel()

    async def _next_event(self, tasks: asyncio.TaskGroup) -> rules.Event:
        if self._house.due == inf:
            return await self._events.get()
        alarm = tasks.create_task(self._tick(self._house.due - self._clock.steady()))
        try:
            return await self._events.get()
        finally:
            alarm.cancel()

    async def _tick(self, seconds: float) -> None:
        await self._clock.sleep(max(0.0, seconds))
        self._events.put_nowait(rules.Ticked())

    def _do(self, action: rules.Action, tasks: asyncio.TaskGroup) -> None:
        match action:
            case rules.Start(name, run):
                self._start(name, run, tasks)
            case rules.Stop(name) if name in self._children:
                self._children[name].stop()
            case rules.Kill(name) if name in self._children:
                self._children[name].kill()
            case rules.Tell(sentence, name):
                self._say(sentence, **({"part": name} if name else {}))

    def _start(self, name: str, run: int, tasks: asyncio.TaskGroup) -> None:
        def relay(line: str) -> None:
            self._say(f"{name}: {line}", part=name)

        try:
            child = spawn(
                self._house.specs[name],
                run,
                sockets=self._sockets,
                lifeline=self._lifeline[0],
                parts_lock=self._folder.parts_lock,
                relay=relay,
            )
        except OSError as error:
            words = f"the system could not start it: {error.strerror or error}"
            self._events.put_nowait(rules.Died(name, run, 1, words, self._chance()))
            return
        self._children[name] = child
        tasks.create_task(self._follow(child, tasks))

    async def _follow(self, child: Child, tasks: asyncio.TaskGroup) -> None:
        """Brings word of one process: that it is ready, that it has died."""
        name = child.spec.name
        readiness = tasks.create_task(self._report_ready(child))
        exit_code = await child.ended(self._clock)
        readiness.cancel()
        del self._children[name]
        self._events.put_nowait(rules.Died(name, child.run, exit_code, child.words, self._chance()))

    async def _report_ready(self, child: Child) -> None:
        await child.ready()
        self._events.put_nowait(rules.BecameReady(child.spec.name, child.run))

    async def _announce(self, on_ready: Callable[[], Awaitable[None]]) -> None:
        try:
            await on_ready()
        except Exception as error:  # noqa: BLE001 - raised again by `run` once all parts have stopped
            self._error = error
            self.stop()

    def _close_doors(self) -> None:
        """Refuses new connections at once, rather than letting them wait for nobody."""
        for bound in self._sockets.values():
            bound.close()

    def _state(self, name: str) -> PartState:
        life = self._house.lives[name]
        child = self._children.get(name)
        running = child is not None and life.phase not in rules.IDLE
        return PartState(
            name=name,
            state=life.phase.value,
            pid=child.pid if child and running else None,
            since=self._clock.now(),
            restarts=max(0, life.run - 1),
        )

    def _publish(self) -> None:
        changed = False
        for name, old in self._states.items():
            new = self._state(name)
            if (new.state, new.pid, new.restarts) != (old.state, old.pid, old.restarts):
                self._states[name] = new
                changed = True
        if changed:
            self._write_parts()

    def _write_parts(self) -> None:
        try:
            self._folder.write_parts(self.parts)
        except OSError as error:
            if not self._unwritable:
                self._say(f"Cannot write how the parts stand: {error.strerror or error}; going on without")
            self._unwritable = True
        else:
            self._unwritable = False


def _wanted(number: signal.Signals) -> bool:
    """A hangup that was set to be ignored, as nohup does, is left so."""
    return number is not signal.SIGHUP or signal.getsignal(number) is not signal.SIG_IGN
