"""Records with a follower, and a tracker beside them: what is decided there is to be done here."""

import asyncio
from typing import Any

from holdfast.catalogue.model import Member, Upload
from holdfast.catalogue.service.follow import Follower
from holdfast.catalogue.store import members
from holdfast.wire.announce import Code
from tests.catalogue.ground import HYBRID, Ground
from tests.system.catalogue.mirrored import live_store
from tests.system.tracker.ground import Tracker, until

MOVED = 1000


class House:
    """Records with a follower, a tracker beside them, and a member who announces one upload."""

    def __init__(self, ground: Ground, door: Tracker) -> None:
        self.ground = ground
        self.door = door
        self.ann: Member = ground.member("ann")
        self.film: Upload = ground.upload(self.ann, "film.mkv", HYBRID)
        self._counted = 0
        self.follow()

    def change(self, *work: Any, **named: Any) -> Any:
        """As the web door does it: the answer is there once the live store has followed."""
        done = self.ground.change(*work, **named)
        self.follow()
        return done

    def follow(self, work: str = "follow") -> None:
        async def followed() -> None:
            async with live_store(self.door.server.address) as live:
                await getattr(Follower(self.ground.records, live), work)()

        asyncio.run(followed())

    @property
    def passkey(self) -> str:
        return self.ground.ask(members.passkey_of, self.ann.id)

    @property
    def hashes(self) -> list[bytes]:
        return [
            bytes.fromhex((whole or "")[:40]) for whole in (self.film.info_hash_v1, self.film.info_hash_v2)
        ]

    def announce(self, key: str | None = None, **fields: Any) -> Any:
        counts = {"uploaded": self._counted, "downloaded": self._counted}
        return self.door.announce(key or self.passkey, **{"info_hash": self.hashes[0], **counts, **fields})

    def until_taken(self, key: str | None = None, **fields: Any) -> None:
        until("it is taken", lambda: b"peers" in self.announce(key, **fields))

    def until_refused(self, code: Code, key: str | None = None, **fields: Any) -> Any:
        """The answer, once it is a refusal for that reason."""

        def refused() -> Any:
            told = self.announce(key, **fields)
            return told if told.get(b"failure code") == code else None

        return until(f"it is refused with {code!r}", refused)

    def credited(self) -> tuple[int, int]:
        """Of a thousand bytes moved either way since the last announce, how many are credited."""
        before = self.totals()
        self._counted += MOVED
        assert b"peers" in self.announce()
        return tuple(now - then for now, then in zip(self.totals(), before, strict=True))  # type: ignore[return-value]

    def totals(self) -> list[int]:
        found = self.door.server.ask("HMGET", f"t:u:{self.ann.id}", "uploaded", "downloaded")
        return [int(each or 0) for each in found]

    def until_credited(self, *wanted: int) -> None:
        until(f"{wanted} is credited", lambda: self.credited() == wanted)
