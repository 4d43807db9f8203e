"""The small addresses beside those of a project, each sent to whoever knows the answer."""

from typing import Final

import msgspec

from holdfast.clock import Clock
from holdfast.items.machine.answers import JSON, NOTHING, Answer, Receive, Visitor, read_body
from holdfast.items.machine.finds import Discoveries
from holdfast.items.machine.headquarters import Headquarters
from holdfast.items.model import Project, State
from holdfast.items.rules import TAKEN
from holdfast.items.service.register import Register
from holdfast.store.live import LiveStore
from holdfast.store.records import Records
from holdfast.wire.errands import Errand, Wish, read_project

FRESH: Final = (b"cache-control", b"no-store")


class Errands:
    def __init__(
        self, register: Register, records: Records, live: LiveStore, clock: Clock, here: str
    ) -> None:
        self._register = register
        self._clock = clock
        self._discoveries = Discoveries(register, records, live, clock)
        self._headquarters = Headquarters(register, live, clock, here)

    def is_ours(self, wish: Wish, host: str) -> bool:
        """Pages stand at short addresses too, and come first."""
        return wish.errand is not Errand.HOME or self._home(wish, host) is not None

    async def run(self, wish: Wish, host: str, query: bytes, visitor: Visitor, receive: Receive) -> Answer:
        match wish.errand:
            case Errand.NOW:
                return Answer(200, f"{self._clock.now():.6f}".encode(), headers=(FRESH,))
            case Errand.HOME:
                return _sent_on(self._home(wish, host))
            case Errand.DICTIONARY:
                return self._dictionary(read_project(query))
            case Errand.PROJECTS:
                return self._headquarters.projects(query)
            case _:
                return await self._take(wish, query, visitor, await read_body(receive))

    async def _take(self, wish: Wish, query: bytes, visitor: Visitor, body: bytes) -> Answer:
        match wish.errand:
            case Errand.BACKFEED:
                return await self._discoveries.feed(wish.word, query, body)
            case Errand.REGISTER:
                return await self._headquarters.register(body)
            case Errand.UPDATE:
                return await self._headquarters.update(visitor, body)
        project = self._register.find(wish.slug, "")
        return NOTHING if project is None else await self._discoveries.rescue(project, visitor, body)

    def _home(self, wish: Wish, host: str) -> Project | None:
        if wish.slug in TAKEN:
            return None
        found = self._register.find(wish.slug, host) if wish.slug else self._register.at_host(host)
        return found if found is not None and found.state is not State.DRAFT else None

    def _dictionary(self, slug: str) -> Answer:
        project = self._register.find(slug, "") if slug else None
        if project is None or not project.dictionary:
            return NOTHING
        return Answer(200, msgspec.json.encode(project.dictionary), JSON)


def _sent_on(project: Project | None) -> Answer:
    if project is None:
        return NOTHING
    place = f"/projects/{project.slug}".encode()
    return Answer(302, headers=((b"location", place), (b"cache-control", b"no-cache")))
