"""Where both doors bring an announce: known ones go straight to the desk, others are looked up first."""

import socket
from typing import Protocol

from holdfast.errors import UnavailableError
from holdfast.store.live import LiveReplyError
from holdfast.tracker import rules
from holdfast.tracker.desk import AWAY, Caller, Desk, Own
from holdfast.tracker.model import Request
from holdfast.tracker.register import Register
from holdfast.wire.announce import Announce, RefusedAnnounceError

LONGEST_PASSKEY = 64
MAPPED = b"\0" * 10 + b"\xff\xff"


class ScrapeAsker(Protocol):
    """Who waits to hear whether his passkey is known."""

    def known(self) -> None: ...

    def refused(self, reason: RefusedAnnounceError) -> None: ...


class Reception:
    def __init__(
        self,
        register: Register,
        desk: Desk,
        own: Own,
        *,
        require_whitelist: bool,
    ) -> None:
        self._register = register
        self._desk = desk
        self._own = own
        self._require_whitelist = require_whitelist

    def receive(self, passkey: bytes, announce: Announce, ep4: bytes, ep6: bytes, caller: Caller) -> None:
        """Have it answered, now or soon; raises the refusal when that is known at once."""
        register = self._register
        holder, torrent = register.holders.get(passkey), register.torrents.get(announce.info_hash)
        if holder is None or torrent is None:
            if not _is_passkey(passkey):
                raise rules.unknown_passkey()
            looking = self._look_up(passkey, announce, ep4, ep6, caller)
            self._own(looking)
            return
        rules.admit(announce, holder, torrent, register.clients, strict=self._require_whitelist)
        self._desk.take(Request(announce, holder, torrent, ep4, ep6), caller)

    def check(self, passkey: bytes, caller: "ScrapeAsker") -> None:
        """Whether a passkey is a member's, for those who only want to look."""
        if not _is_passkey(passkey):
            raise rules.unknown_passkey()
        if passkey in self._register.holders:
            caller.known()
        else:
            self._own(self._check(passkey, caller))

    async def _check(self, passkey: bytes, caller: "ScrapeAsker") -> None:
        try:
            holder = await self._register.look_up_holder(passkey)
        except (UnavailableError, LiveReplyError):
            caller.refused(AWAY)
            return
        if holder is None or not holder.enabled:
            caller.refused(rules.unknown_passkey())
        else:
            caller.known()

    async def _look_up(
        self, passkey: bytes, announce: Announce, ep4: bytes, ep6: bytes, caller: Caller
    ) -> None:
        register = self._register
        try:
            found = await register.look_up(passkey, announce.info_hash)
            holder, torrent = rules.admit(announce, *found, register.clients, strict=self._require_whitelist)
        except RefusedAnnounceError as reason:
            caller.refused(reason)
        except (UnavailableError, LiveReplyError):
            caller.refused(AWAY)
        else:
            self._desk.take(Request(announce, holder, torrent, ep4, ep6), caller)


def endpoints(host: str, port: int) -> tuple[bytes, bytes]:
    """The IPv4 and the IPv6 endpoint of whoever announced from there; the one he has not is empty."""
    place = port.to_bytes(2, "big")
    if ":" not in host:
        return socket.inet_aton(host) + place, b""
    packed = socket.inet_pton(socket.AF_INET6, host.partition("%")[0])
    if packed.startswith(MAPPED):
        return packed[12:] + place, b""
    return b"", packed + place


def _is_passkey(text: bytes) -> bool:
    return text.isalnum() and len(text) <= LONGEST_PASSKEY
