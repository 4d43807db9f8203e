"""The catalogue's own process: the live store follows the records here whatever becomes of the doors."""

import asyncio

from holdfast.catalogue.service.deliver import Courier, run_courier
from holdfast.catalogue.service.follow import Follower, keep_following
from holdfast.catalogue.service.sinks import sinks
from holdfast.clock import SystemClock
from holdfast.heartbeat import beat, instance_here
from holdfast.observe.metrics import Metrics
from holdfast.part import Main, PartContext
from holdfast.settings import Settings
from holdfast.stores import open_stores


def make(settings: Settings) -> Main:
    async def main(context: PartContext) -> None:
        clock = SystemClock()
        async with open_stores(settings, clock, context.name) as stores, asyncio.TaskGroup() as tasks:
            courier = Courier(stores.records, clock, sinks(settings.notices), settings.notices.attempts)
            carrying = tasks.create_task(
                run_courier(courier, stores.records, clock, settings.catalogue.notices_keep)
            )
            beating = tasks.create_task(
                beat(stores.live, Metrics(), context.name, instance_here(), clock), name="heartbeat"
            )
            context.ready()
            follower = Follower(stores.records, stores.live)
            await keep_following(follower, stores.live, settings.catalogue.sweep, context.stopping)
            carrying.cancel()
            beating.cancel()

    return main
