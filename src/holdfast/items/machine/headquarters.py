"""Headquarters: a warrior gets a number, says every ten minutes that it runs, and hears of projects."""

from datetime import UTC, datetime
from typing import Any, Final

import msgspec

from holdfast.clock import Clock
from holdfast.items import rules
from holdfast.items.machine.answers import JSON, Answer, Visitor
from holdfast.items.model import Project
from holdfast.items.service.register import Register
from holdfast.items.store.warriors import Warriors
from holdfast.store.live import LiveStore
from holdfast.wire.errands import read_callback, read_warrior

SCRIPT: Final = b"text/javascript; charset=utf-8"
# Boards of others read it, from pages and from scripts in them.
ANYWHERE: Final = (
    (b"access-control-allow-origin", b"*"),
    (b"cross-origin-resource-policy", b"cross-origin"),
    (b"cache-control", b"public, max-age=60"),
)
TIME: Final = "%Y-%m-%dT%H:%M:%SZ"
AS_WRITTEN: Final = ("repository", "logo", "marker_html", "lat_lng", "host")


class Headquarters:
    def __init__(self, register: Register, live: LiveStore, clock: Clock, here: str) -> None:
        self._register = register
        self._warriors = Warriors(live)
        self._clock = clock
        self._here = here
        """Where people reach the pages."""

    async def register(self, body: bytes) -> Answer:
        read_warrior(body)
        return Answer(200, msgspec.json.encode({"warrior_id": str(await self._warriors.number())}), JSON)

    async def update(self, visitor: Visitor, body: bytes) -> Answer:
        warrior = read_warrior(body)
        if warrior.number:
            await self._warriors.seen(warrior, visitor.address, visitor.agent, self._clock.now())
        return Answer(200, msgspec.json.encode(self._told()), JSON)

    def projects(self, query: bytes) -> Answer:
        callback, said = read_callback(query), msgspec.json.encode(self._told())
        if callback:
            return Answer(200, b"/**/%b(%b);" % (callback.encode(), said), SCRIPT, ANYWHERE)
        return Answer(200, said, JSON, ANYWHERE)

    def _told(self) -> dict[str, Any]:
        told = self._register.headquarters
        offered = rules.for_warriors(self._register.every())
        said: dict[str, Any] = {
            "warrior": {"seesaw_version": told.seesaw_version},
            "projects": [self._shown(one) for one in offered],
            "auto_projects_config": [
                {"project": one.slug, "weight": one.weight} for one in offered if one.weight > 0
            ],
            "broadcast_message": told.broadcast_message or None,
        }
        automatic = rules.automatic(told, offered)
        return said | ({"auto_project": automatic} if automatic else {})

    def _shown(self, one: Project) -> dict[str, Any]:
        """Warriors ask whether a field is there, not what is in it."""
        optional = {name: value for name in AS_WRITTEN if (value := getattr(one, name))}
        if one.deadline:
            optional["deadline"] = datetime.fromtimestamp(one.deadline, UTC).strftime(TIME)
        return {
            "name": one.slug,
            "title": one.title,
            "description": one.description,
            "leaderboard": one.leaderboard or f"{self._here}/projects/{one.slug}",
        } | optional
