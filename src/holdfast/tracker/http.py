"""The tracker's HTTP door: as little as a BitTorrent client needs, straight on the sockets."""

import asyncio
import socket
from typing import Any, Final

import structlog

from holdfast.clock import Clock
from holdfast.tracker import rules
from holdfast.tracker.model import Limits, Request
from holdfast.tracker.proxies import Proxies
from holdfast.tracker.reception import Reception, endpoints
from holdfast.tracker.records import Answer
from holdfast.tracker.scrape import Counts, Scraper
from holdfast.wire.announce import RefusedAnnounceError, read_announce, read_scrape
from holdfast.wire.tracker_answer import announce_answer, failure, http_answer, scrape_answer
from holdfast.wire.tracker_request import HEAD_END, TrackerRequest, Verb, forwarded_for, read_head

log = structlog.get_logger()
LONGEST_HEAD: Final = 8192
ACCEPT_AT_ONCE: Final = 64
SLOW: Final = 10.0
IDLE: Final = 60.0
MOST_OPEN: Final = 20_000
NOWHERE: Final = b"This is a tracker; BitTorrent clients announce to /PASSKEY/announce.\n"
NOT_FOUND: Final = (
    b"HTTP/1.1 404 Not Found\r\nContent-Type: text/plain\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%b"
    % (len(NOWHERE), NOWHERE)
)
TOO_LONG: Final = (
    b"HTTP/1.1 431 Request Header Fields Too Large\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
)


class HttpDoor:
    """Accepts, reads, has it received, answers; a worker has one for each listening socket."""

    def __init__(
        self,
        listener: socket.socket,
        reception: Reception,
        scraper: Scraper,
        limits: Limits,
        proxies: Proxies,
        clock: Clock,
    ) -> None:
        self._listener = listener
        self.reception = reception
        self.scraper = scraper
        self.limits = limits
        self.proxies = proxies
        self.clock = clock
        self.loop = asyncio.get_running_loop()
        self.waiting: dict[Connection, float] = {}

    def open(self) -> None:
        self._listener.setblocking(False)
        if hasattr(socket, "TCP_DEFER_ACCEPT"):
            # The request is there when the connection is: accept, read, answer and close in one go.
            self._listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_DEFER_ACCEPT, 5)
        self.loop.add_reader(self._listener.fileno(), self._accept)

    def close(self) -> None:
        self.loop.remove_reader(self._listener.fileno())
        for connection in list(self.waiting):
            connection.close()

    async def keep_tidy(self) -> None:
        """Close who is slow to ask, and who has not asked for long; until cancelled."""
        while True:
            await self.clock.sleep(SLOW / 2)
            now = self.clock.steady()
            for connection, since in list(self.waiting.items()):
                if now - since > (SLOW if connection.half_said else IDLE):
                    connection.close()

    def _accept(self) -> None:
        for _ in range(ACCEPT_AT_ONCE):
            try:
                accepted, address = self._listener.accept()
            except BlockingIOError:
                return
            except OSError as error:
                # No file descriptors left, most likely: those who are served now will free some.
                log.warning("connection not accepted", reason=str(error))
                return
            accepted.setblocking(False)
            if len(self.waiting) >= MOST_OPEN:
                next(iter(self.waiting)).close()
            Connection(self, accepted, address).read()


