"""One file at a time, as it is now, though its owner goes on writing to it."""

import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

from holdfast.errors import NotFoundError, UnavailableError

MANIFEST = "appendonly.aof.manifest"
PAGES = 256
TRIES = 20
"""A rewrite takes files away while we copy them; it would have to be finished so often in a row."""
CHUNK = 1 << 20
NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC

IN_USE, SETTLED = "mode=rw", "mode=ro&immutable=1"
"""How a file is opened: beside its writers, whose companion files SQLite must be able to make and remove; or
one that nobody writes to, without leaving any trace beside it."""

Step = Callable[[int, int], None]
"""Told how many bytes of how many are copied."""


def copy_records(source: Path, target: Path, step: Step) -> str | None:
    """One moment of the records as a new file, in order; answers its schema."""
    target.touch(mode=0o600)
    try:
        with closing(_open(source, IN_USE)) as theirs, closing(sqlite3.connect(target)) as ours:
            # A reader's view is fixed by its first read, so that writers cannot make the copy start over.
            theirs.execute("BEGIN")
            theirs.execute("SELECT count(*) FROM sqlite_schema").fetchone()
            page = int(theirs.execute("PRAGMA page_size").fetchone()[0])
            theirs.backup(
                ours,
                pages=PAGES,
                progress=lambda _, left, total: step((total - left) * page, total * page),
                sleep=0,
            )
            return _schema(ours, source)
    except sqlite3.Error as error:
        raise UnavailableError(f"The records in {source} cannot be copied: {error}.") from error


def check_records(file: Path) -> str | None:
    """The schema of a records file that nobody writes to; or a sentence on what is wrong with it."""
    try:
        with closing(_open(file, SETTLED)) as connection:
            return _schema(connection, file)
    except sqlite3.Error as error:
        raise UnavailableError(
            f"The records in {file} cannot be read: {error}; use another backup."
        ) from error


def _schema(connection: sqlite3.Connection, file: Path) -> str | None:
    (told,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    if told != "ok":
        raise UnavailableError(f"The records in {file} are damaged ({told}); use an earlier backup.")
    try:
        found = connection.execute("SELECT version_num FROM alembic_version").fetchone()
    except sqlite3.OperationalError:
        return None
    return str(found[0]) if found else None


def copy_append_only(source: Path, target: Path, step: Step) -> None:
    """The files that the manifest names: the server adds to the last of them, and only ever deletes."""
    for attempt in range(TRIES):
        target.mkdir(mode=0o700, parents=True)
        try:
            manifest = (source / MANIFEST).read_text()
            for name in _named(manifest):
                copy_file(source / name, target / name, step)
        except FileNotFoundError:
            # A rewrite was finished under our hands; its new manifest names other files.
            shutil.rmtree(target)
            if attempt == TRIES - 1:
                raise
        else:
            (target / MANIFEST).write_text(manifest)
            return


def _named(manifest: str) -> Iterator[str]:
    """Base and increments in their order; history (`type h`) is about to be deleted and is not needed."""
    for line in manifest.splitlines():
        words = line.split()
        facts = dict(zip(words[::2], words[1::2], strict=False))
        if facts.get("type") in ("b", "i"):
            yield Path(facts["file"].strip('"')).name


def copy_file(source: Path, target: Path, step: Step) -> None:
    """What the file holds now, even if it grows while it is read."""
    with source.open("rb") as theirs, os.fdopen(os.open(target, NEW, 0o600), "wb") as ours:
        total = os.fstat(theirs.fileno()).st_size
        done = 0
        while done < total and (chunk := theirs.read(min(CHUNK, total - done))):
            ours.write(chunk)
            done += len(chunk)
            step(done, total)
        ours.flush()
        os.fsync(ours.fileno())


def _open(file: Path, how: str) -> sqlite3.Connection:
    if not file.exists():
        raise NotFoundError(f"There are no records at {file}.")
    return sqlite3.connect(f"{file.absolute().as_uri()}?{how}", uri=True, isolation_level=None)
