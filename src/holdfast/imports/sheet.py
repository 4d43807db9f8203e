"""A list of members as a spreadsheet saves it: read line by line, however many there are."""

import csv
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, BinaryIO, Final

from holdfast.errors import InvalidError

LONGEST_LINE: Final = 65_536
LONGEST_CELL: Final = 256
"""In bytes: more no cell needs, and so many lines go to the API at once."""
NUMBER: Final = re.compile(r"[0-9]{1,18}")
WORDS: Final = {"1": True, "yes": True, "true": True, "0": False, "no": False, "false": False}
NEEDED: Final = ("name", "passkey")


@dataclass(frozen=True, slots=True)
class Read:
    """One member, in the words of the API; or why the line says none."""

    line: int
    member: dict[str, Any] | None = None
    why: str = ""


class WrongCellError(ValueError):
    """What stands in a cell cannot be meant."""


def _number(cell: str) -> int:
    if not NUMBER.fullmatch(cell):
        raise WrongCellError("a whole number")
    return int(cell)


def _switch(cell: str) -> bool:
    if cell.lower() not in WORDS:
        raise WrongCellError("yes or no")
    return WORDS[cell.lower()]


def _moment(cell: str) -> float:
    """Seconds since 1970, or a day, or a moment in UTC."""
    if NUMBER.fullmatch(cell):
        return float(cell)
    try:
        read = datetime.fromisoformat(cell)
    except ValueError as error:
        raise WrongCellError("a day as 2015-12-19, or seconds since 1970") from error
    return (read if read.tzinfo else read.replace(tzinfo=UTC)).timestamp()


COLUMNS: Final[Mapping[str, tuple[str, Callable[[str], Any]]]] = {
    "name": ("name", str),
    "passkey": ("passkey", str),
    "id": ("id", _number),
    "email": ("email", str),
    "uploaded": ("uploaded", _number),
    "downloaded": ("downloaded", _number),
    "enabled": ("enabled", _switch),
    "can_leech": ("may_leech", _switch),
    "joined": ("joined", _moment),
    "roles": ("roles", str.split),
}
"""What each column is called in the API, and how its cells are read; an empty cell says nothing."""


def read_members(file: BinaryIO) -> Iterator[Read]:
    """Every line below the header, in order; a header that makes no sense is raised."""
    rows = csv.reader(_lines(file), strict=True)
    header = _header(next(rows, []))
    while True:
        try:
            cells = next(rows)
        except StopIteration:
            return
        except csv.Error as error:
            yield Read(rows.line_num, why=f"This is no line of a CSV file: {error}.")
            continue
        if cells:
            yield _read(rows.line_num, header, cells)


def _lines(file: BinaryIO) -> Iterator[str]:
    first = True
    while line := file.readline(LONGEST_LINE + 1):
        if len(line) > LONGEST_LINE:
            raise InvalidError(f"A line of this file is longer than {LONGEST_LINE} bytes; is it a CSV file?")
        text = line.decode("utf-8", "surrogateescape")
        yield text.removeprefix("\ufeff") if first else text
        first = False


def _header(cells: list[str]) -> list[str]:
    names = [cell.strip().lower() for cell in cells]
    unknown = [name for name in names if name not in COLUMNS]
    missing = [name for name in NEEDED if name not in names]
    if unknown or missing or len(set(names)) < len(names):
        raise InvalidError(
            f"The first line must name the columns: {', '.join(NEEDED)}, and any of "
            f"{', '.join(name for name in COLUMNS if name not in NEEDED)}, each once; it is: "
            f"{', '.join(names)[:200] or 'empty'}."
        )
    return names


def _read(line: int, header: list[str], cells: list[str]) -> Read:
    if len(cells) != len(header):
        return Read(line, why=f"This line has {len(cells)} cells where the header has {len(header)}.")
    member: dict[str, Any] = {"line": line}
    for name, cell in zip(header, cells, strict=True):
        field, taken = COLUMNS[name]
        said = cell.strip()
        if not said and name not in NEEDED:
            continue
        try:
            if len(said.encode()) > LONGEST_CELL:
                return Read(line, why=f"The column {name} is longer than {LONGEST_CELL} bytes.")
            member[field] = taken(said)
        except UnicodeEncodeError:
            return Read(line, why=f"The column {name} is not written in UTF-8.")
        except WrongCellError as error:
            return Read(line, why=f"The column {name} must be {error}.")
    return Read(line, member)
