"""A tracker with its doors in a thread of this process, on real sockets and a real live store."""

import asyncio
import socket
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from random import Random
from typing import Any
from urllib.parse import quote_from_bytes

import pytest
import uvloop

from holdfast.catalogue.keys import INFO_HASH, USER
from holdfast.certificate import Certificate, keep_fresh
from holdfast.clock import SystemClock
from holdfast.observe.metrics import Metrics
from holdfast.settings.tree import Tracker as TrackerSettings
from holdfast.store.live import Layout, open_live
from holdfast.store.live.interface import Patience
from holdfast.tracker.board import Board
from holdfast.tracker.desk import Desk
from holdfast.tracker.figures import Figures
from holdfast.tracker.guessing import Guessing
from holdfast.tracker.http import HttpDoor
from holdfast.tracker.mishaps import Mishaps
from holdfast.tracker.model import Limits
from holdfast.tracker.reception import Reception
from holdfast.tracker.register import Register
from holdfast.tracker.scrape import Scraper
from holdfast.tracker.service.tell import keep_telling
from holdfast.tracker.service.watch import keep_watching
from holdfast.tracker.site import site_of
from holdfast.tracker.suspicions import Suspicions
from holdfast.tracker.udp import ConnectionIds, UdpDoor
from holdfast.wire.bencode import decode
from holdfast.wire.forwarded import networks
from tests.servers import RunningServer

PATIENCE = 30.0
"""For what happens soon on a machine at rest; nothing is measured by it."""
ANN, BOB, EVE = "a" * 32, "b" * 32, "e" * 32
UPLOAD = bytes(range(20))


class HastyClock:
    """Real time that a test can hurry on; who sleeps looks again at once."""

    def __init__(self) -> None:
        self.ahead = 0.0

    def now(self) -> float:
        return time.time() + self.ahead

    def steady(self) -> float:
        return time.monotonic() + self.ahead

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(min(seconds, 0.02))


class Tracker:
    """Started and stopped by `tracker` below."""

    def __init__(
        self,
        server: RunningServer,
        *,
        limits: Limits | None = None,
        proxies: Sequence[str] = (),
        believed: Sequence[str] = (),
        certificate: Certificate | None = None,
        is_open: bool = False,
        require_whitelist: bool = False,
        patience: Patience | None = None,
        host: str = "127.0.0.1",
        layout: Layout = Layout.CLASSIC,
        settings: TrackerSettings | None = None,
    ) -> None:
        self.server = server
        self._settings = settings or TrackerSettings()
        self.layout = layout
        self.patience = patience or Patience(wait=0.3, longest_pause=0.05)
        self.clock = HastyClock()
        self.limits = limits or Limits(min_interval=0)
        self.metrics, self.figures = Metrics(), Figures()
        self.metrics.registry.register(self.figures)
        self._proxies = proxies
        self._believed = believed
        self._certificate = certificate
        self._is_open = is_open
        self._require_whitelist = require_whitelist
        self._family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self._listener = socket.socket(self._family)
        self._datagrams = socket.socket(self._family, socket.SOCK_DGRAM)
        for each in (self._listener, self._datagrams):
            if self._family == socket.AF_INET6:
                each.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        self._listener.bind((host, 0))
        self._listener.listen(4096)
        self.port: int = self._listener.getsockname()[1]
        self._datagrams.bind((host, self.port))
        self._opened = threading.Event()
        self._thread = threading.Thread(target=lambda: uvloop.run(self._live()), name="tracker")
        self._loop: asyncio.AbstractEventLoop
        self._stopping: asyncio.Event
        self.http: HttpDoor
        self.register: Register
        self.desk: Desk

    async def _live(self) -> None:
        self._loop, self._stopping = asyncio.get_running_loop(), asyncio.Event()
        live = open_live(self.server.address, clock=SystemClock(), layout=self.layout, patience=self.patience)
        async with live, asyncio.TaskGroup() as tasks:
            mishaps = Mishaps(self.metrics)
            self.register = Register(live, self.clock, is_open=self._is_open)
            suspicions = Suspicions(live, self.clock)
            self.desk = Desk(
                live,
                self.clock,
                self.limits,
                Random(7),
                tasks.create_task,  # type: ignore[arg-type]
                mishaps,
                self.register,
                suspicions,
                self.figures,
            )
            guessing = Guessing(self.clock)
            reception = Reception(
                self.register,
                self.desk,
                tasks.create_task,  # type: ignore[arg-type]
                guessing,
                mishaps,
                suspicions,
                require_whitelist=self._require_whitelist,
            )
            scraper = Scraper(live, tasks.create_task, mishaps, is_open=self._is_open)  # type: ignore[arg-type]
            trusted, believed = networks(self._proxies), networks(self._believed)
            site = site_of(
                self._settings,
                live,
                self.clock,
                self.limits,
                self.register,
                guessing,
                tasks.create_task,  # type: ignore[arg-type]
                mishaps,
            )
            self.http = HttpDoor(
                self._listener,
                reception,
                scraper,
                self.limits,
                trusted,
                self.clock,
                believed=believed,
                site=site,
                board=Board(live, self.clock, tasks.create_task) if self._settings.stats else None,  # type: ignore[arg-type]
                certificate=self._certificate,
            )
            ids = ConnectionIds(bytes(32), self.clock)
            udp = UdpDoor(self._datagrams, reception, scraper, ids, self.limits, believed=believed)
            fresh = [keep_fresh(self._certificate, self.clock)] if self._certificate else []
            loops = [
                tasks.create_task(self.http.keep_tidy()),
                *map(tasks.create_task, fresh),
                tasks.create_task(keep_telling(self.figures, live, self.clock)),
                tasks.create_task(keep_watching(self.register, live, self.clock)),
            ]
            for door in (self.http, udp):
                door.open()
            self._opened.set()
            await self._stopping.wait()
            for door in (self.http, udp):
                door.close()
            for loop in loops:
                loop.cancel()

    def start(self) -> None:
        self._thread.start()
        assert self._opened.wait(PATIENCE)

    def stop(self) -> None:
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._stopping.set)
        self._thread.join(PATIENCE)
        for each in (self._listener, self._datagrams):
            each.close()
        assert not self._thread.is_alive(), "the tracker did not stop"

    def crashes(self) -> float:
        return self.metrics.registry.get_sample_value("holdfast_tracker_crashes_total") or 0.0

    def member(self, passkey: str, user_id: int, **fields: str | int) -> None:
        told = [word for pair in fields.items() for word in pair]
        self.server.ask("HSET", USER.name(self.layout, passkey=passkey), "user_id", user_id, *told)
        self.server.ask("PUBLISH", "t:pub:user", passkey)

    def upload(self, info_hash: bytes, number: int) -> None:
        self.server.ask("SET", INFO_HASH.name(self.layout, info_hash=info_hash.hex()), number)
        self.server.ask("PUBLISH", "t:pub:torrent", info_hash.hex())

    def connect(self, host: str = "127.0.0.1") -> socket.socket:
        return socket.create_connection((host, self.port), timeout=PATIENCE)

    def say(self, request: bytes, host: str = "127.0.0.1") -> bytes:
        """All that comes back until the tracker closes."""
        with self.connect(host) as connection:
            connection.sendall(request)
            return until_closed(connection)

    def get(self, target: str, *headers: str, host: str = "127.0.0.1") -> Any:
        """The bencoded answer to one request on a connection of its own."""
        return body(self.say(request(target, *headers, "Connection: close"), host))

    def announce(self, passkey: str = ANN, *headers: str, host: str = "127.0.0.1", **fields: Any) -> Any:
        return self.get(announce_target(passkey, **fields), *headers, host=host)

    def udp(self, packet: bytes, host: str = "127.0.0.1", patience: float = PATIENCE) -> bytes | None:
        """The answer to one datagram; None when none comes."""
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        with socket.socket(family, socket.SOCK_DGRAM) as client:
            client.settimeout(patience)
            client.sendto(packet, (host, self.port))
            try:
                return client.recv(65536)
            except TimeoutError:
                return None


