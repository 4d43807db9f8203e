"""Where both doors bring an announce: known ones go straight to the desk, others are looked up first."""

import socket
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from typing import Final, Protocol

import structlog

from holdfast.errors import UnavailableError
from holdfast.store.live import LiveReplyError
from holdfast.tracker import rules
from holdfast.tracker.desk import AWAY, Caller, Desk, Own
from holdfast.tracker.guessing import Guessing
from holdfast.tracker.mishaps import Mishaps, Refusable
from holdfast.tracker.model import Holder, Limits, Request, Torrent
from holdfast.tracker.register import Register
from holdfast.tracker.strangers import stranger
from holdfast.tracker.suspicions import Suspicions
from holdfast.wire.announce import Announce, Code, RefusedAnnounceError
from holdfast.wire.forwarded import Network, is_trusted

log = structlog.get_logger()
LONGEST_PASSKEY: Final = 64
MAPPED: Final = b"\0" * 10 + b"\xff\xff"
NETWORK_6: Final = 8
"""Of an IPv6 address its network: whoever has one address there has them all."""


class ScrapeAsker(Refusable, Protocol):
    """Who waits to hear whether his passkey is known."""

    def known(self) -> None: ...


class Reception:
    def __init__(
        self,
        register: Register,
        desk: Desk,
        own: Own,
        guessing: Guessing,
        mishaps: Mishaps,
        suspicions: Suspicions,
        *,
        require_whitelist: bool,
    ) -> None:
        self._register = register
        self._desk = desk
        self.figures = desk.figures
        self._own = own
        self._guessing = guessing
        self.mishaps = mishaps
        self._suspicions = suspicions
        self._require_whitelist = require_whitelist

    def receive(self, passkey: bytes, announce: Announce, ep4: bytes, ep6: bytes, caller: Caller) -> None:
        """Have it answered, now or soon; raises the refusal when that is known at once."""
        register = self._register
        holder, torrent = register.holders.get(passkey), register.torrents.get(announce.info_hash)
        if holder is None or torrent is None:
            if register.is_open:
                self._receive_stranger(passkey, announce, ep4, ep6, caller)
                return
            tried = None if holder else self._try(passkey, ep4, ep6)
            self._own(self._look_up(passkey, announce, ep4, ep6, tried, caller))
            return
        self._admit(announce, holder, torrent, ep4, ep6)
        self._desk.take(Request(announce, holder, torrent, ep4, ep6), caller)

    def _receive_stranger(
        self, passkey: bytes, announce: Announce, ep4: bytes, ep6: bytes, caller: Caller
    ) -> None:
        """In open mode whatever is no upload is anybody's."""
        torrent = self._register.strange.get(announce.info_hash)
        if torrent is None:
            self._own(self._tell_apart(passkey, announce, ep4, ep6, caller))
            return
        rules.admit_client(announce, self._register.clients, self._require_whitelist)
        self._desk.take(Request(announce, stranger(announce.peer_id), torrent, ep4, ep6), caller)

    def check(self, passkey: bytes, ep4: bytes, ep6: bytes, caller: ScrapeAsker) -> None:
        """Whether a passkey is a member's, for those who only want to look."""
        holder = self._register.holders.get(passkey)
        if holder is None and self._register.is_open:
            caller.known()
            return
        if holder is None:
            self._own(self._check(passkey, self._try(passkey, ep4, ep6), caller))
            return
        rules.admit_holder(holder)
        caller.known()

    def interval(self, limits: Limits, peer_id: bytes) -> int:
        """When a client is to come again."""
        pace = self._register.pace or limits
        return rules.interval(pace.interval, pace.jitter, hash(peer_id))

    def _try(self, passkey: bytes, ep4: bytes, ep6: bytes) -> bytes:
        """Spend a try on this passkey; returns the place that it is counted for."""
        if not passkey:
            raise rules.no_passkey()
        if not passkey.isalnum() or len(passkey) > LONGEST_PASSKEY:
            raise rules.unknown_passkey()
        place = place_of(ep4, ep6)
        if not self._guessing.may_try(place, passkey):
            raise rules.too_many_guesses()
        return place

    async def _check(self, passkey: bytes, tried: bytes, caller: ScrapeAsker) -> None:
        try:
            holder = await self._register.holder(passkey)
            self._guessing.was(tried, passkey, right=holder is not None)
            rules.admit_holder(holder)
        except Exception as error:  # noqa: BLE001 - told apart, logged and answered there
            self._fail(error, caller)
        else:
            caller.known()

    async def _tell_apart(
        self, passkey: bytes, announce: Announce, ep4: bytes, ep6: bytes, caller: Caller
    ) -> None:
        register = self._register
        try:
            torrent = await register.strangers(announce.info_hash)
            if torrent is not None:
                rules.admit_client(announce, register.clients, self._require_whitelist)
                self._desk.take(Request(announce, stranger(announce.peer_id), torrent, ep4, ep6), caller)
                return
            tried = None if passkey in register.holders else self._try(passkey, ep4, ep6)
        except Exception as error:  # noqa: BLE001 - told apart, logged and answered there
            self._fail(error, caller)
        else:
            await self._look_up(passkey, announce, ep4, ep6, tried, caller)

    async def _look_up(
        self,
        passkey: bytes,
        announce: Announce,
        ep4: bytes,
        ep6: bytes,
        tried: bytes | None,
        caller: Caller,
    ) -> None:
        register = self._register
        try:
            holder, torrent = await register.look_up(passkey, announce.info_hash)
            if tried is not None:
                self._guessing.was(tried, passkey, right=holder is not None)
            admitted = self._admit(announce, holder, torrent, ep4, ep6)
        except Exception as error:  # noqa: BLE001 - told apart, logged and answered there
            self._fail(error, caller)
        else:
            self._desk.take(Request(announce, *admitted, ep4, ep6), caller)

    def _admit(
        self, announce: Announce, holder: Holder | None, torrent: Torrent | None, ep4: bytes, ep6: bytes
    ) -> tuple[Holder, Torrent]:
        try:
            clients = self._register.clients
            return rules.admit(announce, holder, torrent, clients, strict=self._require_whitelist)
        except RefusedAnnounceError as refusal:
            if refusal.code is Code.WRONG_UPLOAD and holder is not None:
                self._own(self._suspicions.wrong_upload(holder, announce, ep4, ep6))
            raise

    def _fail(self, error: Exception, caller: Refusable) -> None:
        if isinstance(error, RefusedAnnounceError):
            caller.refused(error)
        elif isinstance(error, (UnavailableError, LiveReplyError)):
            log.warning("not looked up", reason=str(error))
            caller.refused(AWAY)
        else:
            self.mishaps.answer(caller)


def belief(trusted: Sequence[Network]) -> Callable[[str], bool]:
    """Whether a client from that address may name its own."""
    return lru_cache(4096)(partial(is_trusted, trusted=trusted)) if trusted else _nobody


def _nobody(_host: str) -> bool:
    return False


def place_of(ep4: bytes, ep6: bytes) -> bytes:
    """For whom guesses are counted."""
    return ep4[:4] or ep6[:NETWORK_6]


def endpoints(host: str, port: int) -> tuple[bytes, bytes]:
    """The IPv4 and the IPv6 endpoint of whoever announced from there; the one he has not is empty."""
    place = port.to_bytes(2, "big")
    if ":" not in host:
        return socket.inet_aton(host) + place, b""
    packed = socket.inet_pton(socket.AF_INET6, host.partition("%")[0])
    if packed.startswith(MAPPED):
        return packed[12:] + place, b""
    return b"", packed + place
