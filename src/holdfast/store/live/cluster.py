"""A live store spread over the primaries of a cluster: each command goes where its key's slot is."""

from collections.abc import AsyncIterator, Sequence

import hiredis

from holdfast.errors import InvalidError
from holdfast.store.live.address import Endpoint, LiveAddress
from holdfast.store.live.base import BaseStore, load_command
from holdfast.store.live.conversation import pack
from holdfast.store.live.delivery import Delivery, is_astray
from holdfast.store.live.errors import LiveAnswerLost, LiveReplyError, LiveStoreAway
from holdfast.store.live.functions import Library
from holdfast.store.live.health import LiveHealth
from holdfast.store.live.interface import Arg, Command, Hearing, Reply
from holdfast.store.live.keys import Layout
from holdfast.store.live.link import Line, Link
from holdfast.store.live.listeners import Listeners, split
from holdfast.store.live.server import health_of, keys_of
from holdfast.store.live.slots import first_key, slot
from holdfast.store.live.subscription import Inbox, Subscription, ready
from holdfast.store.live.topology import Topology
from holdfast.store.live.waiting import Background, together


class ClusterStore(BaseStore):
    """See `LiveStore` for what it promises."""

    def __init__(self, address: LiveAddress, layout: Layout, line: Line, client_name: str) -> None:
        super().__init__(address, layout, line, client_name)
        self._name = str(address)
        self._topology = Topology(self._name, address.endpoints, line, self._greet, self._greet_listener)

    async def call(self, *command: Arg, repeat: bool = False) -> Reply:
        key = first_key(command)
        packed = pack(command)
        if key is None:
            reply = (await self._deliver([packed], [None], repeat=repeat))[0]
        else:
            reply = (await self.send(packed, 1, key=key, repeat=repeat))[0]
        if isinstance(reply, LiveReplyError):
            raise reply
        return reply

    async def batch(self, commands: Sequence[Command], *, repeat: bool = False) -> list[Reply]:
        keys = [first_key(command) for command in commands]
        slots = [None if key is None else slot(key) for key in keys]
        return await self._deliver([pack(tuple(command)) for command in commands], slots, repeat=repeat)

    async def send(
        self, packed: bytes, replies: int, *, key: str | bytes | None = None, repeat: bool = False
    ) -> list[Reply]:
        """Straight to the key's server; command by command only when something has moved."""
        if key is None:
            raise InvalidError("On a cluster send() needs the key whose slot the commands belong to.")
        if not replies:
            return []
        place, give_up = slot(key), self._line.give_up()
        link = self._topology.link(place)
        answers: list[Reply] = [None] * replies
        astray = list(range(replies))
        if link is not None and link.connected:
            try:
                answers = await link.ask(packed, replies, repeat=repeat, give_up=give_up)
            except LiveAnswerLost:
                raise
            except LiveStoreAway:
                pass  # nothing was sent: the slot may have another server by now
            else:
                astray = [at for at, answer in enumerate(answers) if is_astray(answer)]
        if astray:
            commands = _unpacked(packed)
            left = [commands[at] for at in astray]
            again = await self._deliver(left, [place] * len(left), repeat=repeat, give_up=give_up)
            for at, answer in zip(astray, again, strict=True):
                answers[at] = answer
        return answers

    async def scan(self, pattern: str = "*", *, page: int = 1000) -> AsyncIterator[str]:
        links = await self._primaries()
        version = self._topology.version
        for link in links:
            async for key in keys_of(link, pattern, page):
                yield key
        if version != self._topology.version:
            raise LiveStoreAway("The cluster's slots moved during a scan, which is incomplete; scan again.")

    async def info(self) -> LiveHealth:
        links = await self._primaries()
        return LiveHealth(tuple(await together(health_of(link) for link in links)))

    def _start(self) -> None:
        self._topology.start(self._background)

    async def _deliver(
        self,
        packed: Sequence[bytes],
        slots: Sequence[int | None],
        *,
        repeat: bool,
        give_up: float | None = None,
    ) -> list[Reply]:
        delivery = Delivery(self._topology, self._line, packed, slots, give_up or self._line.give_up())
        return await delivery.run(repeat=repeat)

    async def _primaries(self) -> list[Link]:
        if not self._topology.links:
            await self._topology.refreshed(self._line.give_up())
        return list(self._topology.links.values())

    async def _load_everywhere(self, library: Library) -> list[Reply]:
        links = await self._primaries()
        packed = load_command(library)
        answers = await together(link.ask(packed, 1, repeat=True) for link in links)
        return [answer for (answer,) in answers]

    async def _listen(self, hearing: Hearing, inbox: Inbox, background: Background) -> None:
        """Messages go round the cluster, so any server tells them; of its keys each tells only itself."""
        own_keys, rest = split(hearing)
        await self._primaries()
        awaited = []
        if rest.channels or rest.patterns:
            awaited.append(Subscription(self._line, self._anyone, self._greet_listener, rest, inbox))
            background.start(awaited[0].run())
        if own_keys.channels or own_keys.patterns:
            listeners = Listeners(self._topology, self._line, self._greet_listener, own_keys, inbox)
            awaited += listeners.start(background)
            background.start(listeners.follow(background))
        for subscription in awaited:
            await ready(self._line, self._name, subscription)

    async def _anyone(self) -> Endpoint:
        endpoint = self._topology.owner(None) or next(iter(self._topology.links), None)
        if endpoint is None:
            raise LiveStoreAway("no primary of the cluster is known")
        return endpoint


def _unpacked(packed: bytes) -> list[bytes]:
    """Commands in wire form, one by one: they look like the replies that the reader reads."""
    reader = hiredis.Reader()
    reader.feed(packed)
    commands: list[bytes] = []
    while (command := reader.gets()) is not False:
        commands.append(pack(tuple(command)))
    return commands