class Connection:
    """One client. It is registered with the loop only when it has not said everything at once."""

    __slots__ = (
        "_address",
        "_asked",
        "_busy",
        "_door",
        "_keep_alive",
        "_listening",
        "_received",
        "_socket",
        "_unsent",
    )

    def __init__(self, door: HttpDoor, accepted: socket.socket, address: tuple[Any, ...]) -> None:
        self._door = door
        self._socket = accepted
        self._address = address
        self._received = b""
        self._unsent = b""
        self._busy = False
        self._keep_alive = False
        self._listening = False
        self._asked: list[bytes] = []

    @property
    def half_said(self) -> bool:
        return bool(self._received)

    def read(self) -> None:
        try:
            data = self._socket.recv(LONGEST_HEAD)
        except BlockingIOError:
            self._listen()
            return
        except OSError:
            self.close()
            return
        if not data or len(self._received) > LONGEST_HEAD:
            self.close()
            return
        self._received = self._received + data if self._received else data
        if not self._busy:
            self._next()

    def _next(self) -> None:
        """Take the next whole request out of what was received."""
        head, end, rest = self._received.partition(HEAD_END)
        if not end:
            if len(head) >= LONGEST_HEAD:
                self._finish(TOO_LONG, keep_alive=False)
            else:
                self._listen()
            return
        self._received = rest
        self._busy = True
        asked = read_head(head)
        self._keep_alive = asked.keep_alive
        try:
            self._serve(asked, head)
        except RefusedAnnounceError as reason:
            self.refused(reason)

    def _serve(self, asked: TrackerRequest, head: bytes) -> None:
        door = self._door
        if asked.verb is Verb.ANNOUNCE:
            announce = read_announce(asked.query)
            host = self._address[0]
            if door.proxies.any:
                host = door.proxies.origin(host, ",".join(forwarded_for(head)))
            door.reception.receive(asked.passkey, announce, *endpoints(host, announce.port), self)
        elif asked.verb is Verb.SCRAPE:
            self._asked = read_scrape(asked.query, door.limits.scrape)
            door.reception.check(asked.passkey, self)
        else:
            self._finish(NOT_FOUND, keep_alive=False)

    def known(self) -> None:
        """The passkey of a scrape is a member's."""
        self._door.scraper.scrape_soon(self._asked, self)

    def answered(self, request: Request, answer: Answer) -> None:
        limits = self._door.limits
        body = announce_answer(
            answer.seeders,
            answer.leechers,
            answer.snatches,
            rules.interval(limits.interval, limits.jitter, hash(request.announce.peer_id)),
            limits.min_interval,
            answer.peers4,
            answer.peers6,
            compact=request.announce.compact,
            external=request.ep4[:4] or request.ep6[:16],
        )
        self._finish(http_answer(body, keep_alive=self._keep_alive), keep_alive=self._keep_alive)

    def scraped(self, counts: list[Counts]) -> None:
        found = {asked: count for asked, count in zip(self._asked, counts, strict=True) if count is not None}
        self._finish(
            http_answer(scrape_answer(found), keep_alive=self._keep_alive), keep_alive=self._keep_alive
        )

    def refused(self, reason: RefusedAnnounceError) -> None:
        self._finish(http_answer(failure(reason), keep_alive=self._keep_alive), keep_alive=self._keep_alive)

    def _finish(self, answer: bytes, *, keep_alive: bool) -> None:
        self._keep_alive = keep_alive
        try:
            sent = self._socket.send(answer)
        except BlockingIOError:
            sent = 0
        except OSError:
            self.close()
            return
        if sent < len(answer):
            self._unsent = answer[sent:]
            self._door.loop.add_writer(self._socket.fileno(), self._write)
            return
        self._answer_is_out()

    def _write(self) -> None:
        """The rest of an answer that the network would not take at once."""
        try:
            self._unsent = self._unsent[self._socket.send(self._unsent) :]
        except BlockingIOError:
            return
        except OSError:
            self._unsent = b""
            self._keep_alive = False
        if not self._unsent:
            self._door.loop.remove_writer(self._socket.fileno())
            self._answer_is_out()

    def _answer_is_out(self) -> None:
        self._busy = False
        if not self._keep_alive:
            self.close()
        elif self._received:
            self._next()
        else:
            self._listen()

    def _listen(self) -> None:
        self._door.waiting[self] = self._door.clock.steady()
        if not self._listening:
            self._listening = True
            self._door.loop.add_reader(self._socket.fileno(), self.read)

    def close(self) -> None:
        if self._listening:
            self._listening = False
            self._door.loop.remove_reader(self._socket.fileno())
        if self._unsent:
            self._door.loop.remove_writer(self._socket.fileno())
        self._door.waiting.pop(self, None)
        self._socket.close()
