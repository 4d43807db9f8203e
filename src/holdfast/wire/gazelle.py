"""What a site of the Gazelle kind tells its tracker, and asks of it, as Ocelot taught such sites to say it.

All of it stands in the query of one GET: `action` or `get` names the verb, hashes are percent-encoded bytes,
lists are their members one behind the other without anything in between.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import Final, TypeAlias
from urllib.parse import unquote_to_bytes

from holdfast.errors import InvalidError

HASH_LENGTH: Final = 20
LISTED_PASSKEY: Final = 32
LONGEST_PASSKEY: Final = 64
LONGEST_PREFIX: Final = 20
LARGEST_ID: Final = 2**32 - 1
LARGEST_PACE: Final = 86_400
REASONS: Final = (
    "Dupe",
    "Trump",
    "Bad File Names",
    "Bad Folder Names",
    "Bad Tags",
    "Disallowed Format",
    "Discs Missing",
    "Discography",
    "Edited Log",
    "Inaccurate Bitrate",
    "Low Bitrate",
    "Mutt Rip",
    "Disallowed Source",
    "Encode Errors",
    "Specifically Banned",
    "Tracks Missing",
    "Transcode",
    "Unapproved Cassette",
    "Unsplit Album",
    "User Compilation",
    "Wrong Format",
    "Wrong Media",
    "Audience Recording",
)
"""Why a torrent was deleted: such sites know reasons by number alone."""


class Leech(IntEnum):
    """What of a torrent's traffic counts."""

    NORMAL = 0
    FREE = 1
    """Uploads alone."""
    NEUTRAL = 2
    """Nothing."""


@dataclass(frozen=True, slots=True)
class AddTorrent:
    info_hash: bytes
    torrent_id: int
    leech: Leech


@dataclass(frozen=True, slots=True)
class UpdateTorrents:
    info_hashes: tuple[bytes, ...]
    leech: Leech


@dataclass(frozen=True, slots=True)
class DeleteTorrent:
    info_hash: bytes
    reason: str


@dataclass(frozen=True, slots=True)
class AddUser:
    passkey: str
    user_id: int
    visible: bool


@dataclass(frozen=True, slots=True)
class UpdateUser:
    passkey: str
    can_leech: bool
    visible: bool


@dataclass(frozen=True, slots=True)
class RemoveUsers:
    passkeys: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ChangePasskey:
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class ChangeToken:
    """A member's freeleech on one torrent, given or taken back."""

    info_hash: bytes
    user_id: int
    given: bool


@dataclass(frozen=True, slots=True)
class ChangeWhitelist:
    added: str | None
    removed: str | None


@dataclass(frozen=True, slots=True)
class ChangePace:
    """How often clients are asked to come, in seconds; what is None stays."""

    interval: int | None = None
    jitter: int | None = None


@dataclass(frozen=True, slots=True)
class ShowTorrent:
    info_hash: bytes


@dataclass(frozen=True, slots=True)
class ReportHouse:
    pass


@dataclass(frozen=True, slots=True)
class ReportUser:
    passkey: str


@dataclass(frozen=True, slots=True)
class ReportTorrent:
    info_hash: bytes


Told: TypeAlias = (
    AddTorrent
    | UpdateTorrents
    | DeleteTorrent
    | AddUser
    | UpdateUser
    | RemoveUsers
    | ChangePasskey
    | ChangeToken
    | ChangeWhitelist
    | ChangePace
    | ShowTorrent
)
Asked: TypeAlias = ReportHouse | ReportUser | ReportTorrent


class Words:
    """The parameters of a query; of those that stand twice the last one counts, as with Ocelot."""

    def __init__(self, query: bytes) -> None:
        pairs = [pair.partition(b"=") for pair in query.split(b"&")]
        self._raw: Mapping[bytes, bytes] = {name: value for name, _, value in pairs}

    def __contains__(self, name: str) -> bool:
        return name.encode() in self._raw

    def raw(self, name: str) -> bytes:
        return unquote_to_bytes(self._raw.get(name.encode(), b""))

    def value(self, name: str) -> bytes:
        if not (value := self.raw(name)):
            raise InvalidError(f"The parameter {name} is missing.")
        return value

    def verb(self, name: str) -> str:
        """Some word, as fit to be shown as any."""
        return self.value(name).decode("ascii", errors="replace").encode("unicode_escape").decode()[:40]

    def number(self, name: str, least: int, most: int) -> int:
        value = self.value(name)
        if not (value.isdigit() and len(value) <= 10 and least <= int(value) <= most):
            raise InvalidError(f"The parameter {name} must be a number from {least} to {most}.")
        return int(value)

    def switch(self, name: str) -> bool:
        """On unless it says 0, and on where it is not said."""
        return self.raw(name) != b"0"

    def passkey(self, name: str) -> str:
        value = self.value(name)
        if not value.isalnum() or len(value) > LONGEST_PASSKEY:
            raise InvalidError(f"The parameter {name} must be 1 to {LONGEST_PASSKEY} letters and digits.")
        return value.decode()

    def prefix(self, name: str) -> str:
        value = self.value(name)
        if len(value) > LONGEST_PREFIX or not all(33 <= sign <= 126 for sign in value):
            raise InvalidError(f"The parameter {name} must be 1 to {LONGEST_PREFIX} visible ASCII signs.")
        return value.decode()

    def info_hash(self, name: str = "info_hash") -> bytes:
        value = self.value(name)
        if len(value) != HASH_LENGTH:
            raise InvalidError(f"The parameter {name} must be {HASH_LENGTH} bytes, percent-encoded.")
        return value

    def listed(self, name: str, width: int) -> list[bytes]:
        """Members of one length each; a list of none is said with nothing."""
        value = self.raw(name)
        if name not in self or len(value) % width:
            raise InvalidError(f"The parameter {name} must be pieces of {width} bytes, one behind the other.")
        return [value[start : start + width] for start in range(0, len(value), width)]

    def leech(self) -> Leech:
        return Leech(self.number("freetorrent", Leech.NORMAL, Leech.NEUTRAL))


