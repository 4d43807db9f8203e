"""Taking claims back: found by walking them piece by piece, released in short steps."""

import re
from dataclasses import dataclass

from holdfast.items.model import Project
from holdfast.items.store.claims import Claims, Open
from holdfast.items.store.live import Bench
from holdfast.store.live import LiveStore

AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class Choice:
    """Which claims are meant: those that everything given is true of."""

    before: float | None = None
    name: str | None = None
    pattern: re.Pattern[str] | None = None
    items: frozenset[str] = frozenset()

    def takes(self, claim: Open) -> bool:
        return (
            (self.before is None or claim.since <= self.before)
            and (self.name is None or claim.holder.name == self.name)
            and (self.pattern is None or self.pattern.fullmatch(claim.item) is not None)
            and (not self.items or claim.item in self.items)
        )


class Releasing:
    def __init__(self, live: LiveStore, project: Project) -> None:
        self._claims = Claims(live, project.prefix)
        self._bench = Bench(live, project.prefix)

    async def matching(self, choice: Choice) -> list[str]:
        """The items of the claims that are meant."""
        found: dict[str, None] = {}
        cursor: str | None = None
        while True:
            claims, cursor = await self._claims.page(cursor, AT_ONCE)
            found |= {claim.item: None for claim in claims if choice.takes(claim)}
            if cursor is None:
                return list(found)

    async def release(self, choice: Choice, now: float) -> list[str]:
        """Answers with what was released; a claim that ended meanwhile is left out."""
        wanted, released = await self.matching(choice), []
        for start in range(0, len(wanted), AT_ONCE):
            released += await self._bench.release(wanted[start : start + AT_ONCE], None, now)
        return released
