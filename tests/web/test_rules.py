"""What the door believes of a request, and what it does not."""

import pytest

from holdfast.web.rules import bearer, is_ours


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"host": "here:8080", "origin": "http://here:8080"},
        {"host": "here:8080", "origin": "http://HERE:8080", "sec-fetch-site": "same-origin"},
        {"host": "127.0.0.1:8080", "origin": "https://holdfast.example.org"},
        {"host": "here", "sec-fetch-site": "none"},
    ],
)
def test_our_own_pages_and_programs_are_let_in(headers: dict[str, str]) -> None:
    assert is_ours(headers, "https://holdfast.example.org/")


@pytest.mark.parametrize(
    "headers",
    [
        {"host": "here", "origin": "null"},
        {"host": "here", "origin": ""},
        {"host": "here", "origin": "http://there"},
        {"host": "here:8080", "origin": "http://here:8081"},
        {"host": "here", "origin": "file://here"},
        {"host": "here", "origin": "http://here.evil.example"},
        {"host": "here", "origin": "http://here", "sec-fetch-site": "cross-site"},
        {"host": "here", "sec-fetch-site": "same-site"},
        {"host": "", "origin": "http://"},
    ],
)
def test_pages_of_other_sites_are_not(headers: dict[str, str]) -> None:
    assert not is_ours(headers, "https://holdfast.example.org")


@pytest.mark.parametrize(
    ("authorization", "token"),
    [
        ("Bearer abc", "abc"),
        ("bearer  abc ", "abc"),
        ("Basic abc", None),
        ("Bearer", None),
        ("Bearer ", None),
        ("Bearer \xe9", None),
        ("Bearer a\x7fb", None),
        ("Bearer " + "a" * 513, None),
    ],
)
def test_a_bearer_is_short_visible_ascii(authorization: str, token: str | None) -> None:
    assert bearer(authorization) == token
