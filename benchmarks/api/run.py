"""Requests per second of the web door on one worker, beside the bare framework and bare ASGI."""

import asyncio
import os
import socket
import statistics
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import cast

import uvloop

from holdfast.store.live.embedded import EmbeddedServer

HERE = Path(__file__).parent
CLIENTS = 32
SECONDS = 3.0
ROUNDS = 3
BODY = b'{"amount": 1, "reason": "benchmark"}'
CASES = [
    ("uvicorn", "asgi", "read"),
    ("granian", "asgi", "read"),
    ("uvicorn", "litestar", "read"),
    ("granian", "litestar", "read"),
    ("uvicorn", "litestar", "write"),
    ("granian", "litestar", "write"),
    ("uvicorn", "door", "live"),
    ("granian", "door", "live"),
    ("uvicorn", "door", "read"),
    ("granian", "door", "read"),
    ("uvicorn", "door", "write"),
    ("granian", "door", "write"),
]
PATHS = {"live": "/health/live", "read": "/api/v1/members/ann", "write": "/api/v1/members/ann/points"}


class Client(asyncio.Protocol):
    """One kept-alive connection that asks again as soon as it is answered."""

    def __init__(self, request: bytes, counts: list[int]) -> None:
        self._request = request
        self._counts = counts
        self._heard = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        self._transport.write(self._request)

    def data_received(self, data: bytes) -> None:
        self._heard += data
        end = self._heard.find(b"\r\n\r\n")
        if end < 0:
            return
        head = self._heard[:end].lower()
        length = int(head.partition(b"content-length:")[2].split(b"\r\n", 1)[0])
        if len(self._heard) < end + 4 + length:
            return
        assert self._heard[9:10] == b"2", self._heard
        self._heard = b""
        self._counts[0] += 1
        self._transport.write(self._request)


def request(app: str, kind: str, port: int) -> bytes:
    path = PATHS[kind] if app == "door" else f"/{kind}"
    body = BODY if kind == "write" else b""
    lines = [f"{'POST' if body else 'GET'} {path} HTTP/1.1", f"Host: 127.0.0.1:{port}"]
    lines += ["Authorization: Bearer benchmark", "Accept: application/json"]
    if body:
        lines += ["Content-Type: application/json", f"Content-Length: {len(body)}"]
    return "\r\n".join([*lines, "", ""]).encode() + body


async def rate(app: str, kind: str, port: int) -> float:
    counts = [0]
    loop = asyncio.get_running_loop()
    message = request(app, kind, port)
    made = [await loop.create_connection(lambda: Client(message, counts), "127.0.0.1", port)
            for _ in range(CLIENTS)]  # fmt: skip
    await asyncio.sleep(0.5)
    before, began = counts[0], time.perf_counter()
    await asyncio.sleep(SECONDS)
    found = (counts[0] - before) / (time.perf_counter() - began)
    for transport, _ in made:
        transport.close()
    return found


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_until_open(port: int) -> None:
    for _ in range(200):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise SystemExit(f"nothing listens on port {port}")


def measure(server: str, app: str, kind: str, folder: Path) -> tuple[float, float]:
    """Requests per second, and the memory of the process afterwards in MiB."""
    port = free_port()
    argv = [sys.executable, str(HERE / "served.py"), server, app, str(port), str(folder)]
    with subprocess.Popen(argv) as process:
        try:
            wait_until_open(port)
            found = uvloop.run(rate(app, kind, port))
            pages = int(Path(f"/proc/{process.pid}/statm").read_text().split()[1])
        finally:
            process.terminate()
            process.wait(15)
    return found, pages * os.sysconf("SC_PAGE_SIZE") / (1 << 20)


def main() -> None:
    results: dict[tuple[str, str, str], list[tuple[float, float]]] = {case: [] for case in CASES}
    with TemporaryDirectory(prefix="hf-") as name:
        folder = Path(name)
        embedded = EmbeddedServer(folder)
        embedded.prepare()
        environment = {**os.environ, **embedded.environment()}
        with subprocess.Popen(embedded.argv(), env=environment, stdout=subprocess.DEVNULL) as valkey:
            try:
                for _ in range(ROUNDS):
                    for case in CASES:
                        results[case].append(measure(*case, folder))
            finally:
                valkey.terminate()
    show(results)


def show(results: dict[tuple[str, str, str], list[tuple[float, float]]]) -> None:
    rates = {case: statistics.median(rate for rate, _ in found) for case, found in results.items()}
    print(
        "| server | application | request | requests/s | of the same on uvicorn | of bare Litestar | memory |"
    )
    print("|---|---|---|---:|---:|---:|---:|")
    for case, found in results.items():
        server, app, kind = case
        memory = statistics.median(memory for _, memory in found)
        same = rates[case] / rates["uvicorn", app, kind]
        bare = rates[case] / rates[server, "litestar", "write" if kind == "write" else "read"]
        print(
            f"| {server} | {app} | {kind} | {rates[case]:,.0f} | {same:.2f} | {bare:.2f} | {memory:.0f} MiB |"
        )


if __name__ == "__main__":
    main()
