"""How the running system is: its parts, its stores, what should alarm somebody, and the settings in force."""

import asyncio
import shutil
from typing import Literal

import msgspec
import structlog
from litestar import get
from litestar.di import NamedDependency
from litestar.handlers import HTTPRouteHandler
from sqlalchemy import Connection, text

from holdfast import __version__
from holdfast.errors import UnavailableError
from holdfast.heartbeat import LATE, Heartbeat, beating, resident_bytes
from holdfast.settings import as_seen
from holdfast.store.live import LiveHealth, LiveReplyError, alarms
from holdfast.store.records import outbox
from holdfast.store.records.migrate import revision
from holdfast.supervise.folder import read_parts
from holdfast.supervise.model import PartState
from holdfast.web.door import Web
from holdfast.web.health import DISK_LEAST, OUTBOX_LATE

log = structlog.get_logger()

State = Literal["up", "away"]
RECENTLY = 3600.0


class Part(msgspec.Struct, frozen=True):
    name: str
    instance: str
    pid: int | None
    state: str
    since: float | None
    restarts: int
    version: str | None
    resident_bytes: int | None
    cpu_seconds: float | None
    beat: float | None
    """Seconds since it was last heard."""


class LiveView(msgspec.Struct, frozen=True):
    address: str
    version: str | None
    layout: str
    used_memory: int | None
    max_memory: int | None
    clients: int | None
    calls_per_second: int | None
    state: State


class RecordsView(msgspec.Struct, frozen=True):
    address: str
    kind: str
    size_bytes: int | None
    schema: str | None
    state: State


class OutboxView(msgspec.Struct, frozen=True):
    waiting: int
    oldest_age: float | None


class Alarm(msgspec.Struct, frozen=True):
    level: Literal["warning", "alarm"]
    text: str


class Disk(msgspec.Struct, frozen=True):
    free_bytes: int
    total_bytes: int


class AddressesView(msgspec.Struct, frozen=True):
    web: str
    tracker: str


class System(msgspec.Struct, frozen=True):
    version: str
    started: float
    uptime: float
    community: str
    parts: list[Part]
    live: LiveView
    records: RecordsView
    outbox: OutboxView
    alarms: list[Alarm]
    disk: Disk
    addresses: AddressesView


class SettingView(msgspec.Struct, frozen=True):
    name: str
    value: str | float | bool | list[str]
    source: str
    doc: str


class SettingsView(msgspec.Struct, frozen=True):
    items: list[SettingView]


@get("/system", may="system.read", summary="Show how the system is", tags=["system"])
async def system(web: NamedDependency[Web]) -> System:
    now = web.clock.now()
    # Side by side, for each waits for a live store that is away.
    (live, live_alarms), (records, waiting), parts = await asyncio.gather(
        _live(web), _records(web, now), _parts(web, now)
    )
    disk = _disk(web)
    found = [*live_alarms, *_alarms(now, records, waiting, disk, parts)]
    found += [Alarm("warning", finding) for finding in web.settings.findings]
    return System(
        version=__version__,
        started=web.started,
        uptime=max(0.0, now - web.started),
        community=web.settings.community,
        parts=parts,
        live=live,
        records=records,
        outbox=waiting,
        alarms=found,
        disk=disk,
        addresses=AddressesView(web.addresses.web, web.addresses.tracker),
    )


@get("/settings", may="settings.read", summary="Show the settings in force", tags=["system"])
async def settings(web: NamedDependency[Web]) -> SettingsView:
    """Secrets are masked."""
    return SettingsView(
        [SettingView(seen.name, seen.value, seen.origin, seen.doc) for seen in as_seen(web.settings)]
    )


async def _live(web: Web) -> tuple[LiveView, list[Alarm]]:
    address, layout = str(web.settings.live.address), web.live.layout.value
    try:
        health = await web.live.info()
        rate = await _calls_per_second(web, health)
    except (UnavailableError, LiveReplyError) as error:
        away = LiveView(address, None, layout, None, None, None, None, "away")
        return away, [Alarm("alarm", str(error))]
    clients = sum(server.clients for server in health.servers)
    seen = LiveView(
        address, health.version, layout, health.used_memory, health.max_memory, clients, rate, "up"
    )
    return seen, [Alarm("alarm", sentence) for sentence in alarms(health)]


