"""Items that volunteers discover: fed back by their programs, or sent by anybody with a form."""

from typing import Final

import msgspec
import structlog

from holdfast.clock import Clock
from holdfast.items import rules
from holdfast.items.machine.answers import JSON, NOTHING, Answer, Visitor
from holdfast.items.model import Project, State
from holdfast.items.service.filling import Filling
from holdfast.items.service.register import Register
from holdfast.items.store.finds import Finds
from holdfast.store.live import LiveStore
from holdfast.store.records import Records
from holdfast.wire.errands import read_fed, read_form
from holdfast.wire.forwarded import neighbourhood

log = structlog.get_logger()
MOST_FORMS: Final = 10
WINDOW: Final = 60
BLOCKED: Final = Answer(403)
TOO_MANY: Final = Answer(429, b"Too many forms; try again in a minute.\n")


class Discoveries:
    def __init__(self, register: Register, records: Records, live: LiveStore, clock: Clock) -> None:
        self._clock = clock
        self._register = register
        self._records = records
        self._live = live

    async def feed(self, key: str, query: bytes, body: bytes) -> Answer:
        """Clients compare the number with what they sent; what the project has, or refuses, is in it."""
        project = self._register.fed_by(key)
        if project is None or not rules.takes_items(project):
            return NOTHING
        received = read_fed(query, body)
        good, refused = rules.sorted_out(project, received)
        added = await self._filling(project).fill(project.backfeed_queue, good)
        await Finds(self._live, project.prefix).count(len(received), len(added), len(refused))
        if refused:
            log.warning("discovered items refused", project=project.slug, items=refused[:9])
        said = f"{len(received)} items queued for deduplication"
        return Answer(200, msgspec.json.encode({"status_code": 200, "data": said}), JSON)

    async def rescue(self, project: Project, visitor: Visitor, body: bytes) -> Answer:
        if not project.rescue or project.state not in (State.ACTIVE, State.PAUSED):
            return NOTHING
        if self._register.blocks.stops(project, "", visitor.address, self._clock.now()):
            return BLOCKED
        forms = await Finds(self._live, project.prefix).forms(neighbourhood(visitor.address), WINDOW)
        if forms > MOST_FORMS:
            return TOO_MANY
        good, _ = rules.sorted_out(project, rules.rescued(project, read_form(body)))
        added = await self._filling(project).fill("todo", good)
        log.info("items rescued", project=project.slug, address=visitor.address, items=added)
        return Answer(200, f"{len(added)} items added.\n".encode())

    def _filling(self, project: Project) -> Filling:
        return Filling(self._records, self._live, project)
