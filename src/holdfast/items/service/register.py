"""The projects as this process knows them: read once, and again when one is said to have changed."""

from collections.abc import Iterable, Sequence

import structlog

from holdfast.catalogue.keys import EVENTS
from holdfast.clock import Clock
from holdfast.errors import UnavailableError
from holdfast.items import rules
from holdfast.items.model import Headquarters, Project, Target
from holdfast.items.service.blocklist import Blocklist
from holdfast.items.store import blocks, headquarters, projects, targets
from holdfast.store.live import Gap, LiveStore
from holdfast.store.records import Records

log = structlog.get_logger()
ASK_AGAIN = 1.0
TOPIC = b'"topic":"projects"'


class Register:
    """There are few projects and many requests: all of them are remembered."""

    def __init__(self, records: Records) -> None:
        self._records = records
        self._by_slug: dict[str, Project] = {}
        self._by_host: dict[str, Project] = {}
        self._default: Project | None = None
        self._by_backfeed: dict[str, Project] = {}
        self._targets: dict[int, list[Target]] = {}
        self.headquarters = Headquarters()
        self.blocks = Blocklist()

    def find(self, slug: str | None, host: str) -> Project | None:
        """The project that an address means, by its slug, else by its host, else the default one."""
        if slug is not None:
            return self._by_slug.get(slug)
        return self._by_host.get(host.partition(":")[0].lower(), self._default)

    def at_host(self, host: str) -> Project | None:
        """The project to which a host belongs alone."""
        return self._by_host.get(host.partition(":")[0].lower())

    def fed_by(self, key: str) -> Project | None:
        """The project that a key for discovered items names."""
        return self._by_backfeed.get(rules.key_hash(key))

    def every(self) -> Iterable[Project]:
        return self._by_slug.values()

    def targets(self, project: Project) -> Sequence[Target]:
        return self._targets.get(project.id, ())

    async def read(self) -> None:
        every, found, self.headquarters, blocked = await self._records.read(
            lambda tx: (projects.every(tx), targets.every(tx), headquarters.get(tx), blocks.every(tx))
        )
        self.blocks = Blocklist(blocked)
        self._targets = {project.id: [] for project in every}
        for target in found:
            self._targets[target.project_id].append(target)
        self._by_slug = {project.slug: project for project in every}
        self._by_host = {project.host: project for project in every if project.host}
        self._by_backfeed = {one.backfeed_hash: one for one in every if one.backfeed_hash}
        self._default = next((project for project in every if project.is_default), None)


async def keep_current(register: Register, live: LiveStore, clock: Clock) -> None:
    """Until cancelled."""
    while True:
        try:
            async with live.subscribe([EVENTS.name(live.layout)]) as heard:
                await register.read()
                async for message in heard:
                    if isinstance(message, Gap) or TOPIC in message.data:
                        await register.read()
        except UnavailableError as error:
            log.warning("projects not read", reason=str(error))
            await clock.sleep(ASK_AGAIN)
