"""Finding who is in the way."""

import os
import socket
from pathlib import Path

from holdfast.supervise.holders import who_holds_file, who_holds_port


def test_an_open_file_names_this_process(tmp_path: Path) -> None:
    path = tmp_path / "parts.lock"
    with path.open("w"):
        assert who_holds_file(path) == [os.getpid()]
    assert who_holds_file(path) == []


def test_a_port_is_held_by_whoever_listens_and_not_by_whoever_calls() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        assert f"(pid {os.getpid()})" in (who_holds_port(port, "tcp") or "")
        assert who_holds_port(port, "udp") is None
        with socket.create_connection(("127.0.0.1", port)) as caller:
            assert who_holds_port(caller.getsockname()[1], "tcp") is None


def test_a_udp_port_of_ipv6_is_found_too() -> None:
    with socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as server:
        server.bind(("::1", 0))
        assert f"(pid {os.getpid()})" in (who_holds_port(server.getsockname()[1], "udp") or "")
