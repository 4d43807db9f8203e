"""Who may announce what: the tracker's first question, asked of the keys that follow the catalogue."""

from dataclasses import dataclass
from urllib.parse import unquote_to_bytes

from holdfast.catalogue.keys import INFO_HASH, USER
from holdfast.store.live import LiveStore
from holdfast.wire.bencode import encode

RETRY_MINUTES = 60


@dataclass(frozen=True)
class Asked:
    """What a request line names."""

    passkey: str
    info_hash: str | None


def read_target(target: str) -> Asked | None:
    """`/<passkey>/announce?info_hash=…`; None when it is no announce at all."""
    path, _, query = target.partition("?")
    parts = path.split("/")
    if len(parts) != 3 or parts[0] or parts[2] != "announce":
        return None
    hashes = [
        value for name, _, value in (pair.partition("=") for pair in query.split("&")) if name == "info_hash"
    ]
    raw = unquote_to_bytes(hashes[0]) if len(hashes) == 1 else b""
    return Asked(parts[1], raw.hex() if len(raw) == 20 else None)


async def answer(live: LiveStore, asked: Asked) -> bytes:
    """Why the client gets no peers, bencoded, in words for the member who reads them."""
    if not (asked.passkey.isascii() and asked.passkey.isalnum()):
        return _failure(UNKNOWN_PASSKEY)
    if asked.info_hash is None:
        return _failure("This announce names no info hash of 20 bytes; update your BitTorrent client.")
    user, upload = await live.batch(
        [
            ("HGET", USER.name(live.layout, passkey=asked.passkey), "enabled"),
            ("GET", INFO_HASH.name(live.layout, info_hash=asked.info_hash)),
        ],
        repeat=True,
    )
    if user is None:
        return _failure(UNKNOWN_PASSKEY)
    if user != b"1":
        return _failure("Your membership is disabled; ask an operator.")
    if upload is None:
        return _failure("This torrent is not in the catalogue, or was removed; look for it on the pages.")
    return _failure(NOT_YET, RETRY_MINUTES)


UNKNOWN_PASSKEY = "This passkey is not known, or was rotated; fetch the torrent again from the upload's page."
NOT_YET = "You and this upload are known here, but this version of Holdfast does not introduce peers yet."


def _failure(reason: str, retry: int | None = None) -> bytes:
    fields: dict[bytes, bytes | int] = {b"failure reason": reason.encode()}
    if retry is not None:
        fields[b"retry in"] = retry
    return encode(fields)
