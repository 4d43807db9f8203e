"""What a live store does whatever it runs on: own its tasks, bring the Lua, open and close."""

from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import asynccontextmanager
from types import TracebackType
from typing import Self

from holdfast.store.live.address import LiveAddress
from holdfast.store.live.conversation import Conversation, pack
from holdfast.store.live.errors import LiveReplyError
from holdfast.store.live.functions import Function, Library
from holdfast.store.live.greeting import bring, introduce
from holdfast.store.live.interface import Arg, Command, Gap, Hearing, Message, Reply, Traffic
from holdfast.store.live.keys import Layout
from holdfast.store.live.link import Line
from holdfast.store.live.subscription import Inbox
from holdfast.store.live.waiting import Background


class BaseStore(ABC):
    """The common part of `SingleStore` and `ClusterStore`."""

    def __init__(self, address: LiveAddress, layout: Layout, line: Line, client_name: str) -> None:
        self._address = address
        self._layout = layout
        self._line = line
        self._client_name = client_name
        self._libraries: dict[str, Library] = {}
        self._background = Background()
        self._inboxes: set[Inbox] = set()

    @property
    def layout(self) -> Layout:
        return self._layout

    @property
    def traffic(self) -> Traffic:
        return self._line.traffic

    @abstractmethod
    async def batch(self, commands: Sequence[Command], *, repeat: bool = False) -> list[Reply]: ...

    @abstractmethod
    async def call(self, *command: Arg, repeat: bool = False) -> Reply: ...

    @abstractmethod
    async def _load_everywhere(self, library: Library) -> list[Reply]: ...

    @abstractmethod
    async def _listen(self, hearing: Hearing, inbox: Inbox, background: Background) -> None:
        """Start what listens, and return when it does; raises LiveStoreAway when nobody is there."""

    @abstractmethod
    def _start(self) -> None: ...

    async def function(
        self, function: Function, keys: Sequence[str], args: Sequence[Arg] = (), *, repeat: bool = False
    ) -> Reply:
        if function.library.full_name not in self._libraries:
            await self.load(function.library)
        command = ("FCALL", function.full_name, len(keys), *keys, *args)
        try:
            return await self.call(*command, repeat=repeat)
        except LiveReplyError as error:
            if "Function not found" not in error.answer:
                raise
        await self.load(function.library)
        return await self.call(*command, repeat=repeat)

    async def load(self, library: Library) -> None:
        for reply in await self._load_everywhere(library):
            if isinstance(reply, LiveReplyError) and "already exists" not in reply.answer:
                raise reply
        self._libraries[library.full_name] = library

    @asynccontextmanager
    async def subscribe(
        self, channels: Sequence[str] = (), patterns: Sequence[str] = (), *, limit: int = 10_000
    ) -> AsyncGenerator[AsyncIterator[Message | Gap]]:
        inbox = Inbox(limit)
        self._inboxes.add(inbox)
        try:
            async with Background() as background:
                await self._listen(Hearing(tuple(channels), tuple(patterns)), inbox, background)
                yield inbox
        finally:
            self._inboxes.discard(inbox)

    async def _greet(self, conversation: Conversation) -> None:
        """A library refused here (the store is full, say) is refused again, aloud, when it is called."""
        await introduce(conversation, self._address.login, self._address.db, self._client_name)
        await bring(conversation, self._libraries.values())

    async def _greet_listener(self, conversation: Conversation) -> None:
        await introduce(conversation, self._address.login, 0, f"{self._client_name}-listens")

    async def close(self) -> None:
        for inbox in self._inboxes:
            inbox.close()
        await self._background.stop()

    async def __aenter__(self) -> Self:
        await self._background.__aenter__()
        self._start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._background.__aexit__(kind, error, trace)


def load_command(library: Library) -> bytes:
    return pack(("FUNCTION", "LOAD", library.code))
