"""A backup as a folder: made, read and put back as a whole or not at all."""

import json
import shutil
import tempfile
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from holdfast import __version__
from holdfast.backup.copies import MANIFEST, Step, check_records, copy_append_only, copy_file, copy_records
from holdfast.clock import Clock
from holdfast.errors import ConflictError, InvalidError, NotFoundError, UnavailableError
from holdfast.runfile import folder_error
from holdfast.supervise.folder import claim_folder
from holdfast.supervise.model import Say

VERSION = 1
ABOUT = "backup.json"
RECORDS = "records.sqlite"
SETTINGS = "holdfast.toml"
APPEND_ONLY = Path("live/appendonlydir")


@dataclass(frozen=True)
class Backup:
    """What backup.json says of the folder that it is in."""

    holdfast: str
    at: float
    schema: str | None
    holds: list[str]
    version: int = VERSION


def make(data: Path, folder: Path, clock: Clock, elsewhere: Collection[str], step: Step) -> Backup:
    """Copies what there is; `elsewhere` names what the data folder does not hold."""
    with _new_folder(folder) as draft:
        return _copy_all(data, draft, clock, elsewhere, step)


def _copy_all(data: Path, into: Path, clock: Clock, elsewhere: Collection[str], step: Step) -> Backup:
    at, schema = clock.now(), None
    holds = []
    if "the records" not in elsewhere and (data / RECORDS).exists():
        schema = copy_records(data / RECORDS, into / RECORDS, step)
        holds.append("the records")
    if "the live store" not in elsewhere and (data / APPEND_ONLY / MANIFEST).exists():
        copy_append_only(data / APPEND_ONLY, into / APPEND_ONLY, step)
        holds.append("the live store")
    if (data / SETTINGS).exists():
        copy_file(data / SETTINGS, into / SETTINGS, step)
        holds.append("the settings")
    if not holds:
        raise NotFoundError(f"There is nothing to back up in {data}; name the data folder with --data DIR.")
    made = Backup(__version__, at, schema, holds)
    (into / ABOUT).write_text(json.dumps(asdict(made), indent=2) + "\n")
    return made


def read(folder: Path) -> Backup:
    try:
        said_there = json.loads((folder / ABOUT).read_bytes())
        found = Backup(**said_there)
    except (FileNotFoundError, NotADirectoryError):
        raise NotFoundError(f"{folder} is no backup: it has no {ABOUT}.") from None
    except (OSError, ValueError, TypeError) as error:
        raise UnavailableError(f"{folder / ABOUT} cannot be read ({error}); use another backup.") from error
    if found.version != VERSION:
        raise InvalidError(
            f"{folder} was made by Holdfast {found.holdfast}, whose backups this version cannot read;"
            " restore it with that version."
        )
    return found


async def put_back(folder: Path, data: Path, clock: Clock, say: Say, step: Step) -> None:
    """Under the lock of the data folder, so that nothing starts there meanwhile."""
    with await claim_folder(data, clock, say):
        taken = [name for name in (RECORDS, str(APPEND_ONLY)) if (data / name).exists()]
        if taken:
            raise ConflictError(
                f"{data} has data already ({', '.join(taken)});"
                " move it away, or name another folder with --data DIR"
            )
        if (folder / RECORDS).exists():
            check_records(folder / RECORDS)
        try:
            if (folder / APPEND_ONLY).exists():
                (data / "live").mkdir(mode=0o700, exist_ok=True)
                copy_append_only(folder / APPEND_ONLY, data / APPEND_ONLY, step)
            if (folder / SETTINGS).exists() and not (data / SETTINGS).exists():
                copy_file(folder / SETTINGS, data / SETTINGS, step)
            # The records last: with them there, the folder counts as restored.
            if (folder / RECORDS).exists():
                copy_file(folder / RECORDS, data / RECORDS, step)
        except OSError as error:
            raise folder_error(data, error) from error


@contextmanager
def _new_folder(folder: Path) -> Iterator[Path]:
    """A folder that gets its name once it is whole, so that no half of a backup looks like one."""
    if folder.exists():
        raise ConflictError(f"{folder} is there already; name a new folder for the backup.")
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        draft = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
        try:
            yield draft
            draft.rename(folder)
        except BaseException:
            shutil.rmtree(draft, ignore_errors=True)
            raise
    except OSError as error:
        reason = error.strerror or error
        raise UnavailableError(f"Cannot write to {folder}: {reason}; choose another place.") from error
