"""The hash trees of v2, against their plain definition."""

from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.wire.merkle import HASH, LEAF, file_root, merkle_root, padding_root, tree_width

LAYERS = st.integers(1, 70).map(lambda count: b"".join(bytes([number]) * HASH for number in range(count)))


def plain_root(hashes: list[bytes]) -> bytes:
    """The definition: a full binary tree over a power of two of hashes."""
    if len(hashes) == 1:
        return hashes[0]
    half = len(hashes) // 2
    return sha256(plain_root(hashes[:half]) + plain_root(hashes[half:])).digest()


def split(layer: bytes) -> list[bytes]:
    return [layer[at : at + HASH] for at in range(0, len(layer), HASH)]


@given(LAYERS, st.integers(0, 3))
def test_a_root_is_that_of_the_full_tree_of_zero_padding(layer: bytes, wider: int) -> None:
    hashes = split(layer)
    width = tree_width(len(hashes)) << wider
    assert merkle_root(layer, width) == plain_root(hashes + [bytes(HASH)] * (width - len(hashes)))


@given(LAYERS, st.integers(0, 4))
def test_the_root_of_a_piece_layer_is_the_root_of_all_its_leaves(leaves: bytes, doublings: int) -> None:
    piece = HASH << doublings
    layer = b"".join(
        merkle_root(leaves[at : at + piece], 1 << doublings) for at in range(0, len(leaves), piece)
    )
    width = max(tree_width(len(leaves) // HASH), 1 << doublings)
    assert file_root(layer, LEAF << doublings) == merkle_root(leaves, width)


def test_padding_as_wide_as_a_pebibyte_costs_nothing() -> None:
    assert padding_root(1) == bytes(HASH)
    assert padding_root(2) == sha256(bytes(2 * HASH)).digest()
    assert len(merkle_root(bytes(HASH), 1 << 36)) == HASH


@pytest.mark.parametrize(("leaves", "width"), [(0, 1), (1, 1), (2, 2), (3, 4), (4, 4), (5, 8), (1025, 2048)])
def test_a_tree_is_as_wide_as_the_next_power_of_two(leaves: int, width: int) -> None:
    assert tree_width(leaves) == width
