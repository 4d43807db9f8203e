"""What to think of the machine: versions, kernel, open files."""

from collections.abc import Iterable, Iterator

from holdfast.doctor.model import Files, Finding, Kernel, Level, Versions, hint, ok, problem

OLDEST_PYTHON = (3, 11)
OLDEST_SQLITE = (3, 35)
"""The first with RETURNING."""
FEW_FILES, ENOUGH_FILES = 1024, 4096
NEARLY_ALL = 0.8
KNOWN_SYSTEMS = ("Linux", "Darwin")


def versions(seen: Versions) -> Iterator[Finding]:
    about = "versions"
    if seen.python[:2] < OLDEST_PYTHON:
        yield problem(
            about,
            f"Python {_dotted(seen.python)} is too old.",
            "Install Python 3.11 or newer.",
        )
    if seen.sqlite < OLDEST_SQLITE:
        yield problem(
            about,
            f"Python's SQLite {_dotted(seen.sqlite)} is too old.",
            "Use a Python built with SQLite 3.35 or newer.",
        )
    if not seen.system.startswith(KNOWN_SYSTEMS):
        yield hint(
            about,
            f"Nobody has tried Holdfast on {seen.system}.",
            "Run it on Linux if something behaves oddly.",
        )
    valkey = f", Valkey {seen.valkey}" if seen.valkey else ""
    yield ok(
        about,
        f"Holdfast {seen.holdfast} on Python {_dotted(seen.python)}, SQLite {_dotted(seen.sqlite)}{valkey}, "
        f"{seen.system}.",
    )


def kernel(seen: Kernel) -> Iterator[Finding]:
    """What the embedded server wants of Linux: both matter only once it has much to keep."""
    about = "kernel"
    if seen.overcommit not in (None, 1):
        yield hint(
            about,
            "Memory overcommit is off, so rewriting the append-only file can fail when memory is short.",
            "Put vm.overcommit_memory = 1 into /etc/sysctl.conf, and run sysctl vm.overcommit_memory=1.",
        )
    if seen.huge_pages == "always":
        yield hint(
            about,
            "Transparent huge pages are always on, which slows the live store and grows its memory.",
            "Run: echo madvise > /sys/kernel/mm/transparent_hugepage/enabled, at every boot.",
        )
    if seen.overcommit in (None, 1) and seen.huge_pages != "always":
        yield ok(about, "Memory is set up as the live store likes it.")


def files(seen: Iterable[Files]) -> Iterator[Finding]:
    about = "open files"
    all_well = True
    for one in seen:
        raise_it = "Raise it: ulimit -n 65536 before the start, or LimitNOFILE=65536 in the systemd unit."
        if one.open is not None and one.open > one.limit * NEARLY_ALL:
            all_well = False
            yield problem(about, f"{one.who} has {one.open} of {one.limit} files open.", raise_it)
        elif one.limit < ENOUGH_FILES:
            all_well = False
            level = Level.PROBLEM if one.limit < FEW_FILES else Level.HINT
            yield Finding(
                level,
                about,
                f"{one.who} may have only {one.limit} files and connections open.",
                raise_it,
            )
    if all_well:
        yield ok(about, f"At least {min((one.limit for one in seen), default=0)} are allowed.")


def _dotted(version: tuple[int, ...]) -> str:
    return ".".join(map(str, version))