@contextmanager
def tracker(server: RunningServer, **options: Any) -> Iterator[Tracker]:
    one = Tracker(server, **options)
    one.start()
    try:
        one.member(ANN, 1)
        one.member(BOB, 2)
        one.upload(UPLOAD, 7)
        yield one
    finally:
        one.stop()


def need_ipv6() -> None:
    """The test is skipped, loudly, where the machine has no ::1."""
    try:
        with socket.socket(socket.AF_INET6) as probe:
            probe.bind(("::1", 0))
    except OSError as fault:
        pytest.skip(f"NOT TESTED: this machine has no IPv6 ({fault})")


def request(target: str, *headers: str) -> bytes:
    return "\r\n".join([f"GET {target} HTTP/1.1", "Host: tracker", *headers, "", ""]).encode("latin-1")


def announce_target(passkey: str = ANN, **fields: Any) -> str:
    said: dict[str, Any] = {
        "info_hash": UPLOAD,
        "peer_id": b"-TR4000-0123456789ab",
        "port": 6881,
        "uploaded": 0,
        "downloaded": 0,
        "left": 0,
    } | fields
    parts = [
        f"{name}={quote_from_bytes(value) if isinstance(value, bytes) else value}"
        for name, value in said.items()
        if value is not None
    ]
    return f"/{passkey}/announce?{'&'.join(parts)}"


def until_closed(connection: socket.socket) -> bytes:
    parts = []
    while part := connection.recv(65536):
        parts.append(part)
    return b"".join(parts)


def one_answer(connection: socket.socket, rest: bytes = b"") -> tuple[bytes, bytes]:
    """One whole HTTP answer, and what was received behind it."""
    while b"\r\n\r\n" not in rest:
        part = connection.recv(65536)
        assert part, f"closed after {rest!r}"
        rest += part
    head, _, after = rest.partition(b"\r\n\r\n")
    length = int(head.lower().partition(b"content-length: ")[2].split(b"\r\n")[0])
    while len(after) < length:
        part = connection.recv(65536)
        assert part, f"closed after {rest!r}"
        after += part
    return head + b"\r\n\r\n" + after[:length], after[length:]


def body(answer: bytes) -> Any:
    head, _, said = answer.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200 OK\r\n"), answer
    return decode(said)


def until(what: str, condition: Callable[[], Any]) -> Any:
    give_up = time.monotonic() + PATIENCE
    while not (found := condition()):
        assert time.monotonic() < give_up, f"waited in vain: {what}"
        time.sleep(0.01)
    return found
