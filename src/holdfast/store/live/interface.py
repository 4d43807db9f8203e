"""The one narrow interface through which every part speaks to the live store, and what it promises."""

from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from types import TracebackType
from typing import Protocol, Self, TypeAlias

from holdfast.store.live.errors import LiveReplyError
from holdfast.store.live.functions import Function, Library
from holdfast.store.live.health import LiveHealth
from holdfast.store.live.keys import Layout

Arg: TypeAlias = str | int | float | bytes
Command: TypeAlias = Sequence[Arg]
Reply: TypeAlias = "bytes | int | LiveReplyError | list[Reply] | None"


@dataclass(frozen=True, slots=True)
class Message:
    """Something published on a channel; `pattern` is the one it was heard through, if any."""

    channel: str
    data: bytes
    pattern: str | None = None


@dataclass(frozen=True, slots=True)
class Gap:
    """Messages may be missing here: whoever keeps something up to date by them looks at the keys again."""

    reason: str


@dataclass(slots=True)
class Traffic:
    """What went over the wire since the start; `commands / writes` says how well callers are gathered."""

    connects: int = 0
    writes: int = 0
    commands: int = 0


@dataclass(frozen=True, slots=True)
class Patience:
    """How long to bear with a store that is away, in seconds."""

    wait: float = 2.0
    """A call made while the store is away waits this long for it to come back, then fails."""
    silence: float = 5.0
    """A connection that owes an answer and says nothing for this long (at most twice) is given up."""
    pause: float = 0.02
    """The first pause before connecting again; it doubles at each failure and varies by half."""
    longest_pause: float = 1.0


@dataclass(frozen=True, slots=True)
class Hearing:
    """What a subscription listens to."""

    channels: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()


class LiveStore(Protocol):
    """A live store, whatever it runs on. Use it as `async with open_live(...) as store`.

    Every implementation keeps these promises, and `tests/system/live` asks each for them:

    - What all callers ask for within one turn of the event loop leaves in one write per server.
    - Answers go to whoever asked, in order, also when another caller is cancelled meanwhile.
    - A call made while the store is away waits `Patience.wait` for it, then raises `LiveStoreAway`.
    - A command that was sent and whose answer was lost raises `LiveAnswerLost`. It is sent again only when
      the caller says `repeat=True`, that is: doing it twice leaves the same state as doing it once, and
      the answer of the second time will do (reads; SET, HSET, SADD, DEL whose answers are not counted).
    - One connection serves all: commands that change the connection (SUBSCRIBE, SELECT, MULTI without its
      EXEC in the same batch, MONITOR) or wait in the server (BLPOP, XREAD BLOCK, WAIT) do not belong here.
    """

    @property
    def layout(self) -> Layout: ...

    @property
    def traffic(self) -> Traffic: ...

    async def call(self, *command: Arg, repeat: bool = False) -> Reply:
        """Do one command; an error reply is raised as `LiveReplyError`."""
        ...

    async def batch(self, commands: Sequence[Command], *, repeat: bool = False) -> list[Reply]:
        """Do all in one round trip per server; replies in order, errors among them as values.

        Not a transaction: others may come between. For one atomic step use a function.
        """
        ...

    async def send(
        self, packed: bytes, replies: int, *, key: str | bytes | None = None, repeat: bool = False
    ) -> list[Reply]:
        """Send commands already in wire form, for hot paths; errors are values in the list.

        On a cluster all of them belong to the slot of `key`, which must be given.
        """
        ...

    async def function(
        self, function: Function, keys: Sequence[str], args: Sequence[Arg] = (), *, repeat: bool = False
    ) -> Reply:
        """Run one atomic step inside the store; its library is loaded where it is missing."""
        ...

    async def load(self, library: Library) -> None:
        """Load a library now and at every new connection, for callers who send FCALL themselves."""
        ...

    def subscribe(
        self, channels: Sequence[str] = (), patterns: Sequence[str] = (), *, limit: int = 10_000
    ) -> AbstractAsyncContextManager[AsyncIterator[Message | Gap]]:
        """Listen, from the moment the context is entered; reconnects by itself and then yields a `Gap`.

        A reader who falls more than `limit` messages behind loses the oldest and gets a `Gap` instead.
        """
        ...

    def scan(self, pattern: str = "*", *, page: int = 1000) -> AsyncIterator[str]:
        """Every key that matches and exists throughout, possibly more than once, over all primaries.

        A key that is no UTF-8 has its odd bytes as surrogates. Raises `LiveStoreAway` when a server is lost
        on the way, for then the rest of the walk would not be complete.
        """
        ...

    async def info(self) -> LiveHealth: ...

    async def close(self) -> None: ...

    async def __aenter__(self) -> Self: ...

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...
