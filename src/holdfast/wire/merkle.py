"""The hash trees of BitTorrent v2 (BEP 52): roots of 16 KiB leaves, padded with zero hashes."""

from hashlib import sha256

LEAF = 16 * 1024
HASH = 32
_ZERO = bytes(HASH)


def tree_width(leaves: int) -> int:
    """The smallest power of two that holds so many leaves."""
    return 1 << max(leaves - 1, 0).bit_length()


def padding_root(width: int) -> bytes:
    """The root of `width` leaves that lie beyond the end of the file."""
    return merkle_root(b"", width)


def merkle_root(layer: bytes, width: int, padding: bytes = _ZERO) -> bytes:
    """The root over `layer` (hashes end to end), filled up to `width` hashes with `padding`.

    Only nodes above real hashes are computed: the padding of a level is one hash, however wide.
    """
    while width > 1:
        if len(layer) // HASH % 2:
            layer += padding
        layer = b"".join([sha256(layer[at : at + 64]).digest() for at in range(0, len(layer), 64)])
        padding = sha256(padding + padding).digest()
        width //= 2
    return layer or padding


def file_root(piece_layer: bytes, piece_length: int) -> bytes:
    """The `pieces root` of a file longer than a piece, from the hashes of its pieces."""
    width = tree_width(len(piece_layer) // HASH)
    return merkle_root(piece_layer, width, padding_root(piece_length // LEAF))
