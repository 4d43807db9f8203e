"""CSV files as spreadsheets and scripts write them, and as accidents leave them."""

import io
import tracemalloc
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.errors import InvalidError
from holdfast.imports.sheet import LONGEST_LINE, Read, read_members

PASSKEY = "0" * 32


def read(text: str | bytes) -> list[Read]:
    return list(read_members(io.BytesIO(text.encode() if isinstance(text, str) else text)))


def member(text: str | bytes) -> dict[str, Any]:
    (one,) = read(text)
    assert one.member is not None, one.why
    return one.member


def why(text: str | bytes) -> str:
    (one,) = read(text)
    assert one.member is None
    return one.why


def test_every_column_is_read() -> None:
    header = "name,passkey,id,email,uploaded,downloaded,enabled,can_leech,joined,roles"
    row = f"ann,{PASSKEY},501,ann@example.org,10,20,yes,0,1450483200,moderator operator"
    assert member(f"{header}\n{row}\n") == {
        "line": 2,
        "name": "ann",
        "passkey": PASSKEY,
        "id": 501,
        "email": "ann@example.org",
        "uploaded": 10,
        "downloaded": 20,
        "enabled": True,
        "may_leech": False,
        "joined": 1_450_483_200.0,
        "roles": ["moderator", "operator"],
    }


def test_columns_come_in_any_order_and_case_and_empty_cells_say_nothing() -> None:
    assert member("\ufeffPassKey , NAME,id\r\nabc, ann ,\r\n") == {"line": 2, "name": "ann", "passkey": "abc"}


def test_lines_are_numbered_as_an_editor_numbers_them() -> None:
    found = read('name,passkey\n\nann,1\n"bob\n",2\n\ncid,3')
    assert [(one.line, (one.member or {}).get("name")) for one in found] == [
        (3, "ann"),
        (5, "bob"),
        (7, "cid"),
    ]


@pytest.mark.parametrize("day", ["2015-12-19", "2015-12-19T00:00", "2015-12-19 01:00:00+01:00", "1450483200"])
def test_a_moment_is_written_in_many_ways(day: str) -> None:
    assert member(f"name,passkey,joined\nann,1,{day}\n")["joined"] == 1_450_483_200


@pytest.mark.parametrize(
    ("row", "sentence"),
    [
        ("ann,1,x,,", "id must be a whole number"),
        ("ann,1,-5,,", "id must be a whole number"),
        ("ann,1,٣,,", "id must be a whole number"),
        ("ann,1,5.0,,", "id must be a whole number"),
        ("ann,1,,maybe,", "enabled must be yes or no"),
        ("ann,1,,,yesterday", "joined must be a day"),
        ("ann,1,,,9999-99-99", "joined must be a day"),
        ("ann,1," + "9" * 19 + ",,", "id must be a whole number"),
        ("x" * 257 + ",1,,,", "name is longer than 256 bytes"),
        ("ann,1", "2 cells where the header has 5"),
        ("ann,1,,,,,", "7 cells where the header has 5"),
        ('"ann"x,1,,,', "no line of a CSV file"),
        ('"ann,1,,,', "no line of a CSV file"),
    ],
)
def test_a_wrong_line_says_what_is_wrong(row: str, sentence: str) -> None:
    assert sentence in why(f"name,passkey,id,enabled,joined\n{row}\n")


def test_the_lines_after_a_wrong_one_are_read() -> None:
    found = read('name,passkey\n"ann"x,1\nbob,2\n')
    assert [one.member is None for one in found] == [True, False]


def test_bytes_that_are_no_utf_8_are_told_and_not_guessed_at() -> None:
    assert "not written in UTF-8" in why(b"name,passkey\nJ\xf6rg,1\n")


@pytest.mark.parametrize(
    "header",
    ["", "name", "passkey", "name,passkey,karma", "name,passkey,name", "ann," + PASSKEY, "name;passkey"],
)
def test_a_header_that_makes_no_sense_is_refused_before_anything_is_read(header: str) -> None:
    with pytest.raises(InvalidError, match="The first line must name the columns"):
        read(f"{header}\nann,1\n")


def test_a_line_without_end_is_not_read_into_memory() -> None:
    with pytest.raises(InvalidError, match="is it a CSV file"):
        read("name,passkey\n" + "x" * (2 * LONGEST_LINE))


def test_however_many_lines_there_are_no_more_memory_is_taken() -> None:
    class Endless(io.RawIOBase):
        """Lines that are made when they are asked for."""

        def __init__(self) -> None:
            self.left = 100_000

        def readable(self) -> bool:
            return True

        def readinto(self, into: Any) -> int:
            lines = b"".join(b"member%d,%032d\n" % (n, n) for n in self._some(len(into) // 64))
            into[: len(lines)] = lines
            return len(lines)

        def _some(self, many: int) -> Iterator[int]:
            for _ in range(min(many, self.left)):
                yield self.left
                self.left -= 1

    file = io.BufferedReader(Endless())
    head = io.BytesIO(b"name,passkey\n")

    class Both(io.BytesIO):
        def readline(self, size: int | None = -1, /) -> bytes:
            return head.readline() or file.readline(size if size is not None else -1)

    tracemalloc.start()
    try:
        count = sum(one.member is not None for one in read_members(Both()))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert count == 100_000
    assert peak < 1_000_000


@given(st.binary(max_size=300))
def test_no_bytes_at_all_do_more_than_be_refused(data: bytes) -> None:
    for one in read(b"name,passkey,joined,roles\n" + data):
        assert (one.member is None) == bool(one.why)
