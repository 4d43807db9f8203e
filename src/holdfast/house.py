"""Which parts make up a running Holdfast, and what each needs before it can start."""

import os
import sys

from holdfast.clock import Clock
from holdfast.launch import RUN_TOKEN_HASH
from holdfast.store.live.embedded import ENDINGS, EmbeddedServer
from holdfast.supervise.model import PartFailedError, PartSpec
from holdfast.supervise.probe import store_answers
from holdfast.supervise.sockets import shares

LIVE = "live"


def parts(
    embedded: EmbeddedServer | None,
    arguments: tuple[str, ...],
    token_hash: str,
    clock: Clock,
    trackers: int = 1,
) -> list[PartSpec]:
    """The parts of one machine that runs everything; `arguments` give each part the same settings."""
    workers = shares("tracker", trackers)
    doors = tuple(f"{worker}{kind}" for worker in workers for kind in ("", ".udp"))
    after = (LIVE,) if embedded else ()
    live = [_live_store(embedded, clock)] if embedded else []
    return [
        *live,
        _part("clerk", arguments, after=after),
        *[_part("tracker", arguments, after=after, sockets=doors, called=worker) for worker in workers],
        _part("web", arguments, after=after, sockets=("web",), env={RUN_TOKEN_HASH: token_hash}),
    ]


def trackers(wanted: int) -> int:
    """How many processes serve the tracker; 0 wants one for each core that we may use."""
    if wanted:
        return wanted
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def explained(failure: PartFailedError, embedded: EmbeddedServer | None) -> PartFailedError:
    """The failure in our words where the live store's own server tells it in its own."""
    told = str(failure)
    if embedded is None or f": {LIVE} " not in told or not any(sign in told for sign in ENDINGS):
        return failure
    return PartFailedError(embedded.explain(told), failure.exit)


def _part(
    name: str,
    arguments: tuple[str, ...],
    *,
    after: tuple[str, ...],
    sockets: tuple[str, ...] = (),
    env: dict[str, str] | None = None,
    called: str = "",
) -> PartSpec:
    itself = (f"--as={called}",) if called not in ("", name) else ()
    argv = (sys.executable, "-m", "holdfast.run", name, *itself, *arguments)
    return PartSpec(called or name, argv, env=env or {}, sockets=sockets, after=after)


def _live_store(embedded: EmbeddedServer, clock: Clock) -> PartSpec:
    return PartSpec(
        LIVE,
        tuple(embedded.argv()),
        env=embedded.environment(),
        ready=store_answers(embedded.socket_path, clock),
        relay=True,
    )
