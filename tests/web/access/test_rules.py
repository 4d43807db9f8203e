"""The shape of secrets, what a token may hand on, and whom an address stands for."""

import secrets

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.catalogue.model import Actor, Door, Scope
from holdfast.errors import ConflictError, InvalidError, RefusedError
from holdfast.web.access import rules

MACHINE = Actor(1, "ann", Door.API, scopes=frozenset({Scope.READ, Scope.WRITE}))


def test_what_we_make_has_the_shape_we_ask_for() -> None:
    for _ in range(100):
        assert rules.SECRET.fullmatch(secrets.token_urlsafe(32))
        assert rules.TOKEN.fullmatch(f"hf_{secrets.token_urlsafe(32)}")


@given(st.text(), st.text())
def test_only_the_same_text_is_the_same(a: str, b: str) -> None:
    if not any(0xD800 <= ord(character) <= 0xDFFF for character in a + b):
        assert rules.same(a, b) == (a == b)


def test_the_csrf_token_does_not_tell_the_cookie() -> None:
    cookie = secrets.token_urlsafe(32)
    assert rules.csrf_of(cookie) == rules.csrf_of(cookie)
    assert len(rules.csrf_of(cookie)) == 43
    assert rules.csrf_of(cookie) not in (cookie, rules.digest(cookie))


@pytest.mark.parametrize(
    ("last_used", "worth"), [(None, True), (1000.0, False), (941.0, False), (940.0, True), (5000.0, True)]
)
def test_a_use_is_worth_noting_once_a_minute_even_when_the_clock_jumps(
    last_used: float | None, worth: bool
) -> None:
    assert rules.worth_noting(last_used, 1000.0) == worth


@pytest.mark.parametrize("length", [0, 9, 1001])
def test_a_password_of_the_wrong_length_is_refused(length: int) -> None:
    with pytest.raises(InvalidError, match="10 to 1000"):
        rules.new_password("é" * length)
    assert rules.new_password("é" * 10)


def test_a_token_cannot_make_a_mightier_one() -> None:
    assert rules.token_scopes(MACHINE, [Scope.WRITE, Scope.READ, Scope.READ]) == (Scope.READ, Scope.WRITE)
    with pytest.raises(RefusedError, match="operate"):
        rules.token_scopes(MACHINE, [Scope.READ, Scope.OPERATE])
    with pytest.raises(InvalidError, match="at least one"):
        rules.token_scopes(MACHINE, [])


@pytest.mark.parametrize("expires", [0.0, 999.0, 1000.0, 1e18, float("nan"), float("inf")])
def test_a_token_expires_in_a_future_that_comes(expires: float) -> None:
    with pytest.raises(InvalidError):
        rules.token_expiry(expires, 1000.0)
    assert rules.token_expiry(None, 1000.0) is None
    assert rules.token_expiry(1001.0, 1000.0) == 1001.0


@pytest.mark.parametrize("name", ["", "  ", "a\nb", "a" * 65])
def test_a_tokens_name_is_one_line(name: str) -> None:
    with pytest.raises(InvalidError):
        rules.token_name(name)


def test_there_is_an_end_to_tokens() -> None:
    rules.room_for_token(99)
    with pytest.raises(ConflictError, match="delete one"):
        rules.room_for_token(100)


@pytest.mark.parametrize(
    ("body", "holds"),
    [
        (rb'"a\u0000b"', True),
        (rb'"a\\u0000b"', False),
        (rb'"a\\\u0000b"', True),
        (rb'"a\\\\u0000b"', False),
        (rb'"u0000"', False),
    ],
)
def test_a_nul_in_json_is_told_from_a_backslash(body: bytes, holds: bool) -> None:
    assert bool(rules.HOLDS_NUL.search(body)) == holds
