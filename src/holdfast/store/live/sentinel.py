"""Asks the sentinels who the primary is, and hears from them when it changes."""

from collections.abc import Callable

from holdfast.store.live.address import Endpoint, LiveAddress
from holdfast.store.live.conversation import Conversation, pack
from holdfast.store.live.errors import LiveStoreAway
from holdfast.store.live.greeting import introduce
from holdfast.store.live.interface import Gap, Hearing, Message
from holdfast.store.live.link import FAULTS, Line, always
from holdfast.store.live.subscription import Inbox, Subscription
from holdfast.store.live.waiting import Background

SWITCHED = "+switch-master"


class Sentinels:
    """The sentinels of one service; whichever answers is asked first the next time."""

    def __init__(self, address: LiveAddress, line: Line) -> None:
        self._address = address
        self._line = line
        self._endpoints = list(address.endpoints)
        self.named: Endpoint | None = None

    async def primary(self) -> Endpoint:
        """Raises LiveStoreAway when no sentinel answers or none knows the service."""
        reasons = []
        for endpoint in tuple(self._endpoints):
            try:
                found = await self._ask(endpoint)
            except FAULTS as fault:
                reasons.append(f"{endpoint}: {fault}")
                continue
            if found is not None:
                self._endpoints.remove(endpoint)
                self._endpoints.insert(0, endpoint)
                self.named = found
                return found
            reasons.append(f"{endpoint}: knows no service {self._address.service!r}")
        raise LiveStoreAway(f"no sentinel names a primary: {'; '.join(reasons)}")

    async def follow(self, moved: Callable[[str], None]) -> None:
        """Listen at every sentinel: a primary that still answers may be the old one, cut off."""
        inbox = Inbox(limit=100)
        hearing = Hearing(channels=(SWITCHED,))
        async with Background() as background:
            for endpoint in self._address.endpoints:
                subscription = Subscription(self._line, always(endpoint), self._greet, hearing, inbox)
                background.start(subscription.run())
            async for heard in inbox:
                if isinstance(heard, Gap) or self._concerns_us(heard):
                    await self._compare(moved)

    async def _compare(self, moved: Callable[[str], None]) -> None:
        named = self.named
        try:
            if await self.primary() != named:
                moved(f"the sentinels name {self.named} as primary now")
        except LiveStoreAway:
            return  # the next sentinel that comes back is a Gap, and asks again

    def _concerns_us(self, message: Message) -> bool:
        return message.data.decode("utf-8", "replace").partition(" ")[0] == self._address.service

    async def _ask(self, endpoint: Endpoint) -> Endpoint | None:
        question = pack(("SENTINEL", "GET-MASTER-ADDR-BY-NAME", self._address.service))
        [reply] = await self._line.ask_once(endpoint, self._greet, question, 1)
        match reply:
            case [bytes(host), bytes(port)]:
                return Endpoint(host.decode(), int(port))
        return None

    async def _greet(self, conversation: Conversation) -> None:
        await introduce(conversation, self._address.sentinel_login, 0, "holdfast")
