"""The child's side of supervision: every part of ours runs inside `run_part`, under a parent or alone."""

import asyncio
import contextlib
import faulthandler
import logging
import os
import signal
import socket
import threading
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass, field
from typing import Any

from holdfast.errors import Exit, HoldfastError
from holdfast.supervise import model
from holdfast.supervise.sockets import Listen, Place, decode, listen, place_of

STOP_SECONDS = 4.0
"""How long a part may take to stop when it runs alone; under a parent, the parent says."""
POLITE_SHARE = 0.7
"""The share of that after which what still runs is cancelled."""
PATIENT_SHARE = 0.9
"""The share after which the process writes every stack to stderr and ends itself, before its parent does."""
ERROR_FD = 2

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class PartContext:
    """What a running part has from its parent, or from itself when it runs alone."""

    name: str
    sockets: Mapping[str, socket.socket]
    """Listening, by the names its spec gives."""
    stopping: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when the part must come to an end, soon and tidily."""
    supervised: bool = False
    _report: Callable[[str], None] = field(default=lambda _: None, repr=False)

    def ready(self) -> None:
        """Says that the part serves."""
        self._report("ready")

    def place(self, name: str) -> Place:
        """Where the socket of that name listens."""
        return place_of(self.sockets[name])


Main = Callable[[PartContext], Coroutine[Any, Any, None]]


@dataclass
class _Inheritance:
    """What the environment says was handed down; taking it hides it from processes that the part starts."""

    sockets: dict[str, int]
    status: int | None
    lifeline: int | None
    stop_seconds: float

    @classmethod
    def take(cls) -> "_Inheritance":
        said = {name: os.environ.pop(name, "") for name in model.HANDED_DOWN}
        numbers = {name: int(said[name]) for name in (model.STATUS, model.LIFELINE) if said[name]}
        sockets = decode(said[model.SOCKETS])
        for number in (*numbers.values(), *sockets.values()):
            os.set_inheritable(number, False)
        return cls(
            sockets,
            numbers.get(model.STATUS),
            numbers.get(model.LIFELINE),
            float(said[model.STOP_SECONDS] or STOP_SECONDS),
        )

    def report(self, line: str) -> None:
        if self.status is None:
            return
        try:
            os.write(self.status, (" ".join(line.split()) + "\n").encode())
        except BrokenPipeError:
            log.debug("the parent has gone; the lifeline ends this part")


def run_part(name: str, main: Main, *, listen_on: Mapping[str, Listen] | None = None) -> int:
    """Runs a part until it is asked to stop, and answers the exit code of the process.

    `listen_on` says where to listen when no parent has handed down the sockets.
    """
    inheritance = _Inheritance.take()
    try:
        with contextlib.ExitStack() as doors:
            sockets = _sockets(inheritance, listen_on or {})
            for bound in sockets.values():
                doors.enter_context(bound)
            supervised = inheritance.lifeline is not None
            context = PartContext(name, sockets, supervised=supervised, _report=inheritance.report)
            return _run(main, context, inheritance)
    except HoldfastError as error:
        log.error("%s", error)  # noqa: TRY400 - a sentence for a person: its traceback says nothing more
        inheritance.report(f"failed {error}")
        return error.exit
    except Exception as error:
        crash = f"{type(error).__name__}: {error}".splitlines()[0]
        log.critical("%s crashed: %s", name, crash, exc_info=error)
        inheritance.report(f"failed {crash}")
        return Exit.FAILED
    finally:
        faulthandler.cancel_dump_traceback_later()


def report_failure(error: HoldfastError) -> None:
    """Lets the parent know why this part will not start; for errors met before `run_part`."""
    if number := os.environ.get(model.STATUS):
        os.write(int(number), (" ".join(f"failed {error}".split()) + "\n").encode())


def _run(main: Main, context: PartContext, inheritance: _Inheritance) -> int:
    import uvloop  # noqa: PLC0415 - the parent imports our neighbours, and must stay light

    return uvloop.run(_live(main, context, inheritance))


async def _live(main: Main, context: PartContext, inheritance: _Inheritance) -> int:
    loop = asyncio.get_running_loop()
    seconds = inheritance.stop_seconds

    def stop() -> None:
        # From here on the process ends in time even if the loop, or a thread that it waits for, hangs.
        if not context.stopping.is_set():
            faulthandler.dump_traceback_later(seconds * PATIENT_SHARE, exit=True, file=ERROR_FD)
        # The parent may die when the loop has just closed, which is well.
        with contextlib.suppress(RuntimeError):
            loop.call_soon_threadsafe(context.stopping.set)

    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop)
    if inheritance.lifeline is not None:
        # A thread, since the loop may be the very thing that hangs when the parent dies.
        threading.Thread(
            target=_watch, args=(inheritance.lifeline, stop), name="lifeline", daemon=True
        ).start()
    work = asyncio.create_task(main(context), name=context.name)
    await _until_stopped(work, context, seconds)
    if work.cancelled():
        log.warning("%s was slow to stop and was interrupted", context.name)
    elif not context.stopping.is_set():
        work.result()
        log.error("%s ended although nobody asked it to", context.name)
        return Exit.FAILED
    else:
        work.result()
    return Exit.OK


async def _until_stopped(work: asyncio.Task[None], context: PartContext, seconds: float) -> None:
    asked = asyncio.create_task(context.stopping.wait())
    either: set[asyncio.Task[Any]] = {work, asked}
    await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
    asked.cancel()
    if not work.done():
        await asyncio.wait({work}, timeout=seconds * POLITE_SHARE)
    if not work.done():
        work.cancel()
        await asyncio.wait({work})


def _watch(lifeline: int, stop: Callable[[], None]) -> None:
    """Only the parent has the other end, and never writes: the read returns when the parent is dead."""
    os.read(lifeline, 1)
    stop()


def _sockets(inheritance: _Inheritance, listen_on: Mapping[str, Listen]) -> dict[str, socket.socket]:
    held = {name: socket.socket(fileno=number) for name, number in inheritance.sockets.items()}
    for name, wish in listen_on.items():
        if name not in held:
            held |= listen(name, wish)
    for bound in held.values():
        bound.setblocking(False)
    return held
