"""Runs one part in this process: `python -m holdfast.run PART`, as the supervisor does, or alone."""

import argparse
import sys
from collections.abc import Callable, Mapping
from importlib import import_module

from holdfast.clock import SystemClock
from holdfast.errors import HoldfastError
from holdfast.launch import add_arguments, settings_for
from holdfast.part import Main, report_failure, run_part
from holdfast.settings import Settings
from holdfast.supervise.sockets import Listen

# Each part names the function that makes its main from the settings; it is imported only where it runs.
PARTS = {
    "web": "holdfast.web.part",
    "clerk": "holdfast.clerk",
    "tracker": "holdfast.tracker.part",
}


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="holdfast run", description="Run one part in this process.")
    parser.add_argument("part", choices=PARTS)
    parser.add_argument("--as", metavar="NAME", dest="name", help="what it is called among others like it")
    add_arguments(parser)
    asked = parser.parse_args(arguments)
    try:
        settings = settings_for(asked.data, asked.settings, asked.changes)
    except HoldfastError as error:
        sys.stderr.write(f"holdfast: {error}\n")
        report_failure(error)
        return error.exit
    # structlog would load it for tracebacks with local variables, which we never print; 5 MiB in every part.
    sys.modules["rich"] = None  # type: ignore[assignment]
    from holdfast.observe.logs import configure_logs  # noqa: PLC0415

    name = asked.name or asked.part
    configure_logs(settings.logs, name, sys.stderr, SystemClock())
    make: Callable[[Settings], Main] = import_module(PARTS[asked.part]).make
    return run_part(name, make(settings), listen_on=_doors(asked.part, settings))


def _doors(part: str, settings: Settings) -> Mapping[str, Listen]:
    """Where a part listens when it runs alone."""
    match part:
        case "web":
            return {"web": Listen(settings.web.listen)}
        case "tracker":
            return {"tracker": Listen(settings.tracker.listen, udp=True)}
        case _:
            return {}


if __name__ == "__main__":
    sys.exit(main())