async def _calls_per_second(web: Web, health: LiveHealth) -> int | None:
    """Servers say this of themselves alone; over a cluster it is not asked for."""
    if len(health.servers) != 1:
        return None
    said = await web.live.call("INFO", "stats", repeat=True)
    lines = said.decode().splitlines() if isinstance(said, bytes) else []
    rates = [line.partition(":")[2] for line in lines if line.startswith("instantaneous_ops_per_sec:")]
    return int(rates[0]) if rates else None


async def _records(web: Web, now: float) -> tuple[RecordsView, OutboxView]:
    address, kind = str(web.settings.records.address), web.records.kind
    try:
        size, schema, (count, since) = await web.records.read(
            lambda tx: (_size(tx), revision(tx), outbox.waiting(tx))
        )
    except UnavailableError as error:
        log.warning("records away", reason=str(error))
        return RecordsView(address, kind, None, None, "away"), OutboxView(0, None)
    age = max(0.0, now - since) if since is not None else None
    return RecordsView(address, kind, size, schema, "up"), OutboxView(count, age)


def _size(tx: Connection) -> int:
    if tx.dialect.name == "sqlite":
        pages: int = tx.execute(text("PRAGMA page_count")).scalar_one()
        return pages * int(tx.execute(text("PRAGMA page_size")).scalar_one())
    return int(tx.execute(text("SELECT pg_database_size(current_database())")).scalar_one())


def _disk(web: Web) -> Disk:
    try:
        usage = shutil.disk_usage(web.settings.data)
    except OSError:
        return Disk(0, 0)
    return Disk(usage.free, usage.total)


async def _parts(web: Web, now: float) -> list[Part]:
    """What the supervisor of this machine says of its parts, and what every part says of itself."""
    known = {(state.name, state.pid): state for state in read_parts(web.settings.data)}
    try:
        beats = await beating(web.live)
    except (UnavailableError, LiveReplyError):
        beats = []
    heard = [_part(each, known.pop((each.part, each.pid), None), now) for each in beats]
    silent = [
        Part(state.name, "", state.pid, state.state, state.since, state.restarts, None,
             resident_bytes(state.pid) if state.pid else None, None, None)
        for state in known.values()
    ]  # fmt: skip
    return sorted([*heard, *silent], key=lambda part: (part.name, part.instance))


def _part(one: Heartbeat, state: PartState | None, now: float) -> Part:
    age = max(0.0, now - one.beat)
    return Part(
        name=one.part,
        instance=one.instance,
        pid=one.pid,
        state=state.state if state is not None else "silent" if age > LATE else "ready",
        since=one.since,
        restarts=state.restarts if state is not None else 0,
        version=one.version,
        resident_bytes=one.resident,
        cpu_seconds=one.cpu,
        beat=age,
    )


def _alarms(
    now: float, records: RecordsView, waiting: OutboxView, disk: Disk, parts: list[Part]
) -> list[Alarm]:
    found = []
    if records.state == "away":
        found.append(
            Alarm("alarm", f"The records at {records.address} are away; see the log of the web part.")
        )
    if waiting.oldest_age is not None and waiting.oldest_age > OUTBOX_LATE:
        found.append(
            Alarm(
                "alarm",
                f"The live store is {waiting.oldest_age:.0f} s behind the records; is the catalogue up?",
            )
        )
    if disk.total_bytes and disk.free_bytes < DISK_LEAST:
        found.append(
            Alarm("alarm", f"Only {disk.free_bytes >> 20} MiB are free on the disk of the data folder.")
        )
    found += [
        Alarm("warning", f"{part.name} was restarted ({part.restarts} so far); its log says why.")
        for part in parts
        if part.restarts and part.since is not None and now - part.since < RECENTLY
    ]
    return found


handlers: list[HTTPRouteHandler] = [system, settings]