def _update_torrents(words: Words) -> Told:
    """One or many, by whichever of the two verbs."""
    listed = words.listed("info_hashes", HASH_LENGTH) if "info_hashes" in words else [words.info_hash()]
    return UpdateTorrents(tuple(listed), words.leech())


def _delete_torrent(words: Words) -> Told:
    said = words.raw("reason")
    known = said.isdigit() and len(said) < 4 and int(said) < len(REASONS)
    return DeleteTorrent(words.info_hash(), REASONS[int(said)] if known else "")


def _remove_users(words: Words) -> Told:
    passkeys = words.listed("passkeys", LISTED_PASSKEY)
    if not all(each.isalnum() for each in passkeys):
        raise InvalidError("The parameter passkeys must be letters and digits alone.")
    return RemoveUsers(tuple(each.decode() for each in passkeys))


def _token(words: Words, *, given: bool) -> Told:
    return ChangeToken(words.info_hash(), words.number("userid", 1, LARGEST_ID), given)


UPDATES: Final[Mapping[str, Callable[[Words], Told]]] = {
    "add_torrent": lambda words: AddTorrent(
        words.info_hash(), words.number("id", 1, LARGEST_ID), words.leech()
    ),
    "update_torrent": _update_torrents,
    "update_torrents": _update_torrents,
    "delete_torrent": _delete_torrent,
    "remove_torrent": _delete_torrent,
    "add_user": lambda words: AddUser(
        words.passkey("passkey"), words.number("id", 1, LARGEST_ID), words.switch("visible")
    ),
    "update_user": lambda words: UpdateUser(
        words.passkey("passkey"), words.switch("can_leech"), words.switch("visible")
    ),
    "remove_user": lambda words: RemoveUsers((words.passkey("passkey"),)),
    "remove_users": _remove_users,
    "change_passkey": lambda words: ChangePasskey(words.passkey("oldpasskey"), words.passkey("newpasskey")),
    "add_token": lambda words: _token(words, given=True),
    "remove_token": lambda words: _token(words, given=False),
    "add_whitelist": lambda words: ChangeWhitelist(words.prefix("peer_id"), None),
    "remove_whitelist": lambda words: ChangeWhitelist(None, words.prefix("peer_id")),
    "edit_whitelist": lambda words: ChangeWhitelist(words.prefix("new_peer_id"), words.prefix("old_peer_id")),
    "update_announce_interval": lambda words: ChangePace(
        interval=words.number("new_announce_interval", 60, LARGEST_PACE)
    ),
    "update_announce_jitter": lambda words: ChangePace(
        jitter=words.number("new_announce_jitter", 0, LARGEST_PACE)
    ),
    "info_torrent": lambda words: ShowTorrent(words.info_hash()),
}
REPORTS: Final[Mapping[str, Callable[[Words], Asked]]] = {
    "stats": lambda _words: ReportHouse(),
    "user": lambda words: ReportUser(words.passkey("key")),
    "torrent": lambda words: ReportTorrent(words.info_hash()),
}


def read_update(query: bytes) -> Told:
    """What the site tells; a sentence is raised where it makes no sense."""
    words = Words(query)
    verb = words.verb("action")
    if verb not in UPDATES:
        raise InvalidError(f"The action {verb} is none of {', '.join(UPDATES)}.")
    return UPDATES[verb](words)


def read_report(query: bytes) -> Asked:
    """What the site asks for."""
    words = Words(query)
    verb = words.verb("get")
    if verb not in REPORTS:
        raise InvalidError(f"There is no report {verb}; there are {', '.join(REPORTS)}.")
    return REPORTS[verb](words)
