"""One running house for all clients, reached over IPv4 and, where the machine has it, IPv6."""

import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from tests.servers import free_port
from tests.system.running import running
from tests.system.tracker.clients.ground import Community, Member
from tests.system.tracker.clients.libtorrents import Libtorrent

Start: TypeAlias = Callable[..., Any]


@pytest.fixture(scope="session")
def community() -> Iterator[Community]:
    port = free_port()
    host = "[::]" if socket.has_dualstack_ipv6() else "127.0.0.1"
    changes = (
        f"tracker.listen={host}:{port}",
        f"tracker.public_url=http://127.0.0.1:{port}",
        f"tracker.public_udp_url=udp://127.0.0.1:{port}",
        # What a test has done to announce again at once, a user does by hand, and then wants peers.
        "tracker.min_interval=0 s",
        "tracker.collect=100 ms",
    )
    with running(rests=(0.05, 0.1), changes=changes) as house:
        yield Community(house)


@pytest.fixture
def start(community: Community, tmp_path: Path) -> Iterator[Start]:
    """Starts a member's client, libtorrent's if none is named, with his own torrent in his own folder."""
    with ExitStack() as stack:

        def start(upload: int, member: Member, kind: Callable[..., Any] = Libtorrent, **how: Any) -> Any:
            one = kind(community.torrent(upload, member), tmp_path / member.name, **how)
            stack.callback(one.end)
            return one

        yield start
