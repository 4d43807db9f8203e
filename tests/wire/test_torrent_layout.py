"""Every byte falls into exactly one piece, in order, and pieces keep to their length."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.wire.bencode import decode
from holdfast.wire.metainfo import TorrentVersion
from holdfast.wire.torrent_layout import Content, Plan, choose_piece_length, pieces, write_info

KIB = 1024
LENGTH = 16 * KIB
SIZES = st.lists(
    st.integers(0, 3 * LENGTH) | st.sampled_from([0, LENGTH - 1, LENGTH, LENGTH + 1]), max_size=8
)


def plan(sizes: list[int], version: TorrentVersion) -> Plan:
    files = [Content((f"{number}",), size) for number, size in enumerate(sizes)]
    return Plan("name", True, files, LENGTH, version, True, None)


@given(SIZES, st.sampled_from(TorrentVersion))
def test_every_byte_is_in_one_piece_and_in_order(sizes: list[int], version: TorrentVersion) -> None:
    made = plan(sizes, version)
    cut = list(pieces(made))
    assert [piece.index for piece in cut] == list(range(made.piece_count))
    covered = [0] * len(sizes)
    for piece in cut:
        for segment in piece.segments:
            assert segment.offset == covered[segment.file]
            assert not any(covered[segment.file + 1 :])
            covered[segment.file] += segment.size
    assert covered == sizes


@given(SIZES)
def test_v1_pieces_are_full_but_the_last(sizes: list[int]) -> None:
    filled = [
        sum(segment.size for segment in piece.segments) for piece in pieces(plan(sizes, TorrentVersion.V1))
    ]
    assert all(size == LENGTH for size in filled[:-1])
    assert not filled or 0 < filled[-1] <= LENGTH


@given(SIZES.filter(lambda sizes: len(sizes) > 1))
def test_pieces_of_a_hybrid_of_several_files_hold_one_file_and_are_filled_with_padding(
    sizes: list[int],
) -> None:
    cut = list(pieces(plan(sizes, TorrentVersion.HYBRID)))
    assert all(len(piece.segments) == 1 for piece in cut)
    assert all(piece.segments[0].size + piece.padding == LENGTH for piece in cut)


@pytest.mark.parametrize("folder", [True, False])
def test_a_hybrid_of_one_file_has_no_padding(folder: bool) -> None:
    made = Plan("name", folder, [Content(("name",), LENGTH + 5)], LENGTH, TorrentVersion.HYBRID, True, None)
    assert [piece.padding for piece in pieces(made)] == [0, 0]


@pytest.mark.parametrize(
    ("total", "length"),
    [
        (1, 16 * KIB),
        (2000 * 16 * KIB, 16 * KIB),
        (2000 * 16 * KIB + 1, 32 * KIB),
        (1024**3, 1024 * KIB),
        (10 * 1024**3, 8 * 1024 * KIB),
        (2**50, 16 * 1024 * KIB),
    ],
)
def test_the_piece_length_keeps_to_two_thousand_pieces_within_its_bounds(total: int, length: int) -> None:
    assert choose_piece_length(total) == length


@given(st.integers(32 * 1024 * KIB, 31 * 1024**3))
def test_between_its_bounds_a_torrent_has_one_to_two_thousand_pieces(total: int) -> None:
    assert 1000 <= -(-total // choose_piece_length(total)) <= 2000


def test_the_info_of_a_hybrid_lists_both_halves_and_the_padding_between() -> None:
    made = Plan(
        "name",
        True,
        [Content(("a", "b"), 10), Content(("a", "c"), 0), Content(("d",), 5)],
        LENGTH,
        TorrentVersion.HYBRID,
        True,
        "HF",
    )
    gap, tail = LENGTH - 10, LENGTH - 5
    assert decode(write_info(made, bytes(40), [bytes(32), None, bytes(32)])) == {
        b"file tree": {
            b"a": {b"b": {b"": {b"length": 10, b"pieces root": bytes(32)}}, b"c": {b"": {b"length": 0}}},
            b"d": {b"": {b"length": 5, b"pieces root": bytes(32)}},
        },
        b"files": [
            {b"length": 10, b"path": [b"a", b"b"]},
            {b"attr": b"p", b"length": gap, b"path": [b".pad", b"%d" % gap]},
            {b"length": 0, b"path": [b"a", b"c"]},
            {b"length": 5, b"path": [b"d"]},
            {b"attr": b"p", b"length": tail, b"path": [b".pad", b"%d" % tail]},
        ],
        b"meta version": 2,
        b"name": b"name",
        b"piece length": LENGTH,
        b"pieces": bytes(40),
        b"private": 1,
        b"source": b"HF",
    }


def test_a_public_torrent_of_one_file_has_neither_flag_nor_list() -> None:
    made = Plan("name", False, [Content(("name",), 10)], LENGTH, TorrentVersion.V1, False, None)
    assert decode(write_info(made, bytes(20), [None])) == {
        b"length": 10,
        b"name": b"name",
        b"piece length": LENGTH,
        b"pieces": bytes(20),
    }
