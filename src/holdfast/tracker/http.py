"""The tracker's HTTP door: accepts, and lets nobody hold it up."""

import asyncio
import resource
import socket
from collections.abc import Sequence
from functools import lru_cache, partial
from typing import Final

import structlog

from holdfast.certificate import Certificate
from holdfast.clock import Clock
from holdfast.tracker.board import Board
from holdfast.tracker.connection import SLOW, Connection
from holdfast.tracker.model import Limits
from holdfast.tracker.reception import Reception, belief
from holdfast.tracker.scrape import Scraper
from holdfast.tracker.secure import SecureSocket, Stream
from holdfast.tracker.site import Site
from holdfast.wire.forwarded import Network, client_address

log = structlog.get_logger()
ACCEPT_AT_ONCE: Final = 64
MOST_OPEN: Final = 20_000
KEPT_FREE: Final = 100
"""File descriptors for all that is not a client."""
BREATH: Final = 0.2


class HttpDoor:
    """A worker has one for each listening socket."""

    def __init__(
        self,
        listener: socket.socket,
        reception: Reception,
        scraper: Scraper,
        limits: Limits,
        trusted: Sequence[Network],
        clock: Clock,
        neighbours: Sequence[socket.socket] = (),
        *,
        believed: Sequence[Network] = (),
        site: Site | None = None,
        board: Board | None = None,
        certificate: Certificate | None = None,
    ) -> None:
        self._listener = listener
        self._neighbours = neighbours
        self.board = board
        self._certificate = certificate
        self._most = MOST_OPEN
        self._resting: asyncio.TimerHandle | None = None
        self.reception = reception
        self.figures = reception.figures
        self.scraper = scraper
        self.site = site
        self.limits = limits
        self.trusted = trusted
        self.origin = lru_cache(4096)(partial(client_address, trusted=trusted))
        self.believes = belief(believed)
        self.clock = clock
        self.loop = asyncio.get_running_loop()
        self.count = 0
        self.figures.connections = lambda: self.count
        self.waiting: dict[Connection, None] = {}
        """Whom the loop listens to; who has been quiet for longest comes first."""
        self.closed = False

    def open(self) -> None:
        self._listener.setblocking(False)
        self._most = min(MOST_OPEN, _descriptors() - KEPT_FREE)
        if hasattr(socket, "TCP_DEFER_ACCEPT"):
            # The request is there when the connection is: accept, read, answer and close in one go.
            self._listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_DEFER_ACCEPT, 5)
        self.loop.add_reader(self._listener.fileno(), self._let_in)

    def look_in(self) -> bool:
        """Take in whom a neighbour has left standing; whether there may be more."""
        return any(self._accept(each) for each in self._neighbours)

    def close(self) -> None:
        """Nobody is let in any more; those who wait for their answer still get it."""
        self.closed = True
        if self._resting is not None:
            self._resting.cancel()
        self.loop.remove_reader(self._listener.fileno())
        for connection in list(self.waiting):
            if not connection.served:
                connection.close()

    async def keep_tidy(self) -> None:
        """Close who is slow to ask or to listen, and who has not asked for long; until cancelled."""
        while True:
            await self.clock.sleep(SLOW / 2)
            now = self.clock.steady()
            for connection in list(self.waiting):
                if now > connection.deadline:
                    connection.close()

    def _let_in(self) -> None:
        self._accept(self._listener)

    def _accept(self, listener: socket.socket) -> bool:
        """Whether there may be more."""
        for _ in range(ACCEPT_AT_ONCE):
            try:
                accepted, address = listener.accept()
            except BlockingIOError:
                return False
            except ConnectionError:
                # It was gone before we came to it.
                continue
            except OSError as error:
                self._rest(error)
                return False
            accepted.setblocking(False)
            try:
                stream = self._guarded(accepted)
            except OSError:
                # It was gone before it could be greeted.
                accepted.close()
                continue
            if self.count >= self._most:
                self._make_room()
            self.count += 1
            Connection(self, stream, address[0]).read()
        return True

    def _guarded(self, accepted: socket.socket) -> Stream:
        return SecureSocket(accepted, self._certificate.context) if self._certificate else accepted

    def _make_room(self) -> None:
        for connection in self.waiting:
            if not connection.served:
                connection.close()
                return

    def _rest(self, error: OSError) -> None:
        """No descriptors are left, most likely; to ask again at once would only burn the processor."""
        log.warning("connection not accepted", reason=str(error), open=self.count)
        self._make_room()
        self.loop.remove_reader(self._listener.fileno())
        self._resting = self.loop.call_later(BREATH, self._go_on)

    def _go_on(self) -> None:
        self.loop.add_reader(self._listener.fileno(), self._let_in)


def _descriptors() -> int:
    """How many files this process may have open: all that the system allows, from now on."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        return MOST_OPEN + KEPT_FREE
    wanted = MOST_OPEN + KEPT_FREE
    if soft < wanted:
        soft = wanted if hard == resource.RLIM_INFINITY else min(hard, wanted)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return soft
