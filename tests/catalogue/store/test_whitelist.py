"""The whitelist: put on, taken off, and remembered when it is gone."""

import pytest

from holdfast.catalogue.model import WhitelistEntry
from holdfast.catalogue.store import truth, whitelist
from holdfast.errors import InvalidError, NotFoundError
from tests.catalogue.ground import Ground


def test_a_client_is_put_on_and_taken_off(ground: Ground) -> None:
    assert ground.change(whitelist.put, "-TR4", " Transmission 4 ") == WhitelistEntry(
        "-TR4", "Transmission 4"
    )
    assert ground.ask(whitelist.listing).items == [WhitelistEntry("-TR4", "Transmission 4")]
    ground.change(whitelist.remove, "-TR4")
    assert ground.ask(whitelist.listing).items == []


def test_putting_it_on_again_renames_it(ground: Ground) -> None:
    ground.change(whitelist.put, "-TR4", "old")
    ground.change(whitelist.put, "-TR4", "new")
    assert ground.ask(whitelist.listing).items == [WhitelistEntry("-TR4", "new")]
    (entry, *_) = ground.audited()
    assert (entry.before, entry.after) == ({"name": "old"}, {"name": "new"})


def test_prefixes_differ_by_case_as_peer_ids_do(ground: Ground) -> None:
    ground.change(whitelist.put, "-tr4", "small")
    ground.change(whitelist.put, "-TR4", "large")
    assert len(ground.ask(whitelist.listing).items) == 2
    with pytest.raises(NotFoundError):
        ground.change(whitelist.remove, "-Tr4")


def test_what_is_not_on_it_cannot_be_taken_off(ground: Ground) -> None:
    ground.change(whitelist.put, "-TR4", "Transmission")
    ground.change(whitelist.remove, "-TR4")
    for prefix in ("-TR4", "-XX", "x" * 1000):
        with pytest.raises(NotFoundError, match="not on the whitelist"):
            ground.change(whitelist.remove, prefix)


def test_one_that_is_gone_is_remembered_so_that_the_live_store_forgets_it(ground: Ground) -> None:
    ground.change(whitelist.put, "-TR4", "Transmission")
    ground.change(whitelist.remove, "-TR4")
    assert ground.ask(truth.after, "whitelist", "", 10) == [("whitelist", "-TR4")]
    assert ground.ask(truth.of, [("whitelist", "-TR4")]) == {("whitelist", "-TR4"): None}
    ground.change(whitelist.put, "-TR4", "again")
    (entry, *_) = ground.audited()
    assert entry.before is None


def test_what_makes_no_sense_is_refused(ground: Ground) -> None:
    for prefix, name in (("", "x"), ("a b", "x"), ("-TR4", ""), ("-TR4", "x" * 129)):
        with pytest.raises(InvalidError):
            ground.change(whitelist.put, prefix, name)
    assert ground.ask(whitelist.listing).items == []
    assert ground.behind() == []


def test_it_is_paged_by_prefix_on_both_databases_alike(ground: Ground) -> None:
    prefixes = ["-A", "-a", "-B", "{x}", "~", "!", "-qB4650-", "-TR4"]
    for prefix in prefixes:
        ground.change(whitelist.put, prefix, "client")
    seen: list[str] = []
    cursor = None
    while True:
        page = ground.ask(whitelist.listing, cursor=cursor, limit=3)
        seen += [one.prefix for one in page.items]
        cursor = page.next
        if cursor is None:
            break
    assert seen == sorted(prefixes)
