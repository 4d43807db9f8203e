"""The volunteer's folder: what is claimed stands there before work begins, so that a crash loses no claim."""

import hashlib
import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from holdfast.items.work.tracker import Held

CLAIM = "claim.json"
FOUND = "found"
LOG = "log"
READY = "ready"


class Shelf:
    """One folder for each item: its claim, what its command wrote, and what it found."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def put(self, held: Held) -> "Place":
        place = Place(self._folder / _named(held.item), held)
        place.found.mkdir(parents=True, exist_ok=True)
        draft = place.folder / f".{CLAIM}"
        draft.write_text(json.dumps({"item": held.item, "claim": held.claim}))
        draft.replace(place.folder / CLAIM)
        return place

    def left(self) -> Iterator["Place"]:
        """What an earlier run claimed and never reported."""
        for claim in sorted(self._folder.glob(f"*/{CLAIM}")):
            said = json.loads(claim.read_text())
            yield Place(claim.parent, Held(said["item"], said["claim"]))


class Place:
    def __init__(self, folder: Path, held: Held) -> None:
        self.folder = folder
        self.held = held
        self.found = folder / FOUND
        self.log = folder / LOG

    @property
    def is_ready(self) -> bool:
        """Whether the command ended well, in this run or an earlier one, and what it found waits to go."""
        return (self.folder / READY).exists()

    def mark_ready(self) -> None:
        (self.folder / READY).touch()

    def empty(self) -> None:
        """Before the command runs again: what it left half done must not be reported as found."""
        shutil.rmtree(self.found, ignore_errors=True)
        self.found.mkdir(parents=True)

    def files(self) -> list[Path]:
        return sorted(Path(folder, name) for folder, _, names in os.walk(self.found) for name in names)

    def size(self) -> int:
        return sum(path.stat().st_size for path in self.files() if not path.is_symlink())

    def last_words(self) -> str:
        """The last line that the command wrote."""
        lines = self.log.read_text(errors="replace").split("\n") if self.log.exists() else []
        return next((line.strip() for line in reversed(lines) if line.strip()), "")

    def forget(self, *, keep: bool) -> None:
        """It was reported; what was found stays where nobody came to fetch it."""
        if keep:
            (self.folder / CLAIM).unlink()
        else:
            shutil.rmtree(self.folder)


def _named(item: str) -> str:
    """A folder's name that any item can have, and that a person still recognises."""
    clean = "".join(sign if sign.isalnum() or sign in "-_." else "-" for sign in item)[:60].lstrip(".")
    return f"{clean}-{hashlib.sha256(item.encode()).hexdigest()[:12]}"
