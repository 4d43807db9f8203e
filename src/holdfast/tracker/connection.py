"""One client at the HTTP door: as little of HTTP as BitTorrent clients need, straight on the socket."""

import socket
from enum import IntEnum
from math import inf
from typing import TYPE_CHECKING, Final

from holdfast.tracker.model import Request
from holdfast.tracker.reception import endpoints, place_of
from holdfast.tracker.records import Answer
from holdfast.tracker.scrape import Counts
from holdfast.tracker.secure import Stream
from holdfast.wire.announce import RefusedAnnounceError, read_announce, read_scrape
from holdfast.wire.named_address import named_endpoints
from holdfast.wire.tracker_answer import (
    METHOD_NOT_ALLOWED,
    NO_REQUEST,
    NOT_FOUND,
    TOO_LONG,
    announce_answer,
    failure,
    http_answer,
    scrape_answer,
)
from holdfast.wire.tracker_request import HEAD_END, TrackerRequest, Verb, forwarded_for, read_head

if TYPE_CHECKING:
    from holdfast.tracker.http import HttpDoor

LONGEST_HEAD: Final = 8192
SLOW: Final = 10.0
"""Seconds to say a request once begun, to take an answer, or to leave after the last one."""
IDLE: Final = 60.0
BOARD: Final = (Verb.STATS, Verb.STATS_JSON)
REFUSALS: Final = {
    Verb.UNKNOWN: NOT_FOUND,
    Verb.OTHER_METHOD: METHOD_NOT_ALLOWED,
    Verb.NONSENSE: NO_REQUEST,
}


class Stage(IntEnum):
    """Where a connection stands between two requests."""

    QUIET = 0
    ASKING = 1
    SERVED = 2
    LEAVING = 3


