"""What the clerk does for the tracker: the records follow the swarms."""

from holdfast.catalogue.service.sinks import sinks
from holdfast.office import Duty, Office
from holdfast.tracker.limits import limits_of
from holdfast.tracker.service.collect import Collector, keep_collecting
from holdfast.tracker.store.books import House


async def collect(office: Office) -> None:
    house = House(limits_of(office.settings.tracker), tuple(sinks(office.settings.notices)))
    collector = Collector(office.records, office.live, office.clock, house)
    await keep_collecting(collector, office.clock, office.settings.tracker.collect)


DUTIES: tuple[Duty, ...] = (collect,)
