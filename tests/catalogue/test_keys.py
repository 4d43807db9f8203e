"""The catalogue's live keys bear the seeds' names to the letter, and the same with braces on a cluster."""

import pytest

from holdfast.catalogue import keys
from holdfast.store.live import KeyName, Layout

HASH = "a" * 40
PASSKEY = "b" * 32
EVERY = [one for one in vars(keys).values() if isinstance(one, KeyName)]


def test_the_seeds_names_are_written_to_the_letter() -> None:
    assert keys.INFO_HASH.name(Layout.CLASSIC, info_hash=HASH) == f"t:info_hash:{HASH}"
    assert keys.USER.name(Layout.CLASSIC, passkey=PASSKEY) == f"t:user:{PASSKEY}"
    assert keys.WHITELIST.name(Layout.CLASSIC) == "t:whitelist"


def test_on_a_cluster_all_that_the_tracker_reads_stands_together() -> None:
    assert keys.INFO_HASH.name(Layout.TAGGED, info_hash=HASH) == f"{{t}}:info_hash:{HASH}"
    assert keys.USER.name(Layout.TAGGED, passkey=PASSKEY) == f"{{t}}:user:{PASSKEY}"
    assert keys.WHITELIST.name(Layout.TAGGED) == "{t}:whitelist"


@pytest.mark.parametrize("key", EVERY, ids=lambda key: key.pattern)
def test_a_key_is_the_seeds_or_says_that_it_is_our_own(key: KeyName) -> None:
    assert key.pattern.startswith(("t:", "hf:"))


@pytest.mark.parametrize("layout", Layout)
@pytest.mark.parametrize("key", EVERY, ids=lambda key: key.pattern)
def test_a_name_can_be_read_back(key: KeyName, layout: Layout) -> None:
    values = dict.fromkeys(key.parts, HASH)
    assert key.parse(layout, key.name(layout, **values)) == values


def test_the_names_of_different_keys_are_never_the_same() -> None:
    for layout in Layout:
        names = [key.name(layout, **dict.fromkeys(key.parts, HASH)) for key in EVERY]
        assert len(set(names)) == len(names)
