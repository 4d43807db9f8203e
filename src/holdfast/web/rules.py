"""What the door believes of a request: where it came from, and whether a page of ours sent it."""

import ipaddress
import re
from collections.abc import Iterable, Mapping, Sequence
from urllib.parse import urlsplit

Network = ipaddress.IPv4Network | ipaddress.IPv6Network
SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
HOST = re.compile(r"[A-Za-z0-9.-]+(?::\d+)?|\[[0-9A-Fa-f:]+\](?::\d+)?", re.ASCII)
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


def is_ours(headers: Mapping[str, str], public_url: str | None) -> bool:
    """Whether the page that sent this is one of ours, as far as the browser says; programs say nothing."""
    if headers.get("sec-fetch-site", "none") not in ("same-origin", "none"):
        return False
    origin = headers.get("origin")
    if origin is None:
        return True
    parts = urlsplit(origin)
    if parts.scheme not in ("http", "https") or not parts.netloc:
        return False
    if parts.netloc.lower() == headers.get("host", "").lower():
        return True
    return public_url is not None and origin.lower() == _origin(public_url)


def _origin(url: str) -> str:
    parts = urlsplit(url.lower())
    return f"{parts.scheme}://{parts.netloc}"


def bearer(authorization: str) -> str | None:
    scheme, _, credentials = authorization.partition(" ")
    given = credentials.strip(" ")
    good = scheme.lower() == "bearer" and 0 < len(given) <= 512 and given.isascii() and given.isprintable()
    return given if good else None
