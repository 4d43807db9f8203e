"""Looks at the data folder: its disk, and who may read it."""

import os
import stat
from pathlib import Path

from holdfast.doctor import model
from holdfast.doctor.model import Finding
from holdfast.doctor.patient import Patient
from holdfast.doctor.probes.thread import in_thread
from holdfast.doctor.rules import folder as rules
from holdfast.runfile import RUN

APPEND_ONLY = Path("live/appendonlydir")


async def disk(patient: Patient) -> list[Finding]:
    return list(rules.disk(await in_thread(lambda: _disk(patient.settings.data))))


async def permissions(patient: Patient) -> list[Finding]:
    return list(rules.permissions(await in_thread(lambda: _folder(patient.settings.data))))


def _disk(data: Path) -> model.Disk:
    seen = os.statvfs(_nearest(data))
    return model.Disk(
        free=seen.f_bavail * seen.f_frsize,
        total=seen.f_blocks * seen.f_frsize,
        free_inodes=seen.f_favail,
        inodes=seen.f_files,
        append_only=_size(data / APPEND_ONLY),
    )


def _folder(data: Path) -> model.Folder:
    there = _nearest(data)
    found = there.stat()
    exists = there == data.absolute()
    return model.Folder(
        path=str(data),
        exists=exists,
        there=str(there),
        owned=found.st_uid == os.geteuid(),
        mode=stat.S_IMODE(found.st_mode),
        writable=os.access(there, os.W_OK | os.X_OK),
        read_only=bool(os.statvfs(there).f_flag & os.ST_RDONLY),
        run_mode=_mode(data / RUN),
    )


def _nearest(data: Path) -> Path:
    """The folder, or the one in which it would be made."""
    absolute = data.absolute()
    return next(place for place in (absolute, *absolute.parents) if place.exists())


def _mode(path: Path) -> int | None:
    try:
        return stat.S_IMODE(path.stat().st_mode)
    except OSError:
        return None


def _size(folder: Path) -> int:
    try:
        return sum(file.stat().st_size for file in folder.iterdir())
    except OSError:
        return 0
