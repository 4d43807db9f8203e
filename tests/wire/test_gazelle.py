"""What Gazelle sites write is read as they mean it; what nobody can mean is refused with a sentence."""

from collections.abc import Callable
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.errors import InvalidError
from holdfast.wire.gazelle import (
    REASONS,
    AddTorrent,
    ChangePace,
    DeleteTorrent,
    Leech,
    RemoveUsers,
    ReportUser,
    UpdateTorrents,
    UpdateUser,
    read_report,
    read_update,
)

HASHES = st.binary(min_size=20, max_size=20)


@given(HASHES, st.integers(1, 2**32 - 1), st.sampled_from(Leech))
def test_any_hash_comes_through(info_hash: bytes, number: int, leech: Leech) -> None:
    said = f"action=add_torrent&info_hash={quote(info_hash, safe='')}&id={number}&freetorrent={leech}"
    assert read_update(said.encode()) == AddTorrent(info_hash, number, leech)


@given(st.lists(HASHES, max_size=50), st.sampled_from(["update_torrent", "update_torrents"]))
def test_a_list_has_nothing_between_its_members(hashes: list[bytes], verb: str) -> None:
    listed = "".join(quote(info_hash, safe="") for info_hash in hashes)
    said = f"action={verb}&info_hashes={listed}&freetorrent=1"
    assert read_update(said.encode()) == UpdateTorrents(tuple(hashes), Leech.FREE)


def test_passkeys_in_a_list_have_32_signs_each() -> None:
    assert read_update(b"action=remove_users&passkeys=" + b"a" * 32 + b"B" * 32) == RemoveUsers(
        ("a" * 32, "B" * 32)
    )


@pytest.mark.parametrize(("number", "reason"), [(0, "Dupe"), (1, "Trump"), (22, "Audience Recording")])
def test_reasons_are_known_by_number(number: int, reason: str) -> None:
    assert len(REASONS) == 23
    said = b"action=delete_torrent&info_hash=" + b"x" * 20 + b"&reason=%d" % number
    assert read_update(said) == DeleteTorrent(b"x" * 20, reason)


def test_what_is_not_said_of_a_user_is_allowed() -> None:
    assert read_update(b"action=update_user&passkey=abc") == UpdateUser("abc", can_leech=True, visible=True)
    said = b"action=update_user&passkey=abc&can_leech=0&visible=0"
    assert read_update(said) == UpdateUser("abc", can_leech=False, visible=False)


def test_of_what_is_said_twice_the_last_counts() -> None:
    said = b"action=update_announce_jitter&new_announce_jitter=5&new_announce_jitter=9"
    assert read_update(said) == ChangePace(jitter=9)


def test_reports() -> None:
    assert read_report(b"get=user&key=abc") == ReportUser("abc")
    for said in (b"", b"get=jemalloc", b"get=user", b"get=user&key=", b"get=torrent&info_hash=x"):
        with pytest.raises(InvalidError):
            read_report(said)


@given(
    st.binary(max_size=60),
    st.sampled_from([b"", b"action=", b"get=", b"action=add_user&", b"action=delete_torrent&info_hash="]),
    st.sampled_from([read_update, read_report]),
)
def test_any_bytes_at_all_are_read_or_refused_in_a_sentence_fit_to_be_shown(
    rest: bytes, start: bytes, read: Callable[[bytes], object]
) -> None:
    refusal = "None."
    try:
        read(start + rest)
    except InvalidError as error:
        refusal = str(error)
    assert refusal.isprintable()
    assert refusal.endswith(".")
