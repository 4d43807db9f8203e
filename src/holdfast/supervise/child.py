"""One process of a part: how it is started, what it may hold of ours, and how we learn of its end."""

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Mapping
from socket import socket

from holdfast.clock import Clock
from holdfast.supervise import leash
from holdfast.supervise.model import HANDED_DOWN, LIFELINE, SOCKETS, STATUS, STOP_SECONDS, PartSpec
from holdfast.supervise.sockets import encode

REMEMBERED_LINES = 5
LONGEST_LINE = 8192
END_POLL = 0.1


class Lines:
    """The lines that a child writes into a pipe of ours, as they come."""

    def __init__(self, number: int, tell: Callable[[str], None]) -> None:
        self._number = number
        self._tell = tell
        self._rest = b""
        os.set_blocking(number, False)
        asyncio.get_running_loop().add_reader(number, self._read)

    def close(self) -> None:
        """Reads what is left and stops; no more comes of a dead child."""
        while self._read():
            pass
        if self._rest:
            self._say(self._rest)
        self._leave()

    def _read(self) -> bool:
        if self._number < 0:
            return False
        try:
            data = os.read(self._number, 65536)
        except BlockingIOError:
            return False
        if not data:
            self._leave()
            return False
        *lines, self._rest = (self._rest + data).split(b"\n")
        if len(self._rest) > LONGEST_LINE:
            lines.append(self._rest)
            self._rest = b""
        for line in lines:
            self._say(line)
        return True

    def _say(self, line: bytes) -> None:
        self._tell(line.decode(errors="replace").rstrip())

    def _leave(self) -> None:
        if self._number >= 0:
            asyncio.get_running_loop().remove_reader(self._number)
            os.close(self._number)
            self._number = -1


class Child:
    """A running process of a part; made by `spawn`."""

    def __init__(self, spec: PartSpec, run: int, process: subprocess.Popen[bytes]) -> None:
        self.spec = spec
        self.run = run
        self.pid = process.pid
        self.reported_ready = asyncio.Event()
        self._process = process
        self._last_words = ""
        self._lines: deque[str] = deque(maxlen=REMEMBERED_LINES)
        self._pipes: list[Lines] = []

    @property
    def words(self) -> str:
        """What it said last: its own report of failure, or the end of what it printed."""
        return self._last_words or " / ".join(self._lines)

    def stop(self) -> None:
        os.kill(self.pid, self.spec.stop_signal)

    def kill(self) -> None:
        """Ends the process and every one that it started; safe as long as it was not reaped."""
        # A group of the dead alone is no error on Linux, but one on other systems.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)

    async def ready(self) -> None:
        """Returns once it serves."""
        if self.spec.ready is None:
            await self.reported_ready.wait()
        else:
            await self.spec.ready()

    async def ended(self, clock: Clock) -> int:
        """Waits for its end, and answers its exit code."""
        await _exited(self.pid, clock)
        return self.end()

    def end(self) -> int:
        """Ends it if it lives, and in any case whatever it has left running; answers its exit code."""
        self.kill()
        exit_code = self._process.wait()
        for pipe in self._pipes:
            pipe.close()
        return exit_code

    def listen_to(self, status: int | None, output: int | None, relay: Callable[[str], None]) -> None:
        def printed(line: str) -> None:
            self._lines.append(line)
            relay(line)

        if status is not None:
            self._pipes.append(Lines(status, self._reported))
        if output is not None:
            self._pipes.append(Lines(output, printed))

    def _reported(self, line: str) -> None:
        word, _, rest = line.partition(" ")
        if word == "ready":
            self.reported_ready.set()
        elif word == "failed":
            self._last_words = rest


def spawn(
    spec: PartSpec,
    run: int,
    *,
    sockets: Mapping[str, socket],
    lifeline: int,
    parts_lock: int,
    relay: Callable[[str], None],
) -> Child:
    """Starts the part in a session of its own, so that Ctrl-C reaches the parent alone; raises OSError."""
    env = {name: value for name, value in os.environ.items() if name not in HANDED_DOWN}
    env |= {**spec.env, STOP_SECONDS: str(spec.stop_seconds)}
    # A file has the same number on both sides of the fork, so that the environment can name it.
    held = {name: sockets[name].fileno() for name in spec.sockets}
    env[SOCKETS] = encode(held)
    handed = [parts_lock, *held.values()]
    status, status_end = os.pipe() if spec.ready is None else (None, None)
    output, output_end = os.pipe() if spec.relay else (None, None)
    if status_end is not None:
        env |= {STATUS: str(status_end), LIFELINE: str(lifeline)}
        handed += [status_end, lifeline]
    try:
        process = subprocess.Popen(  # noqa: S603 - the programs are ours, and no shell is between
            [*_leash(spec), *spec.argv],
            stdin=subprocess.DEVNULL,
            stdout=output_end,
            stderr=output_end,
            env=env,
            pass_fds=handed,
            start_new_session=True,
        )
    except BaseException:
        _close(status, output)
        raise
    finally:
        _close(status_end, output_end)
    child = Child(spec, run, process)
    child.listen_to(status, output, relay)
    return child


def _leash(spec: PartSpec) -> list[str]:
    return [sys.executable, "-I", "-S", leash.__file__, str(os.getpid()), str(int(spec.stop_signal))]


def _close(*numbers: int | None) -> None:
    for number in numbers:
        if number is not None:
            os.close(number)


async def _exited(pid: int, clock: Clock) -> None:
    """Waits until the process is dead but not reaped: so long, its pid can be nobody else's."""
    try:
        handle = os.pidfd_open(pid)
    except (AttributeError, OSError):
        while not _is_dead(pid):
            await clock.sleep(END_POLL)
        return
    loop = asyncio.get_running_loop()
    dead = asyncio.Event()
    loop.add_reader(handle, dead.set)
    try:
        await dead.wait()
    finally:
        loop.remove_reader(handle)
        os.close(handle)


def _is_dead(pid: int) -> bool:
    return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT | os.WNOHANG) is not None
