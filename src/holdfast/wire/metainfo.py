"""What a .torrent file says, as a value: v1, v2 or hybrid, with every claim checked."""

from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha1, sha256

from holdfast.errors import InvalidError
from holdfast.wire.bencode import Document, decode_document
from holdfast.wire.merkle import LEAF
from holdfast.wire.torrent_fields import Fields, optional, required
from holdfast.wire.torrent_names import check_distinct, remarks_on
from holdfast.wire.torrent_tree import (
    MAX_SIZE,
    Listed,
    check_halves,
    check_piece_layers,
    read_file_list,
    read_file_tree,
    read_torrent_name,
)

# What a .torrent of a hundred thousand files or a million pieces needs.
DEFAULT_LIMIT = 32 * 1024 * 1024
MAX_PIECE_LENGTH = 512 * 1024 * 1024
_V1_HASH = 20
_LAST_DATE = 1 << 40


class TorrentVersion(StrEnum):
    V1 = "v1"
    V2 = "v2"
    HYBRID = "hybrid"


@dataclass(frozen=True, slots=True)
class TorrentFile:
    """A file that members see; its path begins below the torrent's folder, if it has one."""

    path: tuple[str, ...]
    size: int
    pieces_root: bytes | None = None


@dataclass(frozen=True, slots=True)
class Metainfo:
    """A torrent. `info_bytes` and `piece_layers` are the original bytes, which are never encoded anew."""

    name: str
    folder: bool
    files: tuple[TorrentFile, ...]
    piece_length: int
    piece_count: int
    private: bool
    source: str | None
    v1_hash: bytes | None
    v2_hash: bytes | None
    total_size: int
    comment: str | None
    created_by: str | None
    created_at: int | None
    info_bytes: bytes
    piece_layers: bytes | None
    remarks: tuple[str, ...] = ()

    @property
    def version(self) -> TorrentVersion:
        if self.v2_hash is None:
            return TorrentVersion.V1
        return TorrentVersion.V2 if self.v1_hash is None else TorrentVersion.HYBRID

    @property
    def v2_short(self) -> bytes | None:
        """The v2 hash as announces and handshakes carry it: its first 20 bytes."""
        return None if self.v2_hash is None else self.v2_hash[:_V1_HASH]

    @property
    def tracker_hashes(self) -> tuple[bytes, ...]:
        """Every 20-byte hash under which clients will announce this torrent."""
        return tuple(found for found in (self.v1_hash, self.v2_short) if found is not None)


def parse_torrent(data: bytes, *, limit: int = DEFAULT_LIMIT, strict: bool = True) -> Metainfo:
    """The torrent in `data`, or an `InvalidError`. `strict=False` accepts old torrents with unsorted keys."""
    if len(data) > limit:
        raise InvalidError(
            f"The torrent is {len(data)} bytes long, over the limit of {limit}; "
            "make it again with fewer files or longer pieces."
        )
    document = decode_document(data, strict=strict)
    top, info = document.fields, required(document.fields, b"info", dict)
    info_bytes = document.raw(b"info") or b""
    v1, v2 = _versions(info)
    content = _read_content(top, info, v1, v2)
    created_at, remarks = _read_date(top)
    return Metainfo(
        name=content.name,
        folder=content.folder,
        files=tuple(TorrentFile(entry.path, entry.size, entry.pieces_root) for entry in content.listed),
        piece_length=content.piece_length,
        piece_count=content.piece_count,
        private=_read_private(info),
        source=_read_text(info, b"source"),
        v1_hash=sha1(info_bytes, usedforsecurity=False).digest() if v1 else None,
        v2_hash=sha256(info_bytes).digest() if v2 else None,
        total_size=sum(entry.size for entry in content.listed),
        comment=_read_text(top, b"comment"),
        created_by=_read_text(top, b"created by"),
        created_at=created_at,
        info_bytes=info_bytes,
        piece_layers=document.raw(b"piece layers") if v2 else None,
        remarks=(*_remarks(document, content), *remarks),
    )


@dataclass(frozen=True, slots=True)
class _Content:
    """What the info dictionary lists, with what v1 and v2 say of it brought together."""

    name: str
    folder: bool
    listed: list[Listed]
    piece_length: int
    piece_count: int
    guessed: bool


