"""What staff should look at: the announce key of a member in hands that it was not given to."""

import socket
from typing import Final

import structlog

from holdfast.clock import Clock
from holdfast.errors import UnavailableError
from holdfast.store.live import LiveReplyError, LiveStore
from holdfast.tracker.keys import PEER, SESSION, SUSPICIONS
from holdfast.tracker.model import Holder
from holdfast.wire.announce import Announce

log = structlog.get_logger()
KEPT: Final = 10_000
AGAIN_SECONDS: Final = 3600.0
MOST_NOTED: Final = 10_000
NETWORK_6: Final = 8
ONLY_4: Final = 11
ONLY_6: Final = 23


class Suspicions:
    """Noted for the staff and for nobody else: who is wronged by a machine has nobody to talk to.

    One key used from one address is noted once an hour, however often its client tries.
    """

    def __init__(self, live: LiveStore, clock: Clock) -> None:
        self._live = live
        self._clock = clock
        self._noted: dict[tuple[int, int, str], float] = {}

    async def wrong_upload(self, holder: Holder, announce: Announce, ep4: bytes, ep6: bytes) -> None:
        """A key that is good for one upload was used for another."""
        await self._note(holder, announce, host_of(ep4, ep6))

    async def too_many(self, holder: Holder, announce: Announce, ep4: bytes, ep6: bytes) -> None:
        """A key was refused for its member's many clients; from where these are that is no leak."""
        try:
            known = await self._places(holder)
        except (UnavailableError, LiveReplyError) as error:
            log.warning("not known where else this key is used", reason=str(error))
            return
        if not places(ep4, ep6) & known:
            await self._note(holder, announce, host_of(ep4, ep6))

    async def _places(self, holder: Holder) -> set[bytes]:
        """From where the member's clients take part in the upload."""
        layout = self._live.layout
        session = SESSION.name(layout, user_id=holder.user_id, torrent_id=holder.only)
        fields = await self._live.call("HKEYS", session, repeat=True)
        peers = [
            PEER.name(layout, torrent_id=holder.only, peer_id=each[1:].decode())
            for each in (fields if isinstance(fields, list) else ())
            if isinstance(each, bytes) and each.startswith(b"@") and each[1:].isalnum()
        ]
        found = await self._live.batch([("HGET", peer, "x") for peer in peers], repeat=True) if peers else []
        known: set[bytes] = set()
        for x in found:
            if isinstance(x, bytes):
                # As `records.pack` writes it: role, owner, then the endpoints that there are.
                known |= places(b"" if len(x) == ONLY_6 else x[5:11], b"" if len(x) == ONLY_4 else x[-18:])
        return known

    async def _note(self, holder: Holder, announce: Announce, host: str) -> None:
        if not self._is_new((holder.user_id, holder.only, host)):
            return
        who = ("uid", holder.user_id, "tid", holder.only, "pid", announce.peer_id.hex())
        said = ("kind", "leak", *who, "ip", host, "at", int(self._clock.now()))
        stream = SUSPICIONS.name(self._live.layout)
        try:
            await self._live.call("XADD", stream, "MAXLEN", "~", KEPT, "*", *said, repeat=True)
        except (UnavailableError, LiveReplyError) as error:
            log.warning("a leaked key is not noted", reason=str(error))

    def _is_new(self, about: tuple[int, int, str]) -> bool:
        now = self._clock.steady()
        if self._noted.get(about, now) > now:
            return False
        if len(self._noted) >= MOST_NOTED:
            self._noted.clear()
        self._noted[about] = now + AGAIN_SECONDS
        return True


def places(ep4: bytes, ep6: bytes) -> set[bytes]:
    """Where somebody is, by the IPv4 address and the IPv6 network that he has."""
    return {place for place in (ep4[:4], ep6[:NETWORK_6]) if place}


def host_of(ep4: bytes, ep6: bytes) -> str:
    if ep4:
        return socket.inet_ntop(socket.AF_INET, ep4[:4])
    return socket.inet_ntop(socket.AF_INET6, ep6[:16])
