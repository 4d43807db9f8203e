"""Whoever is blocked gets nothing, by name, address or network, for as long as it holds, and nobody else."""

from ipaddress import ip_address, ip_network

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.errors import InvalidError
from holdfast.items import rules
from holdfast.items.model import Block, Project, State
from holdfast.items.service.blocklist import Blocklist

ONE, OTHER = (Project(number, f"p{number}", "", State.ACTIVE) for number in (1, 2))
ADDRESSES = st.integers(0, 7).map(lambda last: f"192.0.2.{last}") | st.just("2001:db8::1")
NETWORKS = st.sampled_from(["192.0.2.0/30", "192.0.2.4/31", "2001:db8::/32"])
NAMES = st.sampled_from(["ann", "bobby"])
BLOCKS = st.builds(
    Block,
    id=st.just(1),
    project_id=st.sampled_from([None, 1, 2]),
    whom=ADDRESSES | NETWORKS | NAMES,
    reason=st.just(""),
    at=st.just(0.0),
    until=st.sampled_from([None, 1.0, 3.0]),
    by=st.just("op"),
)


@given(st.lists(BLOCKS, max_size=5), st.sampled_from([ONE, OTHER]), NAMES, ADDRESSES)
def test_a_look_at_every_block_says_the_same(
    blocks: list[Block], project: Project, name: str, address: str
) -> None:
    def stops(block: Block) -> bool:
        named = block.whom in (name, address)
        inside = "/" in block.whom and ip_address(address) in ip_network(block.whom)
        here = block.project_id is None or block.project_id == project.id
        return (named or inside) and here and (block.until is None or block.until > 2.0)

    found = Blocklist(blocks).stops(project, name, address, 2.0)
    assert (found is not None) == any(map(stops, blocks))
    assert found is None or stops(found)


def test_an_address_in_the_other_family_s_form_is_the_same_one() -> None:
    block = Block(1, None, "192.0.2.1", "", 0.0, None, "op")
    assert Blocklist([block]).stops(ONE, "ann", "::ffff:192.0.2.1", 0.0) == block


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("ann", "ann"),
        ("192.0.2.9", "192.0.2.9"),
        ("192.0.2.9/24", "192.0.2.0/24"),
        ("2001:DB8:0::1", "2001:db8::1"),
        ("::ffff:192.0.2.1", "192.0.2.1"),
    ],
)
def test_whoever_is_blocked_is_written_in_one_way(said: str, kept: str) -> None:
    assert rules.whom(said) == kept


@pytest.mark.parametrize("said", ["", "a b", "192.0.2.0/99", "ann/8", "a" * 31])
def test_nobody_else_can_be_blocked(said: str) -> None:
    with pytest.raises(InvalidError):
        rules.whom(said)