def _read_content(top: Fields, info: Fields, v1: bool, v2: bool) -> _Content:
    name, guessed = read_torrent_name(info)
    piece_length = _read_piece_length(info, v2)
    flat = read_file_list(info, name) if v1 else []
    tree = read_file_tree(info) if v2 else []
    listed = tree if v2 else [entry for entry in flat if not entry.padding]
    _check_files(name, listed)
    if v1:
        _check_pieces(info, flat, piece_length)
    if v2:
        check_piece_layers(optional(top, b"piece layers", dict) or {}, tree, piece_length)
    # Clients take a v2 tree of one file at its top for that file, whatever the torrent's own name.
    folder = b"files" in info if v1 else [len(entry.path) for entry in tree] != [1]
    if v1 and v2:
        check_halves(flat, tree, piece_length)
        if folder == ([entry.path for entry in tree] == [(name,)]):
            raise InvalidError(
                "The hybrid torrent is a folder in one half and a single file in the other; make it again."
            )
    guessed = guessed or any(entry.guessed for entry in listed)
    return _Content(name, folder, listed, piece_length, _count_pieces(flat, tree, piece_length), guessed)


def _versions(info: Fields) -> tuple[bool, bool]:
    """Which halves the info dictionary has: v1, v2."""
    version = optional(info, b"meta version", int)
    if version not in {None, 1, 2}:
        raise InvalidError(
            f"The torrent is of version {version}, which is newer than this program; update it."
        )
    v1, v2 = b"pieces" in info, version == 2
    if not v1 and not v2:
        raise InvalidError("The torrent has no piece hashes, so that nothing can be checked; make it again.")
    return v1, v2


def _read_piece_length(info: Fields, v2: bool) -> int:
    length = required(info, b"piece length", int)
    if not 0 < length <= MAX_PIECE_LENGTH:
        raise InvalidError(f"The torrent has pieces of {length} bytes, which cannot be; make it again.")
    if v2 and (length < LEAF or length & (length - 1)):
        raise InvalidError(
            f"The torrent has pieces of {length} bytes; v2 needs a power of two from {LEAF}; make it again."
        )
    return length


def _check_pieces(info: Fields, flat: list[Listed], piece_length: int) -> None:
    hashes = len(required(info, b"pieces", bytes))
    total = sum(entry.size for entry in flat)
    needed = -(-total // piece_length)
    if hashes != needed * _V1_HASH:
        raise InvalidError(
            f"The torrent has {hashes} bytes of piece hashes where {total} bytes in pieces of {piece_length} "
            f"need {needed * _V1_HASH}; make it again."
        )


def _check_files(name: str, listed: list[Listed]) -> None:
    """Refuse a torrent of nothing, of too much, or of files that cannot be told apart."""
    total = sum(entry.size for entry in listed)
    if not listed:
        raise InvalidError(
            f"The torrent {name!r:.80} has no files; make it again from a folder that has some."
        )
    if not total:
        raise InvalidError(f"The torrent {name!r:.80} has only empty files; there is nothing to share.")
    if total > MAX_SIZE:
        raise InvalidError(
            f"The torrent {name!r:.80} has {total} bytes in all, which cannot be; make it again."
        )
    check_distinct(entry.path for entry in listed)


def _count_pieces(flat: list[Listed], tree: list[Listed], piece_length: int) -> int:
    if flat:
        return -(-sum(entry.size for entry in flat) // piece_length)
    return sum(-(-entry.size // piece_length) for entry in tree)


def _read_private(info: Fields) -> bool:
    private = optional(info, b"private", int)
    if private not in {None, 0, 1}:
        raise InvalidError(f"The torrent's private flag is {private} where 0 or 1 belongs; make it again.")
    return private == 1


def _read_text(fields: Fields, key: bytes) -> str | None:
    text = optional(fields, key, bytes)
    return None if text is None else text.decode("utf-8", "replace")


def _read_date(fields: Fields) -> tuple[int | None, list[str]]:
    date = optional(fields, b"creation date", int)
    if date is None or 0 <= date < _LAST_DATE:
        return date, []
    return None, ["Its creation date makes no sense and was left out."]


def _remarks(document: Document, content: _Content) -> list[str]:
    remarks = []
    if not document.in_order:
        remarks.append("Its keys are not sorted; some clients will see another info hash and find nobody.")
    if content.guessed:
        remarks.append("Its names are not UTF-8; they were read as Western European and may look wrong.")
    above = (content.name,) if content.folder else ()
    return remarks + remarks_on((*above, *entry.path) for entry in content.listed)
