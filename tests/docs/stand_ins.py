"""Real servers behind the names that the documentation uses as examples."""

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.servers import free_port, sentinel_group, valkey, valkey_cluster

Names = dict[str, str]
POSTGRESQL = Path("/usr/lib/postgresql")


@contextmanager
def live_server() -> Iterator[Names]:
    with valkey("--appendonly", "yes", "--notify-keyspace-events", "Kx") as server:
        yield {"live.example.org": f"127.0.0.1:{server.where}"}


@contextmanager
def sentinels() -> Iterator[Names]:
    with sentinel_group(sentinels=3) as group:
        yield {
            f"sentinel{number}.example.org:26379": f"127.0.0.1:{sentinel.where}"
            for number, sentinel in enumerate(group.sentinels, start=1)
        }


@contextmanager
def cluster() -> Iterator[Names]:
    with valkey_cluster(primaries=3) as servers:
        yield {
            f"cluster{number}.example.org:6379": f"127.0.0.1:{server.where}"
            for number, server in enumerate(servers, start=1)
        }


@contextmanager
def mika() -> Iterator[Names]:
    """A tracker that is left: two members, an upload whose torrent is lost."""
    with valkey() as server:
        server.ask("HSET", "t:user:0123456789abcdef0123456789abcdef", "user_id", 501)
        server.ask("HSET", "t:u:501", "username", "ann", "uploaded", 1 << 30, "downloaded", 5)
        server.ask("SET", "t:user:k3yOfBob", 502)
        server.ask("HSET", "t:whitelist", "-TR4", "Transmission 4")
        server.ask("SET", f"t:info_hash:{'ab' * 20}", 70)
        server.ask("HSET", "t:t:70", "name", "A lost film", "snatches", 9)
        yield {"mika.example.org:6379": f"127.0.0.1:{server.where}"}


@contextmanager
def database() -> Iterator[Names]:
    """PostgreSQL as Debian packs it, in a folder of its own, with the user and database of the examples."""
    programs = sorted(POSTGRESQL.glob("*/bin/initdb"))
    if not programs:
        pytest.skip("NOT TESTED: PostgreSQL is not installed (apt-get install postgresql)")
    bin_ = programs[-1].parent
    # PostgreSQL refuses to run as root; Debian's package brings a user for it.
    other = {"user": "postgres", "group": "postgres", "extra_groups": []} if os.geteuid() == 0 else {}
    with TemporaryDirectory(prefix="hf-pg-") as folder, ExitStack() as stack:
        if other:
            shutil.chown(folder, "postgres", "postgres")
        data, port = Path(folder, "data"), free_port()

        def tool(*command: str, text: str | None = None) -> None:
            subprocess.run(
                command, check=True, capture_output=True, text=True, input=text, cwd=folder, **other
            )  # type: ignore[call-overload]

        tool(f"{bin_}/initdb", "-D", str(data), "-A", "trust", "-U", "postgres", "--no-sync")
        options = (
            f"-c listen_addresses=127.0.0.1 -c port={port} -c unix_socket_directories={folder} -c fsync=off"
        )
        tool(f"{bin_}/pg_ctl", "-D", str(data), "-w", "-l", f"{folder}/log", "-o", options, "start")
        stack.callback(tool, f"{bin_}/pg_ctl", "-D", str(data), "-w", "-m", "immediate", "stop")
        sql = "CREATE ROLE holdfast LOGIN PASSWORD 'secret';\nCREATE DATABASE holdfast OWNER holdfast;\n"
        tool(f"{bin_}/psql", "-q", "-h", folder, "-p", str(port), "-U", "postgres", text=sql)
        yield {"db.example.org": f"127.0.0.1:{port}"}


STAND_INS: dict[str, Callable[[], AbstractContextManager[Names]]] = {
    "live.example.org": live_server,
    "mika.example.org": mika,
    "sentinel1.example.org": sentinels,
    "cluster1.example.org": cluster,
    "db.example.org": database,
}