class Connection:
    """Its requests are answered one after the other, in order.

    It is registered with the loop only when it has not said everything at once.
    """

    __slots__ = (
        "_asked",
        "_door",
        "_ended",
        "_going",
        "_host",
        "_keep_alive",
        "_listening",
        "_received",
        "_socket",
        "_stage",
        "_unsent",
        "deadline",
    )

    def __init__(self, door: "HttpDoor", accepted: Stream, host: str) -> None:
        self._door = door
        self._socket = accepted
        self._host = host
        self._received = b""
        self._unsent = b""
        self._stage = Stage.QUIET
        self._keep_alive = True
        self._listening = False
        self._ended = False
        self._going = False
        self._asked: list[bytes] = []
        self.deadline = inf

    @property
    def served(self) -> bool:
        """Whether it waits for us, not we for it."""
        return self._stage is Stage.SERVED and not self._unsent

    def read(self) -> None:
        try:
            data = self._socket.recv(LONGEST_HEAD)
        except BlockingIOError:
            # While hands are shaken, too, a byte now and then does not buy more time.
            if not self._listening:
                self._wait(SLOW)
            return
        except OSError:
            self.close()
            return
        if self._stage is Stage.LEAVING:
            if not data:
                self.close()
            return
        self._ended = not data
        self._received = self._received + data if self._received else data
        if self._stage is not Stage.SERVED:
            self._go_on()
        elif self._ended or len(self._received) > LONGEST_HEAD:
            # What else it asks can wait in the network until it has been answered.
            self._stop_listening()

    # Requests ---------------------------------------------------------------------------------------------

    def _go_on(self) -> None:
        """Serve what was asked, until one request has to wait, or no whole one is left."""
        self._going = True
        while self._stage < Stage.SERVED:
            head, end, rest = self._received.partition(HEAD_END)
            if len(head) > LONGEST_HEAD:
                self._stage = Stage.SERVED
                self._finish(TOO_LONG, keep_alive=False)
            elif end:
                self._received = rest
                self._stage = Stage.SERVED
                self.deadline = inf
                self._serve(head)
            else:
                self._wait_for_more()
                break
        self._going = False

    def _wait_for_more(self) -> None:
        if self._ended or self._door.closed:
            self.close()
        elif not self._received:
            self._wait(IDLE)
        elif self._stage is Stage.QUIET:
            # From its first byte on; a byte now and then does not buy more time.
            self._stage = Stage.ASKING
            self._wait(SLOW)

    def _serve(self, head: bytes) -> None:
        self._door.figures.requests += 1
        try:
            self._bring(read_head(head), head)
        except RefusedAnnounceError as reason:
            self.refused(reason)
        except Exception:  # noqa: BLE001 - logged, counted and answered there
            self._door.reception.mishaps.answer(self)

    def _bring(self, asked: TrackerRequest, head: bytes) -> None:
        door = self._door
        self._keep_alive = asked.keep_alive
        host = self._host
        if door.trusted:
            host = door.origin(host, forwarded_for(head)) or host
        if asked.verb is Verb.ANNOUNCE:
            announce = read_announce(asked.query)
            ep4, ep6 = endpoints(host, announce.port)
            if door.believes(host):
                named4, named6 = named_endpoints(asked.query, announce.port)
                ep4, ep6 = named4 or ep4, named6 or ep6
            door.reception.receive(asked.passkey, announce, ep4, ep6, self)
        elif asked.verb is Verb.SCRAPE:
            self._asked = read_scrape(asked.query, door.limits.scrape)
            door.reception.check(asked.passkey, *endpoints(host, 0), self)
        elif asked.verb in BOARD and door.board is not None:
            door.board.show(asked.verb, self)
        elif asked.verb in REFUSALS or door.site is None:
            self.told(REFUSALS.get(asked.verb, NOT_FOUND))
        else:
            place = place_of(*endpoints(host, 0))
            door.site.serve(asked.verb, asked.passkey, asked.query, place, self)

    # Answers ----------------------------------------------------------------------------------------------

    def known(self) -> None:
        """The passkey of a scrape is a member's."""
        self._door.figures.scrapes += 1
        self._door.scraper.scrape_soon(self._asked, self)

    def answered(self, request: Request, answer: Answer) -> None:
        limits = self._door.limits
        self._say(
            announce_answer(
                answer.seeders,
                answer.leechers,
                answer.snatches,
                self._door.reception.interval(limits, request.announce.peer_id),
                limits.min_interval,
                answer.peers4,
                answer.peers6,
                compact=request.announce.compact,
                external=request.ep4[:4] or request.ep6[:16],
            )
        )

    def scraped(self, counts: list[Counts | None]) -> None:
        found = {asked: count for asked, count in zip(self._asked, counts, strict=True) if count is not None}
        self._say(scrape_answer(found))

    def refused(self, reason: RefusedAnnounceError) -> None:
        self._door.figures.refused(reason.code)
        self._say(failure(reason))

    def told(self, answer: bytes) -> None:
        """What is no client's answer is the last one."""
        self._finish(answer, keep_alive=False)

    def _say(self, body: bytes) -> None:
        self._finish(http_answer(body, keep_alive=self._keep_alive), keep_alive=self._keep_alive)

    def _finish(self, answer: bytes, *, keep_alive: bool) -> None:
        self._keep_alive = keep_alive
        try:
            sent = self._socket.send(answer)
        except BlockingIOError:
            sent = 0
        except OSError:
            self.close()
            return
        if sent == len(answer):
            self._answer_is_out()
            return
        self._unsent = answer[sent:]
        self._stop_listening()
        self._door.loop.add_writer(self._socket.fileno(), self._write)
        self._put_off(SLOW)

    def _write(self) -> None:
        """The rest of an answer that the network would not take at once."""
        try:
            self._unsent = self._unsent[self._socket.send(self._unsent) :]
        except BlockingIOError:
            return
        except OSError:
            self.close()
            return
        if not self._unsent:
            self._door.loop.remove_writer(self._socket.fileno())
            self._answer_is_out()

    def _answer_is_out(self) -> None:
        if self._keep_alive:
            self._stage = Stage.QUIET
            if not self._going:
                self._go_on()
        elif self._received and not self._ended:
            self._leave()
        else:
            self.close()

    # Waiting and parting ----------------------------------------------------------------------------------

    def _leave(self) -> None:
        """It said more than we read. Closing at once would have the network drop our answer with the rest."""
        self._stage = Stage.LEAVING
        self._received = b""
        try:
            self._socket.shutdown(socket.SHUT_WR)
        except OSError:
            self.close()
        else:
            self._wait(SLOW)

    def _wait(self, seconds: float) -> None:
        self._put_off(seconds)
        if not self._listening:
            self._listening = True
            self._door.loop.add_reader(self._socket.fileno(), self.read)

    def _put_off(self, seconds: float) -> None:
        waiting = self._door.waiting
        waiting.pop(self, None)
        waiting[self] = None
        self.deadline = self._door.clock.steady() + seconds

    def _stop_listening(self) -> None:
        if self._listening:
            self._listening = False
            self._door.loop.remove_reader(self._socket.fileno())

    def close(self) -> None:
        if self._socket.fileno() < 0:
            return
        self._stop_listening()
        if self._unsent:
            self._unsent = b""
            self._door.loop.remove_writer(self._socket.fileno())
        self._stage = Stage.LEAVING
        self._door.waiting.pop(self, None)
        self._door.count -= 1
        self._socket.close()
