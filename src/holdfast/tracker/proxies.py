"""Whose word is taken for where a request comes from."""

from collections.abc import Sequence
from functools import lru_cache
from ipaddress import ip_address, ip_network


class Proxies:
    """Believes the forwarded address from listed networks only, up to the last hop outside them."""

    def __init__(self, networks: Sequence[str]) -> None:
        trusted = [ip_network(network, strict=False) for network in networks]
        self.any = bool(trusted)
        self.trusts = lru_cache(4096)(lambda host: _in(host, trusted))

    def origin(self, host: str, forwarded: str) -> str:
        if not self.trusts(host):
            return host
        for hop in reversed([part.strip() for part in forwarded.split(",") if part.strip()]):
            if not _is_address(hop):
                return host
            host = hop
            if not self.trusts(hop):
                break
        return host


def _in(host: str, networks: Sequence[object]) -> bool:
    address = ip_address(host.partition("%")[0])
    mapped = getattr(address, "ipv4_mapped", None)
    return any((mapped or address) in network for network in networks)  # type: ignore[operator]


def _is_address(text: str) -> bool:
    try:
        ip_address(text)
    except ValueError:
        return False
    return True
