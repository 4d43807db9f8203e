"""Looks at this machine's clock; those of the stores are looked at where the stores are."""

import ctypes
import os
import sys
from pathlib import Path

from holdfast.doctor.model import Finding
from holdfast.doctor.patient import Patient
from holdfast.doctor.rules import clock as rules

TIME_ERROR = 5
TIMEX_BYTES = 256
"""More than the 208 that the kernel's struct timex has; all zero, it asks and changes nothing."""


async def clock(patient: Patient) -> list[Finding]:
    found = list(rules.synchronised(_synchronised()))
    if patient.run is not None:
        age = _age(patient.run.pid)
        if age is not None:
            found += rules.jumped(patient.clock.now() - patient.run.started - age)
    return found


def _synchronised() -> bool | None:
    if sys.platform != "linux":
        return None
    state: int = ctypes.CDLL(None).adjtimex(ctypes.create_string_buffer(TIMEX_BYTES))
    return None if state < 0 else state != TIME_ERROR


def _age(pid: int) -> float | None:
    """Seconds since the process was started, by a clock that nobody can set."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        uptime = float(Path("/proc/uptime").read_text().split()[0])
    except (OSError, IndexError, ValueError):
        return None
    return uptime - int(fields[19]) / os.sysconf("SC_CLK_TCK")
