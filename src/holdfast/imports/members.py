"""Members on their way to the API: so many at a time, each batch whole or not at all."""

import csv
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Protocol, TextIO

from holdfast.client import Door
from holdfast.imports.sheet import Read

AT_ONCE = 500


class Teller(Protocol):
    def __call__(self, line: int, why: str) -> None:
        """Tell the person what is wrong with a line."""
        ...


@dataclass
class Tally:
    """What has become of the lines so far."""

    added: int = 0
    known: int = 0
    refused: int = 0
    held_back: int = 0
    """Right by themselves, in a batch that was not entered for another one's sake."""


@dataclass(frozen=True)
class Wishes:
    """How the list shall be taken."""

    keep_ids: bool = False
    mend_names: bool = False
    dry_run: bool = False


class Carrier:
    def __init__(self, door: Door, wishes: Wishes, tell: Teller, mapping: TextIO | None = None) -> None:
        self._door = door
        self._wishes = wishes
        self._tell = tell
        self._mapping = csv.writer(mapping, lineterminator="\n") if mapping is not None else None
        if self._mapping is not None:
            self._mapping.writerow(("old_id", "id", "name"))
        self.tally = Tally()

    def carry(self, lines: Iterable[Read], progress: Callable[[], None] = lambda: None) -> Tally:
        """Bring all over, batch by batch; a batch with a wrong line is only looked at."""
        left = iter(lines)
        while batch := list(islice(left, AT_ONCE)):
            self.take(batch)
            progress()
        return self.tally

    def take(self, batch: Sequence[Read]) -> dict[int, int]:
        """Returns the numbers that they have here, by those that they had."""
        wrong = [one for one in batch if one.member is None]
        for one in wrong:
            self._tell(one.line, one.why)
        members = [one.member for one in batch if one.member is not None]
        dry = self._wishes.dry_run or bool(wrong)
        answer = self._door.post(
            "/members/import",
            {
                "members": members,
                "keep_ids": self._wishes.keep_ids,
                "mend_names": self._wishes.mend_names,
                "dry_run": dry,
            },
        )
        fates = [outcome["fate"] for outcome in answer["outcomes"]]
        for outcome in answer["outcomes"]:
            if outcome["fate"] == "refused":
                self._tell(outcome["line"], outcome["why"])
        tally = self.tally
        tally.refused += fates.count("refused") + len(wrong)
        tally.known += fates.count("known")
        if answer["entered"] or (self._wishes.dry_run and not wrong and "refused" not in fates):
            tally.added += fates.count("added")
        else:
            tally.held_back += fates.count("added")
        numbers = list(_numbers(members, answer["outcomes"]))
        if self._mapping is not None:
            self._mapping.writerows(numbers)
        return {old: new for old, new, _ in numbers}


def _numbers(members: list[dict[str, Any]], outcomes: list[dict[str, Any]]) -> Iterator[tuple[Any, ...]]:
    """Old and new number of those who have both."""
    for member, outcome in zip(members, outcomes, strict=True):
        if member.get("id") is not None and outcome["id"] is not None:
            yield member["id"], outcome["id"], outcome["name"]
