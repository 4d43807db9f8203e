"""Small torrents of every kind, made by hand so that a test can spoil one field."""

from collections.abc import Mapping
from hashlib import sha256

from holdfast.wire.bencode import Encodable, encode
from holdfast.wire.merkle import LEAF, file_root

LENGTH = LEAF
Fields = Mapping[bytes, Encodable]
Tree = Mapping[bytes, Encodable]


def without(fields: Fields, *keys: bytes) -> Fields:
    return {key: value for key, value in fields.items() if key not in keys}


def torrent(info: Fields, **top: Encodable) -> bytes:
    """A .torrent; keyword arguments are its other top-level keys, with _ for a space."""
    return encode({b"info": info, **{key.replace("_", " ").encode(): value for key, value in top.items()}})


def one_file(name: bytes = b"film.mkv", size: int = 40_000, **changes: Encodable) -> Fields:
    """The info of a v1 torrent of one file."""
    count = -(-max(size, 0) // LENGTH) if size < 1 << 30 else 1
    base: dict[bytes, Encodable] = {
        b"length": size,
        b"name": name,
        b"piece length": LENGTH,
        b"pieces": bytes(20 * count),
    }
    return base | {key.replace("_", " ").encode(): value for key, value in changes.items()}


def entry(
    *path: bytes, size: int = 100, attr: bytes | None = None, utf8: list[bytes] | None = None
) -> dict[bytes, Encodable]:
    """A file in the list of a v1 torrent."""
    listed: dict[bytes, Encodable] = {b"length": size, b"path": list(path)}
    if attr is not None:
        listed[b"attr"] = attr
    if utf8 is not None:
        listed[b"path.utf-8"] = utf8
    return listed


def folder(*entries: dict[bytes, Encodable], name: bytes = b"folder", pieces: int = 1) -> Fields:
    """The info of a v1 torrent of several files."""
    return {b"files": list(entries), b"name": name, b"piece length": LENGTH, b"pieces": bytes(20 * pieces)}


LAYER = bytes(32) + bytes([1]) * 32 + bytes([2]) * 32
LAYER_ROOT = file_root(LAYER, LENGTH)
SMALL_ROOT = sha256(b"small").digest()


def leaf(size: int, root: bytes | None) -> dict[bytes, Encodable]:
    inside: dict[bytes, Encodable] = {b"length": size}
    if root is not None:
        inside[b"pieces root"] = root
    return {b"": inside}


BIG = leaf(3 * LENGTH, LAYER_ROOT)
SMALL = leaf(100, SMALL_ROOT)
LAYERS: dict[bytes, Encodable] = {LAYER_ROOT: LAYER}


def tree(files: Tree | None = None, name: bytes = b"folder", **changes: Encodable) -> Fields:
    """The info of a v2 torrent; by default of a file of three pieces and one of less than a piece."""
    base: dict[bytes, Encodable] = {
        b"file tree": {b"big": BIG, b"small": SMALL} if files is None else files,
        b"meta version": 2,
        b"name": name,
        b"piece length": LENGTH,
    }
    return base | {key.replace("_", " ").encode(): value for key, value in changes.items()}


def hybrid(*entries: dict[bytes, Encodable], pieces: int = 4) -> Fields:
    """The info of a hybrid of the default tree; its v1 list is that of the tree unless given."""
    listed = list(entries) or [entry(b"big", size=3 * LENGTH), entry(b"small")]
    return dict(tree()) | {b"files": listed, b"pieces": bytes(20 * pieces)}
