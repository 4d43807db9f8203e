"""Real live stores for tests: embedded Valkey, Debian's Redis, a Valkey cluster, a Sentinel group."""

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import hiredis
import pytest

from holdfast.store.live.embedded import EmbeddedServer, binary
from holdfast.store.live.slots import SLOTS

PATIENCE = 20.0  # for a server to start on a busy machine; nothing is measured by it


class RunningServer:
    """One server process that can be killed, started again and asked by hand."""

    def __init__(
        self, argv: Sequence[str], folder: Path, where: str | int, environment: dict[str, str]
    ) -> None:
        self.argv = list(argv)
        self.folder = folder
        self.where = where
        self.password: str | None = None
        self._environment = {**os.environ, **environment}
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def address(self) -> str:
        return f"unix://{self.where}" if isinstance(self.where, str) else f"redis://127.0.0.1:{self.where}"

    @property
    def log(self) -> str:
        return (self.folder / "server.log").read_text("utf-8", "replace")

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    @property
    def running(self) -> bool:
        return self._process is not None

    def start(self, *, ready: bool = True) -> None:
        assert self._process is None
        with (self.folder / "server.log").open("ab") as log:
            self._process = subprocess.Popen(
                self.argv, stdout=log, stderr=log, env=self._environment, cwd=self.folder
            )
        if ready:
            self.wait_until_ready()

    def wait_until_ready(self) -> None:
        give_up = time.monotonic() + PATIENCE
        while True:
            assert self._process is not None
            assert self._process.poll() is None, f"{self.argv} ended:\n{self.log}"
            try:
                if self.ask("PING") == b"PONG":
                    return
            except OSError:
                pass
            assert time.monotonic() < give_up, f"{self.argv} does not answer:\n{self.log}"
            time.sleep(0.005)

    def kill(self) -> None:
        """As a crash would: no goodbye."""
        assert self._process is not None
        self._process.kill()
        self._process.wait()
        self._process = None

    def stop(self) -> None:
        if self._process is not None:
            self._process.terminate()
            self._process.wait()
            self._process = None

    def wait(self) -> int:
        """Its exit code, once it has ended by itself."""
        assert self._process is not None
        code = self._process.wait(PATIENCE)
        self._process = None
        return code

    def ask(self, *command: str | int | bytes) -> Any:
        """One command over a connection of its own; errors come back as values."""
        family = socket.AF_UNIX if isinstance(self.where, str) else socket.AF_INET
        with socket.socket(family) as connection:
            connection.settimeout(PATIENCE)
            connection.connect(self.where if isinstance(self.where, str) else ("127.0.0.1", self.where))
            reader = hiredis.Reader()
            if self.password is not None:
                _exchange(connection, reader, ("AUTH", self.password))
            return _exchange(connection, reader, command)

    def info(self, section: str) -> dict[str, str]:
        lines = self.ask("INFO", section).decode().splitlines()
        return dict(line.split(":", 1) for line in lines if ":" in line)

    def leads(self) -> bool:
        """Whether it is a primary; Sentinel cuts everybody off in the moment in which it promotes one."""
        try:
            return self.info("replication")["role"] == "master"
        except ConnectionResetError:
            return False


def _exchange(
    connection: socket.socket, reader: hiredis.Reader, command: tuple[str | int | bytes, ...]
) -> Any:
    connection.sendall(hiredis.pack_command(command))  # type: ignore[arg-type]
    while (reply := reader.gets()) is False:
        data = connection.recv(65536)
        if not data:
            raise ConnectionResetError("it closed the connection")
        reader.feed(data)
    return reply


def free_port() -> int:
    """Below the ports that the system takes for outgoing connections, as is the cluster's own, 10,000 above;
    test processes that run side by side begin a hundred apart."""
    for port in range(12_000 + os.getpid() % 100 * 100, 22_000):
        if not _taken(port) and not _taken(port + 10_000):
            TAKEN.add(port)
            return port
    raise AssertionError("no port is free")


TAKEN: set[int] = set()


def _taken(port: int) -> bool:
    if port in TAKEN:
        return True
    with socket.socket() as probe:
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return True
    return False


@contextmanager
def embedded_valkey(data_dir: Path | None = None, **options: Any) -> Iterator[RunningServer]:
    """The server that Holdfast runs when nothing else is configured."""
    with ExitStack() as stack:
        data = data_dir or Path(stack.enter_context(TemporaryDirectory(prefix="hf-")))
        embedded = EmbeddedServer(data, **options)
        embedded.prepare()
        server = RunningServer(embedded.argv(), data, str(embedded.socket_path), embedded.environment())
        stack.callback(server.stop)
        server.start()
        yield server


@contextmanager
def debian_redis(*options: str, ready: bool = True) -> Iterator[RunningServer]:
    """Redis 7.0 as Debian packs it; the test is skipped, loudly, where it is not installed."""
    program = shutil.which("redis-server")
    if program is None:
        pytest.skip("NOT TESTED: redis-server is not installed (apt-get install redis-server)")
    with _served([program, "--appendonly", "no", *options], ready=ready) as server:
        yield server


