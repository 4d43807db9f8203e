"""What the clerk does for the catalogue: the live store follows the records, and notices leave the house."""

from holdfast.catalogue.service.deliver import Courier, keep_delivering, keep_forgetting
from holdfast.catalogue.service.follow import Follower, keep_following
from holdfast.catalogue.service.sinks import sinks
from holdfast.office import Duty, Office


async def follow(office: Office) -> None:
    follower = Follower(office.records, office.live, office.settings.tracker.tell_removed)
    await keep_following(follower, office.live, office.settings.catalogue.sweep)


async def deliver(office: Office) -> None:
    notices = office.settings.notices
    await keep_delivering(
        Courier(office.records, office.clock, sinks(notices), notices.attempts), office.clock
    )


async def forget(office: Office) -> None:
    await keep_forgetting(office.records, office.clock, office.settings.catalogue.notices_keep)


DUTIES: tuple[Duty, ...] = (follow, deliver, forget)
