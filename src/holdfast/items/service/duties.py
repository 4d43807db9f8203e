"""What the clerk does for spread: leases end, and what is done leaves the live store."""

import structlog

from holdfast.errors import UnavailableError
from holdfast.items.service.drain import Drain
from holdfast.items.service.lease import expire
from holdfast.items.service.mirroring import mirror_blocks
from holdfast.items.store import projects
from holdfast.items.store.archive import archive_in
from holdfast.office import Duty, Office
from holdfast.store.live import LiveReplyError

log = structlog.get_logger()
PAUSE = 2.0


async def tend(office: Office) -> None:
    """Until cancelled, one project after the other."""
    drain = Drain(office.records, office.live, archive_in(office.settings.data))
    while True:
        try:
            every = await office.records.read(projects.every)
            await mirror_blocks(office.records, office.live, every, office.clock.now())
            for project in every:
                await expire(office.live, office.clock, project)
                await drain.drain(project)
        except (UnavailableError, LiveReplyError, OSError) as error:
            log.warning("projects not tended", reason=str(error))
        await office.clock.sleep(PAUSE)


DUTIES: tuple[Duty, ...] = (tend,)
