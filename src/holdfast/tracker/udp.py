"""The tracker's UDP door, on the same port as the HTTP one."""

import asyncio
import hashlib
import hmac
import socket
from collections.abc import Sequence
from functools import lru_cache, partial
from typing import Any, Final, TypeAlias

import structlog

from holdfast.clock import Clock
from holdfast.tracker.model import Limits, Request
from holdfast.tracker.reception import Reception, belief, endpoints
from holdfast.tracker.records import Answer
from holdfast.tracker.scrape import NOBODY, Counts, Scraper
from holdfast.wire import udp_announce as wire
from holdfast.wire.announce import RefusedAnnounceError
from holdfast.wire.forwarded import Network
from holdfast.wire.named_address import packed_address

log = structlog.get_logger()
Address: TypeAlias = tuple[Any, ...]

READ_AT_ONCE: Final = 64
LONGEST: Final = 2048
ID_SECONDS: Final = 120
MOST_AT_HAND: Final = 4096
STALE: Final = "Connection id expired"
"""Short, to fit in whatever was sent."""
MOST_IN_DATAGRAM: Final = 1200
"""Bytes of peers, so that with all headers no network has to cut the datagram up."""


class ConnectionIds:
    """Ids that prove an address without being remembered: each is a keyed hash of it and the time."""

    def __init__(self, secret: bytes, clock: Clock) -> None:
        self._clock = clock
        self.agree(secret)

    def agree(self, secret: bytes) -> None:
        """From now on with the secret that all workers share."""
        # Whoever is given an id shows it at once: it need not be made again.
        self._at = lru_cache(MOST_AT_HAND)(partial(_made, secret))

    def give(self, host: str) -> int:
        return self._at(host, int(self._clock.now()) // ID_SECONDS)

    def good(self, host: str, given: int) -> bool:
        """Good for as long as it is from this span of time or the one before."""
        span = int(self._clock.now()) // ID_SECONDS
        return _same(given, self._at(host, span)) or _same(given, self._at(host, span - 1))


def _made(secret: bytes, host: str, span: int) -> int:
    text = f"{host} {span}".encode()
    return int.from_bytes(hashlib.blake2b(text, key=secret, digest_size=8).digest(), "big")


def _same(given: int, right: int) -> bool:
    return hmac.compare_digest(given.to_bytes(8, "big"), right.to_bytes(8, "big"))


class UdpDoor:
    """Reads datagrams as they come and answers those that have proven where they are from."""

    def __init__(
        self,
        bound: socket.socket,
        reception: Reception,
        scraper: Scraper,
        ids: ConnectionIds,
        limits: Limits,
        neighbours: Sequence[socket.socket] = (),
        *,
        believed: Sequence[Network] = (),
    ) -> None:
        self._believes = belief(believed)
        self._socket = bound
        self._neighbours = neighbours
        self.reception = reception
        self.figures = reception.figures
        self._scraper = scraper
        self._ids = ids
        self.limits = limits

    def open(self) -> None:
        self._socket.setblocking(False)
        asyncio.get_running_loop().add_reader(self._socket.fileno(), self._read, self._socket)

    def look_in(self) -> bool:
        """Answer whom a neighbour has left waiting; whether there may be more."""
        return any(self._read(each) for each in self._neighbours)

    def close(self) -> None:
        asyncio.get_running_loop().remove_reader(self._socket.fileno())

    def send(self, packet: bytes, address: Address) -> None:
        try:
            self._socket.sendto(packet, address)
        except OSError as error:
            # Datagrams may be lost anywhere; the client asks again.
            log.debug("datagram not sent", reason=str(error))

    def _read(self, bound: socket.socket) -> bool:
        """Whether there may be more."""
        for _ in range(READ_AT_ONCE):
            try:
                data, address = bound.recvfrom(LONGEST)
            except BlockingIOError:
                return False
            except OSError as error:
                log.debug("datagram not read", reason=str(error))
                return False
            packet = wire.read_packet(data, self.limits.scrape)
            if packet is not None:
                self._serve(packet, address, len(data))
        return True

    def _serve(self, packet: wire.Packet, address: Address, length: int) -> None:
        self.figures.requests += 1
        if isinstance(packet, wire.Connect):
            self.send(wire.connected(packet.transaction, self._ids.give(address[0])), address)
            return
        if not self._ids.good(address[0], packet.connection):
            answer = wire.refused(packet.transaction, STALE)
            # Who has not proven his address gets no more than he sent: nobody can be flooded through us.
            if len(answer) <= length:
                self.send(answer, address)
            return
        client = UdpClient(self, packet.transaction, address)
        try:
            self._bring(packet, address[0], client)
        except RefusedAnnounceError as reason:
            client.refused(reason)
        except Exception:  # noqa: BLE001 - logged, counted and answered there
            self.reception.mishaps.answer(client)

    def _bring(self, packet: wire.UdpAnnounce | wire.UdpScrape, host: str, client: "UdpClient") -> None:
        if isinstance(packet, wire.UdpScrape):
            # BEP 41 gives scrapes no place for a passkey: who knows the hash may ask.
            self.figures.scrapes += 1
            self._scraper.scrape_soon(packet.info_hashes, client)
            return
        passkey = wire.passkey_in(packet.path)
        port = packet.announce.port
        ep4, ep6 = endpoints(host, port)
        if self._believes(host) and (named := packed_address(socket.inet_ntoa(packet.named))):
            ep4 = named + port.to_bytes(2, "big")
        self.reception.receive(passkey, packet.announce, ep4, ep6, client)


class UdpClient:
    """Who waits for one answer."""

    __slots__ = ("_address", "_door", "_transaction")

    def __init__(self, door: UdpDoor, transaction: int, address: Address) -> None:
        self._door = door
        self._transaction = transaction
        self._address = address

    def answered(self, request: Request, answer: Answer) -> None:
        peers, width = (answer.peers6, 18) if request.ep6 else (answer.peers4, 6)
        packet = wire.announced(
            self._transaction,
            self._door.reception.interval(self._door.limits, request.announce.peer_id),
            answer.leechers,
            answer.seeders,
            peers[: MOST_IN_DATAGRAM // width * width],
        )
        self._door.send(packet, self._address)

    def scraped(self, counts: list[Counts | None]) -> None:
        known = [(count or NOBODY)[:3] for count in counts]
        self._door.send(wire.scraped(self._transaction, known), self._address)

    def refused(self, reason: RefusedAnnounceError) -> None:
        self._door.figures.refused(reason.code)
        self._door.send(wire.refused(self._transaction, reason.reason), self._address)
