"""Where volunteers bring what they fetched, and what they say of it."""

from random import Random
from typing import Final

import msgspec

from holdfast.clock import Clock
from holdfast.items import rules
from holdfast.items.machine.answers import JSON, NOTHING, Answer, Visitor
from holdfast.items.model import Project
from holdfast.items.service.register import Register
from holdfast.items.store.uploads import Uploads
from holdfast.store.live import LiveStore
from holdfast.wire.volunteers import read_upload, read_uploaded

HEARD: Final = Answer(200, b"OK\n")
NOWHERE: Final = Answer(200, b"{}", JSON)


class Couriers:
    def __init__(self, register: Register, live: LiveStore, clock: Clock, chance: Random) -> None:
        self._register = register
        self._live = live
        self._clock = clock
        self._chance = chance

    async def send(self, project: Project, body: bytes) -> Answer:
        """To one of the targets that are well; without any the client waits and asks again."""
        if not rules.takes_reports(project):
            return NOTHING
        name = read_upload(body)
        targets = rules.well(self._register.targets(project), self._clock.now())
        if not targets:
            return NOWHERE
        target = rules.choose(targets, self._chance.random())
        await Uploads(self._live, project.prefix).given(target.id)
        url = target.url.replace(":downloader", name)
        return Answer(200, msgspec.json.encode({"upload_target": url}), JSON)

    async def hear(self, project: Project, visitor: Visitor, body: bytes) -> Answer:
        if not rules.takes_reports(project):
            return NOTHING
        said = read_uploaded(body)
        server = rules.server_name(said.server, self._register.targets(project))
        report: dict[str, str | float] = {
            "uploader": said.name,
            "item": said.item,
            "server": said.server,
            "ip": visitor.address,
            "at": self._clock.now(),
        }
        await Uploads(self._live, project.prefix).reported(server, report)
        return HEARD
