"""The tracker's process: one worker with its doors, and the loops that keep swarms true."""

import asyncio
import secrets
import socket
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from random import Random
from typing import Any

from holdfast.certificate import Certificate, keep_fresh
from holdfast.clock import SystemClock
from holdfast.heartbeat import beat, instance_here
from holdfast.observe.metrics import Metrics
from holdfast.part import Main, PartContext
from holdfast.settings import Settings
from holdfast.settings.tree import Tracker
from holdfast.tracker.board import Board
from holdfast.tracker.desk import Desk
from holdfast.tracker.figures import Figures
from holdfast.tracker.guessing import Guessing
from holdfast.tracker.http import HttpDoor
from holdfast.tracker.limits import limits_of
from holdfast.tracker.mishaps import Mishaps
from holdfast.tracker.neighbours import keep_looking_in
from holdfast.tracker.reception import Reception
from holdfast.tracker.register import Register
from holdfast.tracker.scrape import Scraper
from holdfast.tracker.service.agree import agree, keep_agreeing
from holdfast.tracker.service.reap import Reaper, keep_hearing, keep_sweeping
from holdfast.tracker.service.tell import keep_telling
from holdfast.tracker.service.watch import keep_watching
from holdfast.tracker.site import site_of
from holdfast.tracker.suspicions import Suspicions
from holdfast.tracker.udp import ConnectionIds, UdpDoor
from holdfast.where import live_address, live_of
from holdfast.wire.forwarded import networks

Loop = Coroutine[Any, Any, None]


def make(settings: Settings) -> Main:
    async def main(context: PartContext) -> None:
        clock = SystemClock()
        certificate = _certificate(settings.tracker)
        async with live_of(settings, clock, context.name) as live, asyncio.TaskGroup() as tasks:
            own = _owner(tasks)
            limits = limits_of(settings.tracker)
            metrics, figures = Metrics(), Figures()
            metrics.registry.register(figures)
            mishaps = Mishaps(metrics)
            register = Register(live, clock, is_open=settings.tracker.open)
            suspicions = Suspicions(live, clock)
            chance = Random(secrets.randbits(64))  # noqa: S311 - picks peers
            desk = Desk(live, clock, limits, chance, own, mishaps, register, suspicions, figures)
            guessing = Guessing(clock)
            reception = Reception(
                register,
                desk,
                own,
                guessing,
                mishaps,
                suspicions,
                require_whitelist=settings.catalogue.require_whitelist,
            )
            scraper = Scraper(live, own, mishaps, is_open=settings.tracker.open)
            trusted = networks(settings.web.trusted_proxies)
            believed = networks(settings.tracker.trust_ip)
            listener, *listeners = _own_first(context, "")
            bound, *others = _own_first(context, ".udp")
            site = site_of(settings.tracker, live, clock, limits, register, guessing, own, mishaps)
            http = HttpDoor(
                listener,
                reception,
                scraper,
                limits,
                trusted,
                clock,
                listeners,
                believed=believed,
                site=site,
                board=Board(live, clock, own) if settings.tracker.stats else None,
                certificate=certificate,
            )
            ids = ConnectionIds(secrets.token_bytes(32), clock)
            await agree(ids, live)
            udp = UdpDoor(bound, reception, scraper, ids, limits, others, believed=believed)
            reaper = Reaper(live, clock, limits)
            loops: list[Loop] = [
                http.keep_tidy(),
                keep_looking_in([http.look_in, udp.look_in] if others else [], clock),
                *([keep_fresh(certificate, clock)] if certificate else []),
                keep_telling(figures, live, clock),
                keep_agreeing(ids, live, clock),
                keep_watching(register, live, clock),
                keep_sweeping(reaper, clock),
                keep_hearing(reaper, live, clock, live_address(settings).db),
                beat(live, metrics, context.name, instance_here(), clock),
            ]
            running = [tasks.create_task(loop) for loop in loops]
            with _opened(http, udp):
                context.ready()
                await context.stopping.wait()
            for task in running:
                task.cancel()

    return main


def _certificate(tracker: Tracker) -> Certificate | None:
    if tracker.tls_certificate is None or tracker.tls_key is None:
        return None
    return Certificate(tracker.tls_certificate, tracker.tls_key)


def _own_first(context: PartContext, kind: str) -> list[socket.socket]:
    """The sockets of one kind that all workers of this machine share a port by, this worker's own first."""
    own = context.name + kind
    alike = [name for name in context.sockets if name.endswith(".udp") is bool(kind)]
    return [context.sockets[name] for name in sorted(alike, key=lambda name: name != own)]


@contextmanager
def _opened(*doors: HttpDoor | UdpDoor) -> Iterator[None]:
    for door in doors:
        door.open()
    try:
        yield
    finally:
        for door in doors:
            door.close()


def _owner(tasks: asyncio.TaskGroup) -> Callable[[Loop], None]:
    """Short tasks that nobody waits for have an owner all the same: the part ends when one crashes."""

    def own(work: Loop) -> None:
        tasks.create_task(work)

    return own
