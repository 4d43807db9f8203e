"""Addresses and bodies of volunteers' other programs are read as they are meant, and nothing else is."""

import contextlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.errors import InvalidError
from holdfast.wire.errands import (
    MOST_FED,
    Errand,
    Warrior,
    Wish,
    read_callback,
    read_errand,
    read_fed,
    read_form,
    read_warrior,
)

NOBODY = Warrior(0, "", "", "")


@pytest.mark.parametrize(
    ("method", "path", "wish"),
    [
        ("POST", "/backfeed/legacy/secret", Wish(Errand.BACKFEED, None, "secret")),
        ("POST", "/demo/rescue-me", Wish(Errand.RESCUE, "demo")),
        ("POST", "/api/register.json", Wish(Errand.REGISTER)),
        ("POST", "/api/update.json", Wish(Errand.UPDATE)),
        ("GET", "/now", Wish(Errand.NOW)),
        ("GET", "/projects.json", Wish(Errand.PROJECTS)),
        ("GET", "/dictionary", Wish(Errand.DICTIONARY)),
        ("GET", "/", Wish(Errand.HOME)),
        ("HEAD", "/demo", Wish(Errand.HOME, "demo")),
        ("GET", "/demo/", Wish(Errand.HOME, "demo")),
        ("GET", "/demo//", None),
        ("GET", "/demo/x", None),
        ("GET", "/Demo", None),
        ("GET", "/api/register.json", None),
        ("POST", "/backfeed/legacy/", None),
        ("POST", "/backfeed/legacy/a/b", None),
        ("POST", "/now", None),
        ("POST", "/api/v1/register.json", None),
        ("DELETE", "/", None),
        (None, "/", None),
    ],
)
def test_an_address_asks_for_one_thing(method: str | None, path: str, wish: Wish | None) -> None:
    assert read_errand(method, path) == wish


NAMES = st.lists(st.text(st.characters(exclude_characters="\0\x1f", exclude_categories=["Cs"]), min_size=1))


@given(NAMES)
def test_what_is_fed_comes_out_as_it_went_in(names: list[str]) -> None:
    body = "".join(f"{name}\0" for name in names).encode()
    assert read_fed(b"", body) == names
    assert read_fed(b"shard=3&delimiter=%00", body) == names


@given(NAMES)
def test_of_three_parts_the_item_is_the_one_in_the_middle(names: list[str]) -> None:
    body = "".join(f"key\x1f{name}\x1fmore\0" for name in names).encode()
    assert read_fed(b"itemseparator=%1F&delimiter=%00", body) == names


@pytest.mark.parametrize(
    ("query", "body"), [(b"", b"\xff\0"), (b"", b"a\0" * (MOST_FED + 1)), (b"delimiter=123456789", b"a")]
)
def test_too_much_and_nonsense_is_refused(query: bytes, body: bytes) -> None:
    with pytest.raises(InvalidError):
        read_fed(query, body)


def test_a_form_has_items_in_it() -> None:
    assert read_form(b"items=a%0Ab+c&other=1") == "a\nb c"
    assert read_form(b"") == ""


@pytest.mark.parametrize("body", [b"items=%ff", b"\xff", b"items=" + b"a" * 70_000])
def test_a_form_that_is_none_is_refused(body: bytes) -> None:
    with pytest.raises(InvalidError):
        read_form(body)


def test_a_callback_is_a_name() -> None:
    assert read_callback(b"callback=jQuery123_4.done&_=1") == "jQuery123_4.done"
    assert read_callback(b"") == ""


@pytest.mark.parametrize("said", [b"alert(1)", b"a%0A", b"a..b", b".a", b"a;b", b"%3Cscript%3E", b"a" * 65])
def test_anything_else_is_no_callback(said: bytes) -> None:
    with pytest.raises(InvalidError):
        read_callback(b"callback=" + said)


def test_what_a_warrior_says_is_kept_as_far_as_it_makes_sense() -> None:
    said = {"warrior_id": "7", "lat_lng": None, "downloader": "ann", "selected_project": "auto"}
    assert read_warrior(json.dumps({"warrior": said}).encode()) == Warrior(7, "ann", "auto", "")
    strange = {"warrior_id": "-7", "lat_lng": {}, "downloader": "<b>", "selected_project": "../x"}
    assert read_warrior(json.dumps({"warrior": strange}).encode()) == NOBODY
    assert read_warrior(b"{}") == NOBODY


@given(st.binary(max_size=200))
def test_nothing_that_comes_instead_does_harm(body: bytes) -> None:
    for read in (read_warrior, read_form, lambda said: read_fed(said, said), read_callback):
        with contextlib.suppress(InvalidError):
            read(body)
