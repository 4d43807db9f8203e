"""How the bytes of files fall into pieces, and the info dictionary that says so."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from holdfast.wire.bencode import Encodable, encode
from holdfast.wire.merkle import LEAF
from holdfast.wire.metainfo import TorrentVersion

LONGEST_PIECE = 16 * 1024 * 1024
_MOST_PIECES = 2000


@dataclass(frozen=True, slots=True)
class Content:
    """A file to be shared: its path below the torrent's folder and its size."""

    path: tuple[str, ...]
    size: int


@dataclass(frozen=True, slots=True)
class Segment:
    """Some bytes of one file."""

    file: int
    offset: int
    size: int


@dataclass(frozen=True, slots=True)
class Piece:
    """The segments that make up a piece, and the zeros after them that v1 hashes in a hybrid."""

    index: int
    segments: tuple[Segment, ...]
    padding: int = 0


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything about a torrent but its hashes."""

    name: str
    folder: bool
    files: Sequence[Content]
    piece_length: int
    version: TorrentVersion
    private: bool
    source: str | None

    @property
    def v1(self) -> bool:
        return self.version is not TorrentVersion.V2

    @property
    def v2(self) -> bool:
        return self.version is not TorrentVersion.V1

    @property
    def padded(self) -> bool:
        """Whether padding follows files that end inside a piece; a lone file has nobody to make room for."""
        return self.v2 and len(self.files) > 1

    @property
    def total_size(self) -> int:
        return sum(file.size for file in self.files)

    @property
    def piece_count(self) -> int:
        if self.v2:
            return sum(-(-file.size // self.piece_length) for file in self.files)
        return -(-self.total_size // self.piece_length)


def choose_piece_length(total: int) -> int:
    """The smallest power of two that makes at most 2000 pieces, from 16 KiB to 16 MiB.

    So from 32 MiB to 31 GiB there are 1000 to 2000 pieces: few enough for a small torrent file, enough for
    members to trade while the first copy is still on its way.
    """
    length = LEAF
    while length < LONGEST_PIECE and length * _MOST_PIECES < total:
        length *= 2
    return length


def pieces(plan: Plan) -> Iterator[Piece]:
    """The pieces in order; in v2 and hybrids every file begins a new one."""
    return _aligned_pieces(plan) if plan.v2 else _stream_pieces(plan)


def _stream_pieces(plan: Plan) -> Iterator[Piece]:
    index, room = 0, plan.piece_length
    segments: list[Segment] = []
    for number, file in enumerate(plan.files):
        offset = 0
        while offset < file.size:
            size = min(room, file.size - offset)
            segments.append(Segment(number, offset, size))
            offset += size
            room -= size
            if not room:
                yield Piece(index, tuple(segments))
                index, room, segments = index + 1, plan.piece_length, []
    if segments:
        yield Piece(index, tuple(segments))


def _aligned_pieces(plan: Plan) -> Iterator[Piece]:
    index = 0
    for number, file in enumerate(plan.files):
        for offset in range(0, file.size, plan.piece_length):
            size = min(plan.piece_length, file.size - offset)
            # Padding is content to v1 clients, wherever the v1 list says that it is there.
            padding = plan.piece_length - size if plan.padded else 0
            yield Piece(index, (Segment(number, offset, size),), padding)
            index += 1


def write_info(plan: Plan, v1_pieces: bytes, roots: Sequence[bytes | None]) -> bytes:
    """The info dictionary: `v1_pieces` are the v1 hashes end to end, `roots` the v2 root of each file."""
    info: dict[bytes, Encodable] = {b"name": plan.name.encode(), b"piece length": plan.piece_length}
    if plan.private:
        info[b"private"] = 1
    if plan.source is not None:
        info[b"source"] = plan.source.encode()
    if plan.v1:
        info[b"pieces"] = v1_pieces
        if plan.folder:
            info[b"files"] = _file_list(plan)
        else:
            info[b"length"] = plan.total_size
    if plan.v2:
        info[b"meta version"] = 2
        info[b"file tree"] = _file_tree(plan.files, roots)
    return encode(info)


def _file_list(plan: Plan) -> list[Encodable]:
    """The v1 files; in a hybrid each that ends inside a piece is followed by padding (BEP 47).

    So is the last one. No client needs that, but the reference implementation and libtorrent do it, and only
    so does the same content get the same info hash here as there.
    """
    listed: list[Encodable] = []
    for file in plan.files:
        listed.append({b"length": file.size, b"path": [name.encode() for name in file.path]})
        gap = -file.size % plan.piece_length
        if gap and plan.padded:
            listed.append({b"attr": b"p", b"length": gap, b"path": [b".pad", b"%d" % gap]})
    return listed


def _file_tree(files: Sequence[Content], roots: Sequence[bytes | None]) -> dict[bytes, Encodable]:
    tree: dict[bytes, Encodable] = {}
    folders: dict[tuple[str, ...], dict[bytes, Encodable]] = {(): tree}
    for file, root in zip(files, roots, strict=True):
        leaf: dict[bytes, Encodable] = {b"length": file.size}
        if root is not None:
            leaf[b"pieces root"] = root
        _folder(folders, file.path[:-1])[file.path[-1].encode()] = {b"": leaf}
    return tree


def _folder(
    folders: dict[tuple[str, ...], dict[bytes, Encodable]], path: tuple[str, ...]
) -> dict[bytes, Encodable]:
    found = folders.get(path)
    if found is None:
        found = folders[path] = {}
        _folder(folders, path[:-1])[path[-1].encode()] = found
    return found
