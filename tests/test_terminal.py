"""What commands show: tables that fit, JSON that is whole, text that cannot command a terminal."""

import json

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from holdfast.terminal import GAP, NARROWEST, cells, listed, printable, shown, size, table, when

words = st.text(st.characters(exclude_categories=["C", "Z"]), max_size=40)
tables = st.integers(1, 5).flatmap(
    lambda width: st.lists(st.lists(words, min_size=width, max_size=width), min_size=1, max_size=6)
)
COLUMNS = [("name", lambda one: one["name"]), ("size", lambda one: one["size"])]
ITEMS = [{"name": "long " * 30, "size": 1, "more": "x"}, {"name": "b", "size": 20, "more": ""}]


@given(rows=tables, width=st.integers(1, 200))
def test_a_table_fits_wherever_its_columns_can_still_be_told_apart(rows: list[list[str]], width: int) -> None:
    columns = len(rows[0])
    assume(width >= columns * NARROWEST + len(GAP) * (columns - 1))
    lines = table(rows, width)
    assert len(lines) == len(rows)
    assert max(map(cells, lines)) <= width


@given(rows=tables)
def test_a_table_that_has_room_is_never_cut(rows: list[list[str]]) -> None:
    for row, line in zip(rows, table(rows, None), strict=True):
        assert line.split() == " ".join(row).split()
        assert all(cell in line for cell in row)


def test_the_widest_column_gives_way_first() -> None:
    assert table([["id", "a long name"], ["1", "another long name"]], 12) == [
        "id  a long…",
        "1   another…",
    ] or (table([["id", "a long name"], ["1", "another long name"]], 12) == ["id  a long …", "1   another…"])


def test_signs_of_east_asia_take_two_places_and_accents_none() -> None:
    assert (cells("日本"), cells("é"), cells("e\u0301")) == (4, 1, 1)


def test_a_pipe_gets_every_row_whole(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    listed(ITEMS, COLUMNS, as_json=False, empty="")
    out = capsys.readouterr().out
    assert ("long " * 30).strip() in out
    assert "\x1b" not in out


def test_what_stands_below_a_row_is_indented_and_wrapped(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    listed(ITEMS, COLUMNS, as_json=False, empty="", below=lambda one: one["more"] * 100)
    heading, first, *below, last = capsys.readouterr().out.splitlines()
    assert heading.split() == ["name", "size"]
    assert first.endswith("1")
    assert last.startswith("b ")
    assert "".join(line.strip() for line in below) == "x" * 100
    assert all(line.startswith("    x") and len(line) <= 40 for line in below)


def test_json_has_every_field_and_is_an_array_even_when_empty(capsys: pytest.CaptureFixture[str]) -> None:
    listed(ITEMS, COLUMNS, as_json=True, empty="nothing")
    assert json.loads(capsys.readouterr().out) == ITEMS
    listed([], COLUMNS, as_json=True, empty="nothing")
    assert capsys.readouterr() == ("[]\n", "")


def test_an_empty_listing_says_what_to_do_where_people_read(capsys: pytest.CaptureFixture[str]) -> None:
    listed([], COLUMNS, as_json=False, empty="Add one.")
    assert capsys.readouterr() == ("", "Add one.\n")


@given(st.text())
def test_no_text_of_others_reaches_the_terminal_as_a_command(text: str) -> None:
    assert printable(text).isprintable()
    assert len(printable(text)) == len(text)


def test_names_with_commands_in_them_are_shown_harmless(capsys: pytest.CaptureFixture[str]) -> None:
    evil = {"name": "\x1b[2Jgone\n\r[bold]", "size": 1}
    listed([evil], COLUMNS, as_json=False, empty="")
    shown({"name": evil["name"]}, evil, as_json=False)
    out = capsys.readouterr().out
    assert "\x1b" not in out
    assert "�[2Jgone��[bold]" in out


@given(st.integers(0, 2**70))
def test_a_size_is_short_and_keeps_its_order_of_magnitude(count: int) -> None:
    number, unit = size(count).split()
    exponent = ("B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB").index(unit)
    assert abs(float(number) * 1024**exponent - count) <= max(count * 0.06, 0.5)
    assert len(number) <= 6


def test_times_are_in_utc_and_none_is_never() -> None:
    assert when(0.0) == "1970-01-01 00:00"
    assert when(None) == "never"
