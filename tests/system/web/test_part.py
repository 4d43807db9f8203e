"""The web door as a process: it starts before its stores, serves, and ends cleanly."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path

import httpx
import pytest
from websockets.asyncio.client import connect

from holdfast.launch import RUN_TOKEN_HASH
from tests.servers import PATIENCE, RunningServer, embedded_valkey, free_port, wait_for

TOKEN = {"Authorization": "Bearer a-token-for-this-run"}


@contextmanager
def running(data: Path, port: int) -> Iterator["subprocess.Popen[bytes]"]:
    argv = [sys.executable, "-m", "holdfast.run", "web", "--data", str(data)]
    argv += [f"--set=web.listen=127.0.0.1:{port}", "--set=live.wait=200 ms"]
    environment = {**os.environ, RUN_TOKEN_HASH: sha256(b"a-token-for-this-run").hexdigest()}
    with (data / "web.log").open("wb") as log, subprocess.Popen(argv, stderr=log, env=environment) as process:
        try:
            yield process
        finally:
            process.kill()


def answers(url: str, path: str = "/health/live") -> int:
    try:
        return httpx.get(url + path).status_code
    except httpx.TransportError:
        return 0


@pytest.fixture(name="server")
def server_fixture(tmp_path: Path) -> Iterator[RunningServer]:
    with embedded_valkey(tmp_path) as server:
        yield server


def test_it_ends_within_its_time_and_tells_the_pages_to_come_back(
    tmp_path: Path, server: RunningServer
) -> None:
    async def listen(url: str, process: "subprocess.Popen[bytes]") -> int | None:
        async with connect(url.replace("http", "ws") + "/api/v1/live", additional_headers=TOKEN) as socket:
            process.send_signal(signal.SIGTERM)
            async with asyncio.timeout(PATIENCE):
                await socket.wait_closed()
            return socket.close_code

    port = free_port()
    url = f"http://127.0.0.1:{port}"
    with running(tmp_path, port) as process:
        wait_for(lambda: answers(url) == 200)
        assert asyncio.run(listen(url, process)) == 1012
        assert process.wait(PATIENCE) == 0
    log = (tmp_path / "web.log").read_text()
    assert "Traceback" not in log
    assert "slow to stop" not in log
    assert server.ask("ZCARD", "hf:parts") == 0


def test_it_starts_without_the_live_store_and_is_ready_once_that_comes(
    tmp_path: Path, server: RunningServer
) -> None:
    server.kill()
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    with running(tmp_path, port) as process:
        wait_for(lambda: answers(url) == 200)
        assert answers(url, "/health/ready") == 503
        server.start()
        wait_for(lambda: answers(url, "/health/ready") == 200)
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE) == 0
    assert "Traceback" not in (tmp_path / "web.log").read_text()
