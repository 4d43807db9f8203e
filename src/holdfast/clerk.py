"""The clerk: the process that runs every part's loops which need the records; doors and trackers stay light.

Several may run at once, and each may be killed anywhere: every duty is made for that.
"""

import asyncio

from holdfast.catalogue.service import duties as catalogue
from holdfast.clock import SystemClock
from holdfast.heartbeat import beat, instance_here
from holdfast.items.service import duties as items
from holdfast.observe.metrics import Metrics
from holdfast.office import Duty, Office
from holdfast.part import Main, PartContext
from holdfast.settings import Settings
from holdfast.stores import open_stores
from holdfast.tracker.service import duties as tracker

DUTIES: tuple[Duty, ...] = (*catalogue.DUTIES, *tracker.DUTIES, *items.DUTIES)


def make(settings: Settings) -> Main:
    async def main(context: PartContext) -> None:
        clock, metrics = SystemClock(), Metrics()
        async with open_stores(settings, clock, context.name) as stores, asyncio.TaskGroup() as tasks:
            office = Office(settings, clock, stores.records, stores.live, metrics)
            running = [tasks.create_task(duty(office), name=duty.__name__) for duty in DUTIES]
            beating = beat(stores.live, metrics, context.name, instance_here(), clock)
            running.append(tasks.create_task(beating, name="heartbeat"))
            context.ready()
            await context.stopping.wait()
            for task in running:
                task.cancel()

    return main
