"""The words of supervision: what a part is, how it stands, and what is told about it."""

import signal
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol

from holdfast.errors import Exit, HoldfastError

SOCKETS = "HOLDFAST_SOCKETS"
STATUS = "HOLDFAST_STATUS_FD"
LIFELINE = "HOLDFAST_LIFELINE_FD"
STOP_SECONDS = "HOLDFAST_STOP_SECONDS"
HANDED_DOWN = frozenset({SOCKETS, STATUS, LIFELINE, STOP_SECONDS})
"""What the parent tells a part through the environment; none of these is a setting."""

Probe = Callable[[], Coroutine[Any, Any, None]]


class Say(Protocol):
    """Tells a person, or a log, one sentence; facts are for machines."""

    def __call__(self, sentence: str, **facts: object) -> None: ...


@dataclass(frozen=True)
class PartSpec:
    """What the supervisor must know of a part to start it, to know it is ready, and to stop it."""

    name: str
    argv: tuple[str, ...]
    env: Mapping[str, str] = field(default_factory=dict)
    """Added to the parent's own environment."""
    sockets: tuple[str, ...] = ()
    """Names of the listening sockets that it inherits."""
    after: tuple[str, ...] = ()
    """Parts that must be ready before this one is started; they are stopped after it."""
    ready: Probe | None = None
    """Returns once a foreign program answers; None for a part of ours, which reports itself."""
    relay: bool = False
    """Pass its output on line by line and remember the end of it, where other parts inherit ours."""
    stop_signal: signal.Signals = signal.SIGTERM
    stop_seconds: float = 4.0
    """How long it may take to stop before it is killed."""


class Phase(StrEnum):
    """Where a part stands; these words are shown to people and written to parts.json."""

    WAITING = "waiting"
    STARTING = "starting"
    READY = "ready"
    RESTING = "resting"
    STOPPING = "stopping"
    KILLED = "killed"
    STOPPED = "stopped"


@dataclass(frozen=True)
class PartState:
    """How a part stands, as other processes may read it in parts.json."""

    name: str
    state: str
    pid: int | None
    since: float
    """Seconds since 1970 of the last change of state."""
    restarts: int


class PartFailedError(HoldfastError):
    """A part could not be started at all, so the whole system was not."""

    def __init__(self, sentence: str, exit_code: int) -> None:
        super().__init__(sentence)
        meaningful = exit_code > 0 and exit_code in {code.value for code in Exit}
        self.exit = Exit(exit_code) if meaningful else Exit.FAILED
