# ruff: noqa: T201 - it speaks to the test
"""A small `up`: supervises the parts that a plan names, for tests that treat it as badly as they like.

Run as `python house.py DIR PLAN`, where PLAN is JSON: a list of parts.
"""

import asyncio
import json
import os
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from holdfast.clock import SystemClock
from holdfast.errors import HoldfastError
from holdfast.runfile import Run, write_run
from holdfast.supervise.folder import claim_folder
from holdfast.supervise.model import PartSpec
from holdfast.supervise.probe import store_answers
from holdfast.supervise.sockets import Listen, listen, place_of
from holdfast.supervise.supervisor import Supervisor
from holdfast.supervise.voice import voice

CLOCK = SystemClock()


def spec(part: dict[str, Any]) -> PartSpec:
    if probe := part.pop("probe", None):
        part["ready"] = store_answers(Path(probe), CLOCK)
    for name in ("argv", "sockets", "after"):
        part[name] = tuple(part.get(name, ()))
    return PartSpec(**part)


async def main(data: Path, plan: list[dict[str, Any]]) -> None:
    say = voice(sys.stderr, CLOCK)
    with await claim_folder(data, CLOCK, say) as folder, ExitStack() as doors:
        sockets = listen("web", Listen(("127.0.0.1", 0))) | listen(
            "tracker", Listen(("127.0.0.1", 0), udp=True)
        )
        for bound in sockets.values():
            doors.enter_context(bound)
        web, tracker = (place_of(sockets[name]) for name in ("web", "tracker"))

        async def on_ready() -> None:
            run = Run(
                os.getpid(),
                CLOCK.now(),
                f"http://{web}",
                f"http://{tracker}",
                "embedded",
                "-",
                str(data),
                "t",
            )
            write_run(data, run)
            print("ready", flush=True)

        await Supervisor([spec(part) for part in plan], sockets, folder, say=say, clock=CLOCK).run(on_ready)


if __name__ == "__main__":
    try:
        asyncio.run(main(Path(sys.argv[1]), json.loads(sys.argv[2])))
    except HoldfastError as error:
        print(error, file=sys.stderr)
        sys.exit(error.exit)
