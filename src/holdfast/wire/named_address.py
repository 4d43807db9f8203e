"""The addresses that a client says it has: for one behind our own NAT, whose packets come from elsewhere.

`ip` is BEP 3's, `ipv4` and `ipv6` are BEP 7's. Whether they are believed is not decided here.
"""

import re
from collections.abc import Iterator
from ipaddress import IPv6Address, ip_address
from typing import Final

from holdfast.wire.announce import unescape

NAMES: Final = (b"ip", b"ipv4", b"ipv6")
WITH_PORT: Final = re.compile(r"(?:\[([^]]*)\]|([^:]*))(?::(\d{1,5}))?", re.ASCII)


def named_endpoints(query: bytes, port: int) -> tuple[bytes, bytes]:
    """The first IPv4 and the first IPv6 endpoint that a query names; empty where it names none."""
    found = {4: b"", 6: b""}
    for value in _named(query):
        match = WITH_PORT.fullmatch(value)
        host, there = (match[1] or match[2], match[3]) if match else (value, None)
        packed = packed_address(host)
        width = 4 if len(packed) == 4 else 6
        if packed and not found[width] and int(there or port) <= 0xFFFF:
            found[width] = packed + int(there or port).to_bytes(2, "big")
    return found[4], found[6]


def packed_address(text: str) -> bytes:
    """4 or 16 bytes; empty for what is no address, or none at which others could reach anybody."""
    try:
        address = ip_address(text)
    except ValueError:
        return b""
    if isinstance(address, IPv6Address) and address.ipv4_mapped:
        address = address.ipv4_mapped
    nowhere = address.is_unspecified or address.is_multicast
    return b"" if nowhere or address.is_loopback or address.is_link_local else address.packed


def _named(query: bytes) -> Iterator[str]:
    for pair in query.split(b"&"):
        name, _, value = pair.partition(b"=")
        if name in NAMES:
            yield unescape(value).decode("latin-1")
