"""The web door as a part: it opens the stores, serves on the socket it was given, and ends cleanly."""

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from holdfast.catalogue.service.catalogue import Catalogue
from holdfast.catalogue.service.follow import Follower, rebuilt
from holdfast.catalogue.service.sinks import sinks
from holdfast.clock import Clock, SystemClock
from holdfast.heartbeat import beat, instance_here
from holdfast.items.service.herald import Herald
from holdfast.items.service.register import Register, keep_current
from holdfast.launch import RUN_TOKEN_HASH
from holdfast.observe.metrics import Metrics
from holdfast.part import Main, PartContext
from holdfast.settings import Settings
from holdfast.stores import Stores, open_stores
from holdfast.web.access.throttle import Throttle
from holdfast.web.app import create_door
from holdfast.web.door import Addresses, Web
from holdfast.web.feed import Feed
from holdfast.web.health import PART
from holdfast.web.serve import serve


def make(settings: Settings) -> Main:
    async def main(context: PartContext) -> None:
        clock = SystemClock()
        token_hash = os.environ.get(RUN_TOKEN_HASH) or None
        async with open_stores(settings, clock, context.name) as stores:
            web = open_web(settings, stores, clock, addresses(settings, context), token_hash)
            async with attended(web):
                serving = asyncio.create_task(
                    serve(create_door(web), context.sockets[PART], context.stopping)
                )
                context.ready()
                await serving

    return main


def open_web(
    settings: Settings, stores: Stores, clock: Clock, places: Addresses, token_hash: str | None
) -> Web:
    metrics = Metrics()
    return Web(
        settings=settings,
        records=stores.records,
        live=stores.live,
        clock=clock,
        metrics=metrics,
        catalogue=Catalogue(
            stores.records,
            Follower(stores.records, stores.live, settings.tracker.tell_removed),
            clock,
            places.tracker,
            settings.catalogue.torrent_limit,
            settings.catalogue.upload_award,
            tuple(sinks(settings.notices)),
            places.tracker_udp,
            settings.tracker.announce_keys,
        ),
        projects=Register(stores.records),
        herald=Herald(stores.live, clock),
        feed=Feed(stores.live, clock, metrics, queue=settings.web.feed_queue),
        throttle=Throttle(
            stores.live, clock, attempts=settings.web.sign_in_attempts, window=settings.web.sign_in_window
        ),
        addresses=places,
        started=clock.now(),
        operator_token_hash=token_hash,
    )


@asynccontextmanager
async def attended(web: Web) -> AsyncIterator[None]:
    """The door's own tasks, for as long as it is open."""
    async with asyncio.TaskGroup() as tasks:
        own = [
            tasks.create_task(web.feed.run(), name="feed"),
            tasks.create_task(keep_current(web.projects, web.live, web.clock), name="projects"),
            tasks.create_task(web.herald.run(), name="herald"),
            tasks.create_task(rebuilt(web.catalogue.follower), name="rebuild"),
            tasks.create_task(
                beat(web.live, web.metrics, PART, instance_here(), web.clock), name="heartbeat"
            ),
        ]
        try:
            yield
        finally:
            for task in own:
                task.cancel()


def addresses(settings: Settings, context: PartContext) -> Addresses:
    """As the settings give them; a door that runs alone makes its own from where it listens."""
    here = (
        settings.web.public_url or f"http://{_reachable(settings.web.listen.host)}:{context.place(PART).port}"
    )
    tracker = settings.tracker.listen
    announce = settings.tracker.public_url or f"http://{_reachable(tracker.host)}:{tracker.port}"
    return Addresses(here, announce, settings.tracker.public_udp_url)


def _reachable(host: str) -> str:
    """Who listens everywhere is reached on this machine by its name for itself."""
    if host in ("", "0.0.0.0", "::"):  # noqa: S104 - compared with, never listened on
        return "localhost"
    return f"[{host}]" if ":" in host else host