@contextmanager
def valkey(*options: str) -> Iterator[RunningServer]:
    """The embedded server's program on a port, without the embedded configuration."""
    with _served([str(binary()), *options]) as server:
        yield server


@contextmanager
def _served(argv: Sequence[str], *, ready: bool = True) -> Iterator[RunningServer]:
    with TemporaryDirectory(prefix="hf-") as folder:
        port = free_port()
        general = ["--port", str(port), "--bind", "127.0.0.1", "--dir", folder, "--save", ""]
        general += ["--repl-diskless-sync-delay", "0"]
        server = RunningServer([argv[0], *general, *argv[1:]], Path(folder), port, {})
        try:
            server.start(ready=ready)
            yield server
        finally:
            server.stop()


@contextmanager
def valkey_cluster(primaries: int = 3, replicas: int = 0, followed: int = 0) -> Iterator[list[RunningServer]]:
    """Primaries that share the slots evenly, then replicas of one of them; all know each other."""
    options = ("--cluster-enabled", "yes", "--cluster-node-timeout", "1000", "--appendonly", "yes")
    with ExitStack() as stack:
        servers = [stack.enter_context(valkey(*options)) for _ in range(primaries + replicas)]
        for number, server in enumerate(servers[:primaries]):
            first, last = SLOTS * number // primaries, SLOTS * (number + 1) // primaries - 1
            assert server.ask("CLUSTER", "ADDSLOTSRANGE", first, last) == b"OK"
            assert server.ask("CLUSTER", "SET-CONFIG-EPOCH", number + 1) == b"OK"
        for server in servers[1:]:
            assert server.ask("CLUSTER", "MEET", "127.0.0.1", servers[0].where) == b"OK"
        wait_for(lambda: all(_whole(server, len(servers)) for server in servers))
        for server in servers[primaries:]:
            assert server.ask("CLUSTER", "REPLICATE", servers[followed].ask("CLUSTER", "MYID")) == b"OK"
        for server in servers[primaries:]:
            wait_for(lambda server=server: server.info("replication").get("master_link_status") == "up")
        yield servers


def _whole(server: RunningServer, nodes: int) -> bool:
    said = dict(line.split(":", 1) for line in server.ask("CLUSTER", "INFO").decode().split())
    return (said["cluster_state"], said["cluster_known_nodes"]) == ("ok", str(nodes))


def wait_for(condition: Any) -> None:
    """For what servers do among themselves, which no reply announces."""
    give_up = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < give_up, "the servers did not agree"
        time.sleep(0.02)


class SentinelGroup:
    """A primary, a replica and the sentinels that watch over them under the name `holdfast`."""

    def __init__(
        self, primary: RunningServer, replica: RunningServer, sentinels: list[RunningServer]
    ) -> None:
        self.primary = primary
        self.replica = replica
        self.sentinels = sentinels

    @property
    def address(self) -> str:
        places = ",".join(f"127.0.0.1:{sentinel.where}" for sentinel in self.sentinels)
        return f"redis+sentinel://{places}/holdfast"


@contextmanager
def sentinel_group(sentinels: int = 3) -> Iterator[SentinelGroup]:
    """The sentinels are told of each other, which they would find out by themselves in some seconds."""
    with ExitStack() as stack:
        primary = stack.enter_context(valkey())
        replica = stack.enter_context(valkey("--replicaof", f"127.0.0.1 {primary.where}"))
        wait_for(lambda: replica.info("replication")["master_link_status"] == "up")
        ports = [free_port() for _ in range(sentinels)]
        watchers = [
            stack.enter_context(_sentinel(port, ports, int(primary.where), int(replica.where)))
            for port in ports
        ]
        wait_for(lambda: all(_has_quorum(watcher) for watcher in watchers))
        yield SentinelGroup(primary, replica, watchers)


@contextmanager
def _sentinel(port: int, all_ports: Sequence[int], primary: int, replica: int) -> Iterator[RunningServer]:
    lines = [
        f"port {port}",
        "bind 127.0.0.1",
        f"sentinel myid {port:040x}",
        f"sentinel monitor holdfast 127.0.0.1 {primary} {len(all_ports) // 2 + 1}",
        "sentinel down-after-milliseconds holdfast 500",
        "sentinel failover-timeout holdfast 3000",
        f"sentinel known-replica holdfast 127.0.0.1 {replica}",
        *(f"sentinel known-sentinel holdfast 127.0.0.1 {one} {one:040x}" for one in all_ports if one != port),
    ]
    with TemporaryDirectory(prefix="hf-") as folder:
        file = Path(folder, "sentinel.conf")
        file.write_text("\n".join(lines) + "\n")
        server = RunningServer([str(binary()), str(file), "--sentinel"], Path(folder), port, {})
        try:
            server.start()
            yield server
        finally:
            server.stop()


def _has_quorum(sentinel: RunningServer) -> bool:
    """Its replica must have been seen, too, or there is nobody to take over."""
    [replica] = sentinel.ask("SENTINEL", "REPLICAS", "holdfast")
    said = dict(zip(replica[::2], replica[1::2], strict=True))
    quorum = sentinel.ask("SENTINEL", "CKQUORUM", "holdfast")
    return said[b"master-link-status"] == b"ok" and bytes(quorum).startswith(b"OK")
