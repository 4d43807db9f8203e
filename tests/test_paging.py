"""Cursors come back as they went out, and nothing else is taken for one."""

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.errors import InvalidError
from holdfast.paging import decode_cursor, encode_cursor

INT = st.integers(-(2**63), 2**63 - 1)
FLOAT = st.floats(allow_nan=False, allow_infinity=False)
TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=60)


@given(FLOAT, INT, TEXT)
def test_a_cursor_comes_back_as_it_went_out(at: float, number: int, name: str) -> None:
    assert decode_cursor(encode_cursor(at, number, name), float, int, str) == (at, number, name)


@given(st.text(max_size=200))
def test_no_made_up_text_does_harm(text: str) -> None:
    try:
        (number,) = decode_cursor(text, int)
    except InvalidError:
        return
    assert encode_cursor(number) == text


def raw(text: str) -> str:
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[",
        "é",
        raw("[1"),
        raw("{}"),
        raw("[1,2]"),
        raw("[true]"),
        raw("[1.0]"),
        raw('["1"]'),
        raw("[ 1]"),
        raw("[null]"),
        raw("[[1]]"),
        raw(f"[{2**63}]"),
        raw("[" * 700),
        encode_cursor(1) + "=",
        encode_cursor(1)[:-1],
        encode_cursor(1) * 400,
    ],
)
def test_a_cursor_that_was_tampered_with_is_refused(text: str) -> None:
    with pytest.raises(InvalidError, match="start again without one"):
        decode_cursor(text, int)


@pytest.mark.parametrize("text", [raw("[NaN]"), raw("[Infinity]"), raw("[1e999]"), raw("[1]")])
def test_only_real_numbers_pass_as_times(text: str) -> None:
    with pytest.raises(InvalidError):
        decode_cursor(text, float)


def test_a_text_that_a_database_cannot_take_is_refused() -> None:
    with pytest.raises(InvalidError):
        decode_cursor(encode_cursor("a\0b"), str)
