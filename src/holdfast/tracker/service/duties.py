"""What the clerk does for the tracker: the records follow the swarms, and staff hears of what looks wrong."""

import asyncio

from holdfast.catalogue.service.sinks import sinks
from holdfast.office import Duty, Office
from holdfast.tracker.limits import limits_of
from holdfast.tracker.service.collect import Collector, keep_collecting
from holdfast.tracker.service.patrol import Patrol, keep_patrolling
from holdfast.tracker.service.suspect import Inspector, keep_inspecting
from holdfast.tracker.store.books import House


async def collect(office: Office) -> None:
    """With the patrol, which the collector calls when it finds that the live store was lost."""
    settings, lost = office.settings.tracker, asyncio.Event()
    patrol = Patrol(office.records, office.live, office.clock)
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(keep_patrolling(patrol, office.live, lost, settings.patrol))
        await keep_collecting(_collector(office), office.clock, settings.collect, lost)


async def inspect(office: Office) -> None:
    settings = office.settings.tracker
    window, slack = settings.balance_window, settings.balance_slack
    inspector = Inspector(office.records, office.live, office.clock, _collector(office), window, slack)
    await keep_inspecting(inspector, office.clock)


def _collector(office: Office) -> Collector:
    house = House(limits_of(office.settings.tracker), tuple(sinks(office.settings.notices)))
    return Collector(office.records, office.live, office.clock, house)


DUTIES: tuple[Duty, ...] = (collect, inspect)
