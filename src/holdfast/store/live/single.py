"""A live store on one primary: a server of its own, or whichever the sentinels name."""

from collections.abc import AsyncIterator, Sequence

from holdfast.store.live.address import LiveAddress, Shape
from holdfast.store.live.base import BaseStore, load_command
from holdfast.store.live.conversation import Conversation, pack
from holdfast.store.live.errors import LiveReplyError
from holdfast.store.live.functions import Library
from holdfast.store.live.greeting import require_primary
from holdfast.store.live.health import LiveHealth
from holdfast.store.live.interface import Arg, Command, Hearing, Reply
from holdfast.store.live.keys import Layout
from holdfast.store.live.link import Find, Line, Link, always
from holdfast.store.live.sentinel import Sentinels
from holdfast.store.live.server import health_of, keys_of
from holdfast.store.live.subscription import Inbox, Subscription, ready
from holdfast.store.live.waiting import Background


class SingleStore(BaseStore):
    """See `LiveStore` for what it promises."""

    def __init__(self, address: LiveAddress, layout: Layout, line: Line, client_name: str) -> None:
        super().__init__(address, layout, line, client_name)
        self._name = str(address)
        self._sentinels = Sentinels(address, line) if address.shape is Shape.SENTINEL else None
        self._find: Find = self._sentinels.primary if self._sentinels else always(address.endpoints[0])
        self._link = Link(self._name, line, self._find, self._greet)

    async def call(self, *command: Arg, repeat: bool = False) -> Reply:
        reply = (await self._link.ask(pack(command), 1, repeat=repeat))[0]
        if isinstance(reply, LiveReplyError):
            self._notice(reply)
            raise reply
        return reply

    async def batch(self, commands: Sequence[Command], *, repeat: bool = False) -> list[Reply]:
        packed = b"".join([pack(tuple(command)) for command in commands])
        return await self.send(packed, len(commands), repeat=repeat)

    async def send(
        self, packed: bytes, replies: int, *, key: str | bytes | None = None, repeat: bool = False
    ) -> list[Reply]:
        del key  # one server has every slot
        if not replies:
            return []
        answers = await self._link.ask(packed, replies, repeat=repeat)
        if self._sentinels is not None:
            for answer in answers:
                if isinstance(answer, LiveReplyError):
                    self._notice(answer)
        return answers

    def scan(self, pattern: str = "*", *, page: int = 1000) -> AsyncIterator[str]:
        return keys_of(self._link, pattern, page)

    async def info(self) -> LiveHealth:
        return LiveHealth((await health_of(self._link),))

    def _start(self) -> None:
        self._link.start(self._background)
        if self._sentinels is not None:
            self._background.start(self._sentinels.follow(self._link.drop))

    async def _greet(self, conversation: Conversation) -> None:
        await super()._greet(conversation)
        if self._sentinels is not None:
            await require_primary(conversation)

    async def _load_everywhere(self, library: Library) -> list[Reply]:
        return await self._link.ask(load_command(library), 1, repeat=True)

    async def _listen(self, hearing: Hearing, inbox: Inbox, background: Background) -> None:
        subscription = Subscription(self._line, self._find, self._greet_listener, hearing, inbox)
        background.start(subscription.run())
        await ready(self._line, self._name, subscription)

    def _notice(self, refusal: LiveReplyError) -> None:
        """A primary that was made a replica refuses writes: ask the sentinels who is primary now."""
        if refusal.code == "READONLY" and self._sentinels is not None:
            self._link.drop("it is not the primary any more")
