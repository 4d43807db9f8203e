"""Whole .torrent files around an info dictionary, whose bytes are never touched."""

from collections.abc import Sequence
from urllib.parse import urlsplit

from holdfast.errors import InvalidError
from holdfast.wire.bencode import decode_document, encode

_SCHEMES = {"http", "https", "udp", "ws", "wss"}


def write_torrent(
    info_bytes: bytes,
    piece_layers: bytes | None,
    announce: Sequence[str],
    *,
    comment: str | None = None,
    created_by: str | None = None,
    created_at: int | None = None,
) -> bytes:
    """A complete .torrent around encoded info and piece layers, as `Metainfo` holds them."""
    fields: dict[bytes, bytes] = {b"info": info_bytes}
    if piece_layers is not None:
        fields[b"piece layers"] = piece_layers
    urls = [_check_url(url) for url in announce]
    if urls:
        fields[b"announce"] = encode(urls[0])
    if len(urls) > 1:
        # A tier each: clients ask the first, and the next ones only when it is away.
        fields[b"announce-list"] = encode([[url] for url in urls])
    if comment is not None:
        fields[b"comment"] = encode(comment.encode())
    if created_by is not None:
        fields[b"created by"] = encode(created_by.encode())
    if created_at is not None:
        fields[b"creation date"] = encode(created_at)
    body = b"".join(encode(key) + value for key, value in sorted(fields.items()))
    return b"d" + body + b"e"


def with_announce(
    original: bytes,
    announce: Sequence[str],
    *,
    comment: str | None = None,
    created_by: str | None = None,
    created_at: int | None = None,
) -> bytes:
    """The same torrent for other trackers, under the same info hashes.

    `original` has been through `parse_torrent`. Only its info and piece layers are kept: web seeds, DHT nodes
    and trackers of elsewhere would let members' traffic past our accounting.
    """
    document = decode_document(original, strict=False)
    info = document.raw(b"info")
    if info is None:
        raise InvalidError("The torrent has no info dictionary; fetch it again.")
    return write_torrent(
        info,
        document.raw(b"piece layers"),
        announce,
        comment=comment,
        created_by=created_by,
        created_at=created_at,
    )


def _check_url(url: str) -> bytes:
    """A tracker's address as bytes; refused where a client could not use it."""
    if not (url.isascii() and url.isprintable() and " " not in url and _names_host(url)):
        raise InvalidError(
            f"{url!r:.200} is no tracker's address; write it like https://host/passkey/announce."
        )
    return url.encode()


def _names_host(url: str) -> bool:
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return parts.scheme in _SCHEMES and bool(parts.hostname)
