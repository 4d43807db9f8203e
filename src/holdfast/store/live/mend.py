"""Mends a damaged append-only file: keeps a copy of all, and cuts off what stands behind the damage.

`python -m holdfast.store.live.mend DATA`, while Holdfast is stopped. Valkey's own tool takes the base file
that this Valkey writes for a damaged one (seen with 9.1.2), hence ours.
"""

import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from holdfast.errors import ConflictError, HoldfastError, NotFoundError
from holdfast.store.live.embedded import EmbeddedServer


@dataclass(frozen=True, slots=True)
class Cut:
    """What was taken off one file."""

    file: Path
    kept: int
    removed: int


def sound_end(file: BinaryIO) -> int:
    """Up to where the file is whole commands; one begun with MULTI is whole only with its EXEC."""
    end, transaction = 0, False
    while line := file.readline():
        if line.startswith(b"#") and line.endswith(b"\r\n"):
            name: bytes | None = b"#"  # a time stamp
        else:
            name = _command(line, file)
        if name is None:
            break
        transaction = name == b"MULTI" or (transaction and name != b"EXEC")
        if not transaction:
            end = file.tell()
    return end


def _command(line: bytes, file: BinaryIO) -> bytes | None:
    """The name of the command that begins with this line, read to its end; None if it is damaged."""
    name = b""
    for place in range(_length(line, b"*") or 0):
        size = _length(file.readline(), b"$")
        if size is None:
            return None
        word = file.read(size + 2)
        if len(word) < size + 2 or not word.endswith(b"\r\n"):
            return None
        name = name if place else word[:-2].upper()
    return name or None


def _length(line: bytes, sign: bytes) -> int | None:
    digits = line[1:-2]
    sound = line.startswith(sign) and line.endswith(b"\r\n") and digits.isdigit() and len(digits) < 12
    return int(digits) if sound else None


def mend(data_dir: Path) -> list[Cut]:
    """Raises NotFoundError where there is nothing to mend; the copy lies beside the folder."""
    server = EmbeddedServer(data_dir)
    if server.running():
        raise ConflictError(f"The live store in {server.folder} is running; stop Holdfast first.")
    folder = server.folder / "appendonlydir"
    files = _growing_files(folder)
    damaged = next((at for at, file in enumerate(files) if _excess(file)), None)
    if damaged is None:
        raise NotFoundError(
            f"The append-only files in {folder} are sound; if it still fails, put back a backup."
        )
    shutil.copytree(folder, _free_name(folder))
    return [_cut(file, whole=at > damaged) for at, file in enumerate(files) if at >= damaged]


def _growing_files(folder: Path) -> list[Path]:
    """In the order in which they are read; the base is a snapshot, and Valkey checks it by its own sum."""
    try:
        manifest = next(folder.glob("*.manifest")).read_text("utf-8")
    except (StopIteration, OSError):
        raise NotFoundError(
            f"There is no list of append-only files in {folder}; put back a backup."
        ) from None
    entries = (line.split() for line in manifest.splitlines())
    return [folder / entry[1] for entry in entries if entry[:1] == ["file"] and entry[-1] == "i"]


def _excess(file: Path) -> int:
    with file.open("rb") as content:
        return file.stat().st_size - sound_end(content)


def _cut(file: Path, *, whole: bool) -> Cut:
    """What was written after the damage rests on what is lost, so it goes too."""
    with file.open("r+b") as content:
        kept = 0 if whole else sound_end(content)
        removed = file.stat().st_size - kept
        content.truncate(kept)
    return Cut(file, kept, removed)


def _free_name(folder: Path) -> Path:
    number = 1
    while (copy := folder.with_name(f"{folder.name}.damaged-{number}")).exists():
        number += 1
    return copy


def main() -> int:
    try:
        cuts = mend(Path(sys.argv[1]))
    except IndexError:
        sys.stderr.write("Name the data folder: python -m holdfast.store.live.mend DATA\n")
        return 2
    except HoldfastError as error:
        sys.stderr.write(f"{error}\n")
        return int(error.exit)
    for cut in cuts:
        sys.stdout.write(f"{cut.file}: kept {cut.kept} bytes, cut off {cut.removed}\n")
    sys.stdout.write("The files as they were lie beside, in appendonlydir.damaged-…\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
