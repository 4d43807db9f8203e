"""One running house for all clients, reached over IPv4 and, where the machine has it, IPv6."""

import socket
from collections.abc import Iterator

import pytest

from tests.servers import free_port
from tests.system.running import running
from tests.system.tracker.clients.ground import Community


@pytest.fixture(scope="session")
def community() -> Iterator[Community]:
    port = free_port()
    host = "[::]" if socket.has_dualstack_ipv6() else "127.0.0.1"
    # What a test has done to announce again at once, a user does by hand, and then wants peers.
    changes = (
        "tracker.min_interval=0 s",
        f"tracker.public_url=http://127.0.0.1:{port}",
        f"tracker.public_udp_url=udp://127.0.0.1:{port}",
    )
    doors = ("--web", "127.0.0.1:0", "--tracker", f"{host}:{port}")
    with running(arguments=doors, changes=changes) as house:
        yield Community(house)
