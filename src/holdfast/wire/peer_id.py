"""Which BitTorrent client a peer id tells of: name and version, from a list that has an end."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

OTHER: Final = "other"

AZUREUS: Final = re.compile(rb"-([A-Za-z][A-Za-z0-9~])([0-9A-Za-z]{3})([0-9A-Za-z.])-?")
DASHED: Final = re.compile(rb"(A2|M|Q)-?(\d{1,3})-(\d{1,3})-(\d{1,3})-")
SHADOW: Final = re.compile(rb"([AORSTU])([0-9A-Za-z.-]{5})---")

# The first two letters of a peer id between dashes, as Azureus began it: -TR4060-.
BY_TWO_LETTERS: Final = {
    b"AG": "Ares",
    b"AZ": "Vuze",
    b"BC": "BitComet",
    b"BE": "BitTorrent SDK",
    b"BI": "BiglyBT",
    b"BT": "BitTorrent",
    b"CD": "Enhanced CTorrent",
    b"DE": "Deluge",
    b"FD": "Free Download Manager",
    b"FL": "Flud",
    b"FW": "FrostWire",
    b"GT": "anacrolix/torrent",
    b"KG": "KGet",
    b"KT": "KTorrent",
    b"LT": "libtorrent",
    b"lt": "rTorrent",
    b"LW": "LimeWire",
    b"MG": "MediaGet",
    b"MO": "MonoTorrent",
    b"PI": "PicoTorrent",
    b"qB": "qBittorrent",
    b"RN": "rain",
    b"SD": "Xunlei",
    b"SZ": "Shareaza",
    b"TL": "Tribler",
    b"TR": "Transmission",
    b"TX": "Tixati",
    b"UE": "µTorrent",
    b"UM": "µTorrent",
    b"UT": "µTorrent",
    b"UW": "µTorrent Web",
    b"WD": "WebTorrent Desktop",
    b"WW": "WebTorrent",
    b"XL": "Xunlei",
}
# One letter, then the version up to the dashes, as Shadow began it: T03I-----.
BY_ONE_LETTER: Final = {
    b"A": "ABC",
    b"O": "Osprey Permaseed",
    b"R": "Tribler",
    b"S": "Shadow's client",
    b"T": "BitTornado",
    b"U": "UPnP NAT Bit Torrent",
}
# Numbers between dashes, as the first client of all wrote them: M7-4-3--.
BY_DASHES: Final = {b"A2": "aria2", b"M": "BitTorrent", b"Q": "Queen Bee"}

NAMES: Final = tuple(
    sorted({*BY_TWO_LETTERS.values(), *BY_ONE_LETTER.values(), *BY_DASHES.values(), OTHER}, key=str.casefold)
)
"""Every name that there can be: peer ids come from strangers, and a label must have an end."""


@dataclass(frozen=True, slots=True)
class Client:
    """A BitTorrent client as its peer id has it; the version is empty where the id does not say."""

    name: str
    version: str = ""

    def __str__(self) -> str:
        return f"{self.name} {self.version}".rstrip()


UNKNOWN: Final = Client(OTHER)


def client_of(peer_id: bytes) -> Client:
    """The client that made this peer id; what no rule of ours reads is `other`."""
    if found := AZUREUS.match(peer_id):
        code, first, last = found.groups()
        name = BY_TWO_LETTERS.get(code)
        return UNKNOWN if name is None else Client(name, VERSIONS.get(code, _dotted)(first + last))
    if found := DASHED.match(peer_id):
        return Client(BY_DASHES[found[1]], b".".join(found.groups()[1:]).decode())
    if found := SHADOW.match(peer_id):
        return Client(BY_ONE_LETTER[found[1]], _dotted(found[2].partition(b"-")[0]))
    return UNKNOWN


def _digit(sign: int) -> int:
    """Clients go on counting with letters where ten signs are not enough: A is 10, a is 36."""
    if sign >= ord("a"):
        return sign - ord("a") + 36
    if sign >= ord("A"):
        return sign - ord("A") + 10
    return sign - ord("0")


def _dotted(signs: bytes) -> str:
    """Digit by digit; a last one that is zero or no digit (a mark of beta or of a build) is left out."""
    numbers = [_digit(sign) for sign in signs if sign not in b".-"]
    if len(numbers) > 3 and (numbers[-1] == 0 or not signs[-1:].isdigit()):
        del numbers[3:]
    return ".".join(map(str, numbers))


def _transmission(signs: bytes) -> str:
    """2.94 and 3.00 until the fourth version, which counts as others do."""
    if signs[:1] < b"4":
        return f"{signs[:1].decode()}.{signs[1:3].decode()}"
    return _dotted(signs)


VERSIONS: Final[dict[bytes, Callable[[bytes], str]]] = {b"TR": _transmission}
