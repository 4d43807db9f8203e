"""Looks at the live store: its servers' flags, its clock, and the parts that beat there."""

from dataclasses import replace

from holdfast import __version__
from holdfast.doctor.model import Beat, Finding, Server, ok
from holdfast.doctor.patient import Patient
from holdfast.doctor.rules import clock as clock_rules
from holdfast.doctor.rules import live as rules
from holdfast.doctor.rules import parts as part_rules
from holdfast.heartbeat import beating
from holdfast.store.live import LiveReplyError, LiveStore, ServerHealth
from holdfast.store.live.embedded import EmbeddedServer
from holdfast.where import live_of

PATIENCE = 3.0
EVENTS = EmbeddedServer.notifications


async def live(patient: Patient) -> list[Finding]:
    if patient.embedded and not patient.running:
        return [ok("live store", "The embedded server is started with Holdfast.")]
    section = patient.settings.live
    settings = replace(patient.settings, live=replace(section, wait=min(section.wait, PATIENCE)))
    async with live_of(settings, patient.clock, "doctor") as store:
        health = await store.info()
        found = [
            finding
            for server in health.servers
            for finding in rules.server(_seen(server), needed=EVENTS, embedded=patient.embedded)
        ]
        return [*found, *await _clock(store, patient), *await _beats(store, patient)]


async def _clock(store: LiveStore, patient: Patient) -> list[Finding]:
    asked = patient.clock.now()
    try:
        reply = await store.call("TIME", repeat=True)
    except LiveReplyError:
        return []  # a server that does not let us ask
    if not isinstance(reply, list) or len(reply) != 2:
        return []
    seconds, micros = (float(part) if isinstance(part, bytes | int) else 0.0 for part in reply)
    middle = (asked + patient.clock.now()) / 2
    return list(clock_rules.apart("the live store", seconds + micros / 1e6 - middle))


async def _beats(store: LiveStore, patient: Patient) -> list[Finding]:
    now = patient.clock.now()
    seen = [Beat(one.part, one.instance, one.version, one.beat - now) for one in await beating(store)]
    return list(part_rules.beats(seen, version=__version__))


def _seen(server: ServerHealth) -> Server:
    return Server(
        address=server.address,
        version=server.version,
        software=server.software,
        primary=server.role == "primary",
        used_memory=server.used_memory,
        max_memory=server.max_memory,
        policy=server.policy,
        notifications=server.notifications,
        append_only=server.append_only,
        persistence_error=server.persistence_error,
        replication_error=server.replication_error,
    )
