"""Whether the system is well: for supervisors, load balancers and Prometheus."""

import asyncio
import shutil
from collections.abc import Awaitable, Callable
from datetime import timedelta

import msgspec
import structlog
from litestar import Response, get
from litestar.di import NamedDependency
from litestar.handlers import HTTPRouteHandler
from litestar.openapi.datastructures import ResponseSpec
from sqlalchemy import literal, select

from holdfast.errors import UnavailableError
from holdfast.heartbeat import SILENT_AFTER, Heartbeat, beating, instance_here
from holdfast.observe.merge import merge, snapshot
from holdfast.store.live import LiveReplyError
from holdfast.store.records import outbox
from holdfast.supervise.folder import read_parts
from holdfast.web.door import Web

log = structlog.get_logger()

OUTBOX_LATE = 60.0
DISK_LEAST = 100 << 20
PART = "web"
TRACKER = "tracker"
READY = "ready"


class Check(msgspec.Struct, frozen=True):
    """One thing that must be so for the system to work."""

    name: str
    ok: bool
    detail: str


class Live(msgspec.Struct, frozen=True):
    live: bool


class Ready(msgspec.Struct, frozen=True):
    ready: bool
    checks: list[Check]


@get("/health/live", public=True, summary="Say that the web door runs", tags=["system"])
async def health_live() -> Live:
    """Answers 200 as long as the process can answer at all; readiness is another question."""
    return Live(live=True)


@get(
    "/health/ready",
    public=True,
    summary="Say whether everything needed is there",
    tags=["system"],
    responses={503: ResponseSpec(Ready, description="Something is missing; `checks` says what.")},
)
async def health_ready(web: NamedDependency[Web]) -> Response[Ready]:
    """200 when requests can be served in full, else 503 with what is missing."""
    checks = await asyncio.gather(
        _checked("records", web, _records), _checked("live", web, _live),
        _checked("tracker", web, _tracker), _checked("outbox", web, _outbox), _checked("disk", web, _disk),
    )  # fmt: skip
    ready = all(check.ok for check in checks)
    return Response(Ready(ready, list(checks)), status_code=200 if ready else 503)


@get("/metrics", may="metrics.read", media_type="text/plain; version=0.0.4", summary="Metrics of all parts",
     tags=["system"])  # fmt: skip
async def metrics(web: NamedDependency[Web]) -> bytes:
    """In Prometheus' text format; each sample is labelled with its part."""
    try:
        others = await beating(web.live)
    except (UnavailableError, LiveReplyError) as error:
        log.warning("only the web door's own metrics are shown", reason=str(error))
        others = []
    pages = {_label(each, others): each.metrics for each in others if each.instance != instance_here()}
    return merge({**pages, PART: snapshot(web.metrics.registry)})


def _label(one: Heartbeat, every: list[Heartbeat]) -> str:
    """The part's name where one process runs it, so that dashboards need not know of processes."""
    alone = sum(each.part == one.part for each in every) == 1 and one.part != PART
    return one.part if alone else f"{one.part}:{one.instance}"


async def _checked(name: str, web: Web, check: Callable[[Web], Awaitable[str | None]]) -> Check:
    try:
        trouble = await check(web)
    except (UnavailableError, LiveReplyError) as error:
        trouble = str(error)
    return Check(name, trouble is None, trouble or "as it should be")


async def _records(web: Web) -> None:
    await web.records.read(lambda tx: tx.execute(select(literal(1))).scalar_one())


async def _live(web: Web) -> None:
    await web.live.call("PING", repeat=True)


async def _tracker(web: Web) -> str | None:
    """One worker is enough; where none is ours, another machine has them."""
    ours = [state for state in read_parts(web.settings.data) if state.name.partition("-")[0] == TRACKER]
    ready = [state for state in ours if state.state == READY]
    if ours and not ready:
        how = ", ".join(f"{state.name} is {state.state}" for state in ours)
        return f"Nobody serves announces: {how}; the log says why."
    try:
        heard = {one.pid for one in await beating(web.live)}
    except (UnavailableError, LiveReplyError):
        return "It asks clients to come again later until the live store is back."
    patience = web.clock.now() - SILENT_AFTER
    if ready and all(state.since < patience and state.pid not in heard for state in ready):
        return "Its workers do not reach the live store, and ask clients to come again later; see their log."
    return None


async def _outbox(web: Web) -> str | None:
    _, since = await web.records.read(outbox.waiting)
    late = web.clock.now() - since if since is not None else 0.0
    if late <= OUTBOX_LATE:
        return None
    return f"The live store is {timedelta(seconds=round(late))} behind; see that the clerk runs."


async def _disk(web: Web) -> str | None:
    try:
        free = (await asyncio.to_thread(shutil.disk_usage, web.settings.data)).free
    except OSError:
        return None  # this machine runs the door alone, and keeps no data
    if free >= DISK_LEAST:
        return None
    return f"Only {free >> 20} MiB are free where {web.settings.data} is; free some space."


handlers: list[HTTPRouteHandler] = [health_live, health_ready, metrics]
