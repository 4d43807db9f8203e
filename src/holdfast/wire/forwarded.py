"""Where a request really comes from: what proxies say, believed only of those that the operator lists."""

import ipaddress
import re
from collections.abc import Iterable, Sequence

Network = ipaddress.IPv4Network | ipaddress.IPv6Network
HOP = re.compile(r"\[([0-9a-fA-F:.]+)\](?::\d+)?|([0-9.]+):\d+")


def networks(texts: Iterable[str]) -> tuple[Network, ...]:
    return tuple(ipaddress.ip_network(text) for text in texts)


def is_trusted(address: str | None, trusted: Sequence[Network]) -> bool:
    if address is None or not trusted:
        return False
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return False
    mapped = getattr(parsed, "ipv4_mapped", None)
    return any(parsed in network or (mapped is not None and mapped in network) for network in trusted)


def client_address(peer: str | None, forwarded: Sequence[str], trusted: Sequence[Network]) -> str | None:
    """Who asks: each trusted proxy wrote at the right end whom it heard; further left anybody writes."""
    address = peer
    for hop in reversed(",".join(forwarded).split(",")):
        if not is_trusted(address, trusted):
            break
        heard = _address(hop.strip())
        if heard is None:
            break
        address = heard
    return address


def _address(hop: str) -> str | None:
    if match := HOP.fullmatch(hop):
        hop = match[1] or match[2]
    try:
        return str(ipaddress.ip_address(hop))
    except ValueError:
        return None


def neighbourhood(address: str) -> str:
    """Whom an address stands for: one IPv6 line has 2^64 addresses to try from."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return address[:64]
    if parsed.version == 4:
        return str(parsed)
    if parsed.ipv4_mapped is not None:
        return str(parsed.ipv4_mapped)
    return str(ipaddress.ip_network((int(parsed) >> 64 << 64, 64)))
