"""Who gets no items, asked before every claim and answered from memory."""

from collections.abc import Iterable
from ipaddress import ip_address, ip_network

from holdfast.items import rules
from holdfast.items.model import Block, Project
from holdfast.wire.forwarded import Network


class Blocklist:
    """Names and single addresses are looked up; networks are few, and tried one by one."""

    def __init__(self, blocks: Iterable[Block] = ()) -> None:
        self._exact: dict[str, list[Block]] = {}
        networks: list[tuple[Network, Block]] = []
        for block in blocks:
            if rules.is_network(block.whom):
                networks.append((ip_network(block.whom), block))
            else:
                self._exact.setdefault(block.whom, []).append(block)
        self._networks = tuple(networks)

    def stops(self, project: Project, name: str, address: str, now: float) -> Block | None:
        """The block that keeps somebody from this project, if there is one."""
        plain = rules.plain_address(address)
        for block in [*self._named(name), *self._named(plain)]:
            if _holds(block, project, now):
                return block
        if not self._networks or not rules.is_address(plain):
            return None
        parsed = ip_address(plain)
        for network, block in self._networks:
            if parsed in network and _holds(block, project, now):
                return block
        return None

    def _named(self, whom: str) -> list[Block]:
        return self._exact.get(whom, [])


def _holds(block: Block, project: Project, now: float) -> bool:
    return block.project_id in (None, project.id) and (block.until is None or now < block.until)
