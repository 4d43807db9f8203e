"""The files that a torrent names: the flat list of v1, the tree of v2, and both saying the same."""

from collections.abc import Iterator
from dataclasses import dataclass

from holdfast.errors import InvalidError
from holdfast.wire.bencode import Value
from holdfast.wire.merkle import HASH, file_root
from holdfast.wire.torrent_fields import Fields, optional, required
from holdfast.wire.torrent_names import path_danger, read_name, show

# One pebibyte: a thousand times the largest torrents there are, and exact in every language's numbers.
MAX_SIZE = 1 << 50
Path = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Listed:
    """One entry as a torrent lists it, padding included."""

    path: Path
    size: int
    pieces_root: bytes | None = None
    padding: bool = False
    guessed: bool = False


def read_torrent_name(info: Fields) -> tuple[str, bool]:
    """The torrent's own name, and whether its encoding was guessed."""
    raw = [required(info, b"name", bytes)]
    utf8 = optional(info, b"name.utf-8", bytes)
    path, guessed = _read_path(raw, None if utf8 is None else [utf8])
    return path[0], guessed


def read_file_list(info: Fields, name: str) -> list[Listed]:
    """The files of the v1 half, in the order in which their bytes follow each other."""
    files = optional(info, b"files", list)
    if files is None:
        return [Listed((name,), _read_size(info))]
    if b"length" in info:
        raise InvalidError(
            "The torrent says both that it is one file and that it is a folder; make it again."
        )
    return [_read_entry(entry) for entry in files]


def read_file_tree(info: Fields) -> list[Listed]:
    """The files of the v2 half, in the order of the tree."""
    return list(_walk(required(info, b"file tree", dict), ()))


def check_halves(flat: list[Listed], tree: list[Listed], piece_length: int) -> None:
    """Refuse a hybrid whose v1 list and v2 tree are not the same files, each on a piece boundary."""
    offset = 0
    real: list[Listed] = []
    for entry in flat:
        if not entry.padding:
            real.append(entry)
            if entry.size and offset % piece_length:
                raise InvalidError(
                    f"The hybrid torrent begins {show(entry.path)} inside a piece; make it again."
                )
        offset += entry.size
    for one, other in zip(real, tree, strict=False):
        if (one.path, one.size) != (other.path, other.size):
            raise InvalidError(
                f"The hybrid torrent names {show(one.path)} of {one.size} bytes to v1 clients where it "
                f"names {show(other.path)} of {other.size} bytes to v2 clients; make it again."
            )
    if len(real) != len(tree):
        raise InvalidError(
            f"The hybrid torrent names {len(real)} files to v1 clients but {len(tree)} to v2; make it again."
        )


def check_piece_layers(layers: Fields, files: list[Listed], piece_length: int) -> None:
    """Refuse piece layers that are missing, belong to no file, or do not hash to their file's root."""
    checked: set[bytes] = set()
    for entry in files:
        root = entry.pieces_root
        if root is None or root in checked or entry.size <= piece_length:
            continue
        layer = layers.get(root)
        if layer is None:
            raise InvalidError(
                f"The torrent lacks the piece layer of {show(entry.path)}; save it again from a client "
                "that has the whole torrent, since a magnet link does not bring the layers."
            )
        fits = isinstance(layer, bytes) and len(layer) == HASH * -(-entry.size // piece_length)
        if not fits or file_root(layer, piece_length) != root:  # type: ignore[arg-type]  # bytes, if it fits
            raise InvalidError(
                f"The piece layer of {show(entry.path)} does not match the file; make it again."
            )
        checked.add(root)
    if set(layers) - {entry.pieces_root for entry in files}:
        raise InvalidError("The torrent has piece layers of files that it does not name; make it again.")


def _walk(tree: Fields, folder: Path) -> Iterator[Listed]:
    """Depth first. The reader limits how deep a document nests, and so how deep this recurses."""
    if list(tree) != sorted(tree):
        raise InvalidError(
            "The torrent's file tree is not sorted, so that its order is unclear; make it again."
        )
    for raw, inner in tree.items():
        if not isinstance(inner, dict):
            raise InvalidError(f"The torrent's file tree holds no file at {raw!r:.80}; make it again.")
        name, guessed = read_name(raw)
        path = (*folder, name)
        if b"" not in inner:
            _check_path(path)
            yield from _walk(inner, path)
            continue
        if len(inner) > 1:
            raise InvalidError(f"The torrent has {show(path)} both as a file and as a folder; make it again.")
        _check_path(path)
        yield _read_leaf(required(inner, b"", dict), path, guessed)


def _read_leaf(leaf: Fields, path: Path, guessed: bool) -> Listed:
    _check_attributes(leaf, path)
    size = _read_size(leaf)
    root = required(leaf, b"pieces root", bytes) if size else None
    if root is not None and len(root) != HASH:
        raise InvalidError(
            f"The pieces root of {show(path)} is not {HASH} bytes long; make the torrent again."
        )
    return Listed(path, size, root, guessed=guessed)


def _read_entry(entry: Value) -> Listed:
    if not isinstance(entry, dict):
        raise InvalidError("The torrent's list of files holds something that is not a file; make it again.")
    size = _read_size(entry)
    padding = b"p" in (optional(entry, b"attr", bytes) or b"")
    if padding and b"path" not in entry:
        return Listed((".pad", str(size)), size, padding=True)
    path, guessed = _read_path(required(entry, b"path", list), optional(entry, b"path.utf-8", list))
    _check_attributes(entry, path)
    return Listed(path, size, padding=padding, guessed=guessed)


def _read_path(raw: list[bytes] | list[Value], utf8: list[bytes] | list[Value] | None) -> tuple[Path, bool]:
    """The path that is shown. Clients differ in which of the two they write to disk, so both must be safe."""
    shown, guessed = _decode_path(raw)
    if utf8 is not None:
        better, still_guessed = _decode_path(utf8)
        if not still_guessed:
            return better, False
    return shown, guessed


def _decode_path(raw: list[bytes] | list[Value]) -> tuple[Path, bool]:
    names: list[str] = []
    guessed = False
    for part in raw:
        if not isinstance(part, bytes):
            raise InvalidError("The torrent has a file name that is not a text; make it again.")
        name, guess = read_name(part)
        guessed |= guess
        names.append(name)
    path = tuple(names)
    _check_path(path)
    return path, guessed


def _check_path(path: Path) -> None:
    if why := path_danger(path):
        raise InvalidError(
            f"The torrent names a file {show(path)}, which {why}; make it again under another name."
        )


def _check_attributes(entry: Fields, path: Path) -> None:
    if b"l" in (optional(entry, b"attr", bytes) or b""):
        raise InvalidError(
            f"The torrent has a symbolic link at {show(path)}, which may lead anywhere; leave it out."
        )


def _read_size(entry: Fields) -> int:
    size = required(entry, b"length", int)
    if not 0 <= size <= MAX_SIZE:
        raise InvalidError(f"The torrent has a file of {size} bytes, which cannot be; make it again.")
    return size
