"""Other processes for tests: quickly forked, able to take another user's rights, and killed without mercy."""

import multiprocessing
import os
import signal
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection
from typing import Any

FORKS = multiprocessing.get_context("forkserver")
# Imported once in the server that all others are forked from.
FORKS.set_forkserver_preload(
    [
        "alembic.command",
        "psycopg",
        "holdfast.catalogue.store.uploads",
        "holdfast.store.live",
        "holdfast.tracker.service.collect",
        "tests.conftest",
    ]
)
KILLED = -signal.SIGKILL
NOBODY = 65534


def end_here() -> None:
    """As `kill -9` does: no cleaning up, no flushing, no goodbye."""
    os.kill(os.getpid(), signal.SIGKILL)


def _answering(
    answer: Connection, uid: int | None, work: Callable[..., Any], arguments: Sequence[Any]
) -> None:
    if uid is not None:
        os.setgroups([])
        os.setgid(uid)
        os.setuid(uid)
    try:
        answer.send((True, work(*arguments)))
    except Exception as error:  # noqa: BLE001 - told to the test, which judges it
        answer.send((False, f"{type(error).__name__}: {error}"))


class Other:
    """Work that goes on in another process."""

    def __init__(self, work: Callable[..., Any], *arguments: Any, uid: int | None = None) -> None:
        self._answer, theirs = FORKS.Pipe(duplex=False)
        self._process = FORKS.Process(target=_answering, args=(theirs, uid, work, arguments))
        self._process.start()
        theirs.close()

    def outcome(self) -> tuple[bool, Any]:
        """Whether it went well, and its result or its error's text; EOFError when it was killed."""
        try:
            well, said = self._answer.recv()
            return well, said
        finally:
            self._end()

    def result(self) -> Any:
        well, said = self.outcome()
        assert well, said
        return said

    def was_killed(self) -> bool:
        """Wait for its end; False when it came to the end of its work."""
        try:
            well, said = self.outcome()
        except EOFError:
            assert self._process.exitcode == KILLED
            return True
        assert well, said
        return False

    def _end(self) -> None:
        self._answer.close()
        self._process.join()


def together(work: Callable[..., Any], each: Sequence[Sequence[Any]]) -> list[Any]:
    """The results of work done at once, each in a process of its own."""
    return [other.result() for other in [Other(work, *arguments) for arguments in each]]
