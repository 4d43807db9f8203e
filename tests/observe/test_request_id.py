"""Every request has one id, its own or a safe one that the caller brought."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.observe.request_id import accept_request_id, new_request_id


def test_every_new_id_is_another_and_would_be_accepted() -> None:
    ids = {new_request_id() for _ in range(1000)}
    assert len(ids) == 1000
    assert all(accept_request_id(each) == each for each in ids)


@pytest.mark.parametrize("offered", ["b7ad6b7169203331", "0af7651916cd43dd-8448eb211c80319c", "job.17_retry"])
def test_a_safe_id_of_the_caller_is_kept(offered: str) -> None:
    assert accept_request_id(offered) == offered


@pytest.mark.parametrize(
    "offered", [None, "", "short", "x" * 65, "with space", "line\nbreak", "ümlaut-id", "12345678\n"]
)
def test_an_unsafe_id_of_the_caller_is_replaced(offered: str | None) -> None:
    assert accept_request_id(offered) != offered


@given(st.text())
def test_whatever_is_offered_the_id_can_stand_in_a_header(offered: str) -> None:
    assert re.fullmatch(r"[A-Za-z0-9._-]{8,64}", accept_request_id(offered))
