"""Listings by cursor: nothing twice, nothing missed, however much comes and goes in between."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.catalogue.store import audit, members, points, uploads
from holdfast.errors import InvalidError
from holdfast.paging import encode_cursor
from tests.catalogue.ground import Ground


def test_an_empty_listing_has_one_page(ground: Ground) -> None:
    page = ground.ask(uploads.listing)
    assert (page.items, page.next) == ([], None)


@pytest.mark.parametrize(
    ("count", "limit", "sizes"), [(3, 3, [3]), (4, 3, [3, 1]), (6, 3, [3, 3]), (2, 1, [1, 1])]
)
def test_the_last_page_is_known_to_be_the_last(
    ground: Ground, count: int, limit: int, sizes: list[int]
) -> None:
    for n in range(count):
        ground.member(f"member-{n}")
    found, cursor = [], None
    while True:
        page = ground.ask(members.listing, limit=limit, cursor=cursor)
        found.append(len(page.items))
        cursor = page.next
        if cursor is None:
            break
    assert found == sizes


@settings(max_examples=15)
@given(plan=st.lists(st.tuples(st.integers(1, 4), st.integers(0, 3)), min_size=1, max_size=6))
def test_what_stood_at_the_start_is_seen_once_whatever_is_added_meanwhile(
    ground: Ground, plan: list[tuple[int, int]]
) -> None:
    ann = ground.member(f"ann-{ground.ask(members.count)}")
    for _ in range(5):
        ground.change(points.give, ann, 1, "start")
    there = {one.id for one in ground.ask(points.listing, ann.id, limit=10_000).items}
    seen: list[int] = []
    cursor = None
    turn = 0
    while True:
        limit, more = plan[turn % len(plan)]
        page = ground.ask(points.listing, ann.id, limit=limit, cursor=cursor)
        seen += [one.id for one in page.items]
        for _ in range(more):
            ground.change(points.give, ann, 1, "meanwhile")
        turn += 1
        cursor = page.next
        if cursor is None:
            break
    assert seen == sorted(seen, reverse=True)
    assert len(seen) == len(set(seen))
    assert there <= set(seen)


def test_oldest_first_goes_on_to_what_was_added_meanwhile(ground: Ground) -> None:
    ground.member("ann")
    ground.member("bob")
    first = ground.ask(members.listing, limit=1)
    ground.member("cat")
    rest = ground.ask(members.listing, limit=9, cursor=first.next)
    assert [one.name for one in rest.items] == ["bob", "cat"]


def test_a_cursor_of_another_listing_is_refused(ground: Ground) -> None:
    for cursor in ("", "x", "é", encode_cursor("a"), encode_cursor(1, 2), encode_cursor(1.5)):
        with pytest.raises(InvalidError, match="cursor"):
            ground.ask(audit.listing, cursor=cursor)


def test_every_place_may_be_asked_for(ground: Ground) -> None:
    ground.member("ann")
    for place in (-(2**63), 0, 2**63 - 1):
        ground.ask(audit.listing, cursor=encode_cursor(place))
        ground.ask(members.listing, cursor=encode_cursor(place))
