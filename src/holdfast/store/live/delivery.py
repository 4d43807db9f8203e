"""Brings one batch to the servers of a cluster: each command where its slot is, and after it if it moves."""

from collections import defaultdict
from collections.abc import Sequence

from holdfast.store.live.address import Endpoint
from holdfast.store.live.conversation import pack
from holdfast.store.live.errors import LiveAnswerLost, LiveReplyError, LiveStoreAway, away
from holdfast.store.live.interface import Reply
from holdfast.store.live.link import FAULTS, Line
from holdfast.store.live.slots import redirect
from holdfast.store.live.topology import Topology
from holdfast.store.live.waiting import together

ASKING = pack(("ASKING",))
# Refusals that pass when the cluster has sorted itself out. Nothing was done, so asking again is safe.
UNSETTLED = frozenset({"CLUSTERDOWN", "LOADING", "MASTERDOWN", "READONLY", "TRYAGAIN"})

REDIRECTS = frozenset({"MOVED", "ASK"})


def is_astray(answer: Reply) -> bool:
    """Whether the command must go elsewhere, or there again later."""
    return isinstance(answer, LiveReplyError) and answer.code in REDIRECTS | UNSETTLED


class Delivery:
    """`left` are the places in the batch that still lack their answer."""

    def __init__(
        self,
        topology: Topology,
        line: Line,
        packed: Sequence[bytes],
        slots: Sequence[int | None],
        give_up: float,
    ) -> None:
        self._topology = topology
        self._line = line
        self._packed = packed
        self._slots = slots
        self._give_up = give_up
        self._repeat = False
        self._answers: list[Reply] = [None] * len(packed)
        self._left = list(range(len(packed)))
        self._away: LiveStoreAway | None = None

    async def run(self, *, repeat: bool) -> list[Reply]:
        """Every answer, or the refusal that did not pass in time; LiveStoreAway if one got nowhere."""
        self._repeat = repeat
        while await self._round():
            try:
                await self._topology.refreshed(self._give_up)
            except LiveStoreAway as away:
                if any(self._answers[at] is None for at in self._left):
                    raise self._away or away from None
                break
        return self._answers

    async def _round(self) -> list[int]:
        """Ask every server once; what is left over is returned."""
        groups: dict[Endpoint, list[int]] = defaultdict(list)
        places, self._left, self._away = self._left, [], None
        for at in places:
            owner = self._topology.owner(self._slots[at])
            (self._left if owner is None else groups[owner]).append(at)
        if len(groups) == 1:
            await self._ask(*groups.popitem())
        else:
            await together(self._ask(endpoint, places) for endpoint, places in groups.items())
        return self._left

    async def _ask(self, endpoint: Endpoint, places: list[int]) -> None:
        link = self._topology.links.get(endpoint)
        if link is None:
            self._left += places
            return
        packed = b"".join([self._packed[at] for at in places])
        try:
            answers = await link.ask(packed, len(places), repeat=self._repeat, give_up=self._give_up)
        except LiveAnswerLost:
            raise
        except LiveStoreAway as away:
            self._away = away
            self._left += places
            return
        for at, answer in zip(places, answers, strict=True):
            self._answers[at] = answer
            if isinstance(answer, LiveReplyError):
                await self._follow(at, answer, endpoint)

    async def _follow(self, at: int, refusal: LiveReplyError, endpoint: Endpoint) -> None:
        moved = redirect(refusal.answer, endpoint)
        if moved is None:
            if refusal.code in UNSETTLED:
                self._left.append(at)
        elif moved.asking:
            self._answers[at] = await self._ask_once(moved.endpoint, at)
        else:
            self._topology.learn(moved)
            self._left.append(at)

    async def _ask_once(self, endpoint: Endpoint, at: int) -> Reply:
        """The slot is on its way to that server, which does this one command because we say ASKING."""
        packed = ASKING + self._packed[at]
        try:
            return (await self._line.ask_once(endpoint, self._topology.greet, packed, 2))[1]
        except LiveAnswerLost:
            raise
        except FAULTS as fault:
            raise LiveStoreAway(away(str(endpoint), str(fault))) from fault
