"""What to think of the data folder: its disk, and who may read it."""

from collections.abc import Iterator

from holdfast.doctor.model import Disk, Finding, Folder, Level, hint, ok, problem

MEBIBYTE = 1024 * 1024
LEAST_FREE = 256 * MEBIBYTE
"""Below this a busy night fills the disk."""
LITTLE_SHARE = 0.05
LEAST_INODES = 1000
LITTLE_INODES = 0.02


def disk(seen: Disk) -> Iterator[Finding]:
    about = "disk"
    free, appended = (f"{size // MEBIBYTE} MiB" for size in (seen.free, seen.append_only))
    if seen.free < LEAST_FREE:
        yield problem(
            about,
            f"Only {free} are free on the disk of the data folder.",
            "Free some space, or move the data folder to a larger disk, before writes are refused.",
        )
    elif seen.free < seen.append_only:
        yield problem(
            about,
            f"{free} are free, and rewriting the append-only file may need {appended}.",
            "Free some space, or the live store will grow its file until the disk is full.",
        )
    elif seen.free < seen.total * LITTLE_SHARE:
        yield hint(about, f"{free} are free, less than one part in twenty.", "Free some space soon.")
    else:
        yield ok(about, f"{free} are free.")
    if seen.inodes and seen.free_inodes < max(LEAST_INODES, seen.inodes * LITTLE_INODES):
        few = seen.free_inodes < LEAST_INODES
        yield Finding(
            Level.PROBLEM if few else Level.HINT,
            about,
            f"The disk of the data folder can take only {seen.free_inodes} more files, however small.",
            "Remove small files there (df -i shows the count), or move the data folder.",
        )


def permissions(seen: Folder) -> Iterator[Finding]:
    about = "permissions"
    found = list(_permissions(seen, about))
    if found:
        yield from found
    elif seen.exists:
        yield ok(about, f"{seen.path} is for its owner alone.")
    else:
        yield ok(about, f"{seen.path} is not there yet; the first start makes it.")


def _permissions(seen: Folder, about: str) -> Iterator[Finding]:
    if seen.read_only:
        yield problem(
            about,
            f"The disk of {seen.there} is mounted read-only.",
            "Mount it writable, or name another folder with --data DIR.",
        )
    elif not seen.writable:
        yield problem(
            about,
            f"This user may not write in {seen.there}.",
            "Run as the user that owns it, change its owner, or name another folder with --data DIR.",
        )
    if seen.exists and not seen.owned:
        yield hint(
            about,
            f"{seen.path} belongs to another user.",
            "Run Holdfast and its commands as that user.",
        )
    if seen.exists and seen.mode & 0o077:
        yield problem(
            about,
            f"Others may look into {seen.path} (mode {seen.mode:04o}), where passkeys are.",
            f"Run: chmod 700 {seen.path}",
        )
    if seen.run_mode is not None and seen.run_mode & 0o077:
        yield problem(
            about,
            f"Others may read {seen.path}/run.json (mode {seen.run_mode:04o}), which opens every door.",
            f"Run: chmod 600 {seen.path}/run.json, and start Holdfast again for a new token.",
        )
