"""A torrent is handed out under new trackers, and its info hash does not change."""

import libtorrent
import pytest

from holdfast.errors import InvalidError
from holdfast.wire.bencode import decode, encode
from holdfast.wire.metainfo import parse_torrent
from holdfast.wire.torrent_write import with_announce, write_torrent

from .torrents import LAYERS, hybrid, one_file, torrent

HERE = "https://tracker.example/0123456789abcdef/announce"
THERE = "udp://tracker.example:6969"
UNSORTED = b"d6:lengthi5e12:piece lengthi16384e6:pieces20:" + bytes(20) + b"4:name1:ae"


def test_the_info_and_piece_layers_are_kept_to_the_byte() -> None:
    original = torrent(
        hybrid(), piece_layers=LAYERS, announce=b"http://elsewhere/", url_list=b"http://web.seed/"
    )
    before = parse_torrent(original)
    after = parse_torrent(
        with_announce(
            original, [HERE, THERE], comment="für uns", created_by="Holdfast", created_at=1_800_000_000
        )
    )
    assert after.tracker_hashes == before.tracker_hashes
    assert (after.info_bytes, after.piece_layers) == (before.info_bytes, before.piece_layers)
    assert (after.comment, after.created_by, after.created_at) == ("für uns", "Holdfast", 1_800_000_000)


def test_even_an_info_with_unsorted_keys_is_kept_to_the_byte() -> None:
    written = with_announce(b"d4:info" + UNSORTED + b"8:announce1:xe", [HERE])
    assert parse_torrent(written, strict=False).info_bytes == UNSORTED


def test_trackers_web_seeds_and_nodes_of_elsewhere_are_left_out() -> None:
    original = torrent(
        one_file(),
        announce=b"http://elsewhere/",
        announce_list=[[b"x"]],
        nodes=[],
        httpseeds=[b"http://web.seed/"],
    )
    assert decode(with_announce(original, [HERE])) == {b"announce": HERE.encode(), b"info": one_file()}


def test_each_tracker_has_a_tier_of_its_own_that_clients_understand() -> None:
    written = with_announce(torrent(one_file()), [HERE, THERE])
    read = libtorrent.load_torrent_buffer(written)
    assert list(zip(read.trackers, read.tracker_tiers, strict=True)) == [(HERE, 0), (THERE, 1)]


def test_a_torrent_without_trackers_can_be_written() -> None:
    assert decode(write_torrent(encode(one_file()), None, [])) == {b"info": one_file()}


@pytest.mark.parametrize(
    "url",
    [
        "",
        "tracker",
        "ftp://host/",
        "http://",
        "http:///announce",
        "http://a b/",
        "http://é/",
        "http://[::1/x",
    ],
)
def test_what_is_no_address_of_a_tracker_is_refused(url: str) -> None:
    with pytest.raises(
        InvalidError, match=r"no tracker's address; write it like https://host/passkey/announce"
    ):
        with_announce(torrent(one_file()), [HERE, url])


def test_what_holds_no_info_is_refused() -> None:
    with pytest.raises(InvalidError, match="no info dictionary"):
        with_announce(b"de", [HERE])
