"""Heartbeats: every few seconds each running part says how it is; silence means that it died."""

import os
import socket
import time
from dataclasses import dataclass
from pathlib import Path

import structlog

from holdfast import __version__
from holdfast.clock import Clock
from holdfast.errors import UnavailableError
from holdfast.observe.merge import snapshot
from holdfast.observe.metrics import Metrics
from holdfast.store.live import KeyName, LiveReplyError, LiveStore
from holdfast.store.live.interface import Arg, Reply
from holdfast.store.live.replies import all_done

log = structlog.get_logger()

EVERY = 5.0
LATE = 2 * EVERY
"""Two beats were missed: it may have been killed."""
SILENT_AFTER = 20
FORGOTTEN_AFTER = 3600.0

BEAT = KeyName(
    "hf:part:{part}:{instance}",
    kind="hash",
    owner="instance",
    meaning="A running process of a part; absent: it has stopped, or been silent for too long.",
    fields={
        "pid": "its process id",
        "version": "the version of Holdfast it runs",
        "since": "when it started, in seconds since 1970",
        "beat": "when it wrote this",
        "resident": "bytes of memory it holds",
        "cpu": "seconds of processor time it has used",
        "metrics": "a snapshot of its metrics, as JSON",
    },
    ttl=f"{SILENT_AFTER} s",
)
PARTS = KeyName(
    "hf:parts",
    kind="zset",
    meaning="Which hashes hf:part:* there may be, as PART:INSTANCE, by the time of their last beat; "
    "so that nobody needs to scan for them.",
)
KEYS = (BEAT, PARTS)


@dataclass(frozen=True)
class Heartbeat:
    """How one process of a part was when it last spoke."""

    part: str
    instance: str
    pid: int
    version: str
    since: float
    beat: float
    resident: int
    cpu: float
    metrics: bytes


def instance_here() -> str:
    """A name for this process that no other running one has."""
    return f"{socket.gethostname()}-{os.getpid()}"


async def beat(live: LiveStore, metrics: Metrics, part: str, instance: str, clock: Clock) -> None:
    """Beat until cancelled; then the part is gone at once, not only when its silence is noticed."""
    since = clock.now()
    told = False
    try:
        while True:
            try:
                await _write(
                    live, Heartbeat(part, instance, *_here(since, clock.now()), snapshot(metrics.registry))
                )
                told = False
            except (UnavailableError, LiveReplyError) as error:
                if not told:
                    log.warning("heartbeat not heard", reason=str(error))
                told = True
            await clock.sleep(EVERY)
    finally:
        await _end(live, part, instance)


async def beating(live: LiveStore) -> list[Heartbeat]:
    """Every process that beats now, in the order of their names."""
    members = await live.call("ZRANGE", PARTS.name(live.layout), 0, -1, repeat=True)
    named = sorted(names for names in map(_split, _list(members)) if all(names))
    keys = [BEAT.name(live.layout, part=part, instance=instance) for part, instance in named]
    replies = await live.batch([("HGETALL", key) for key in keys], repeat=True) if keys else []
    found = [_read(*names, reply) for names, reply in zip(named, replies, strict=True)]
    return [each for each in found if each is not None]


def resident_bytes(pid: int | str = "self") -> int | None:
    """Memory that a process of this machine holds; None when it is not there to be asked."""
    try:
        pages = Path(f"/proc/{pid}/statm").read_text().split()[1]
    except (OSError, IndexError):
        return None
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


def _here(since: float, now: float) -> tuple[int, str, float, float, int, float]:
    return os.getpid(), __version__, since, now, resident_bytes() or 0, time.process_time()


async def _write(live: LiveStore, one: Heartbeat) -> None:
    key = BEAT.name(live.layout, part=one.part, instance=one.instance)
    parts = PARTS.name(live.layout)
    fields: list[Arg] = [
        "pid", one.pid, "version", one.version, "since", one.since, "beat", one.beat,
        "resident", one.resident, "cpu", one.cpu, "metrics", one.metrics,
    ]  # fmt: skip
    replies = await live.batch(
        [
            ("HSET", key, *fields),
            ("EXPIRE", key, SILENT_AFTER),
            ("ZADD", parts, one.beat, f"{one.part}:{one.instance}"),
            ("ZREMRANGEBYSCORE", parts, "-inf", one.beat - FORGOTTEN_AFTER),
        ],
        repeat=True,
    )
    all_done(replies)


async def _end(live: LiveStore, part: str, instance: str) -> None:
    key = BEAT.name(live.layout, part=part, instance=instance)
    member = f"{part}:{instance}"
    try:
        await live.batch([("DEL", key), ("ZREM", PARTS.name(live.layout), member)], repeat=True)
    except UnavailableError as error:
        log.debug("end not heard", reason=str(error))


def _list(reply: Reply) -> list[Reply]:
    return reply if isinstance(reply, list) else []


def _split(member: Reply) -> tuple[str, str]:
    part, _, instance = member.decode().partition(":") if isinstance(member, bytes) else ("", "", "")
    return part, instance


def _read(part: str, instance: str, reply: Reply) -> Heartbeat | None:
    """None for one that has fallen silent, or wrote what we cannot read."""
    flat = [each for each in _list(reply) if isinstance(each, bytes)]
    fields = {name.decode(): value for name, value in zip(flat[::2], flat[1::2], strict=False)}
    try:
        return Heartbeat(
            part,
            instance,
            int(fields["pid"]),
            fields["version"].decode(),
            float(fields["since"]),
            float(fields["beat"]),
            int(fields["resident"]),
            float(fields["cpu"]),
            fields["metrics"],
        )
    except (KeyError, ValueError):
        return None
