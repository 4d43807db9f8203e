"""What a Gazelle site asks its tracker: how the house stands, and a user's or a torrent's part in it.

Such sites of old read lines of a number and its name; those of today read JSON. Neither says which it is.
"""

import json
from typing import Any, Final

from holdfast.catalogue.keys import INFO_HASH, USER
from holdfast.clock import Clock
from holdfast.store.live import LiveStore
from holdfast.tracker import swarm
from holdfast.tracker.gazelle import Gazelle
from holdfast.tracker.keys import ACTIVE, COMPLETE, TOKENS
from holdfast.tracker.model import Limits, Pace, Role
from holdfast.tracker.register import Register
from holdfast.wire import gazelle as say

MOST_PEERS: Final = 1000
"""Of each role, that a report names."""


class Reporter:
    def __init__(
        self,
        live: LiveStore,
        clock: Clock,
        limits: Limits,
        register: Register,
        gazelle: Gazelle,
        *,
        as_lines: bool,
    ) -> None:
        self._live = live
        self._clock = clock
        self._limits = limits
        self._register = register
        self._gazelle = gazelle
        self._as_lines = as_lines

    async def report(self, asked: say.Asked) -> str:
        match asked:
            case say.ReportHouse():
                return self._house(await self._figures())
            case say.ReportUser(passkey):
                return await self._user(passkey)
            case say.ReportTorrent(info_hash):
                return await self._torrent(info_hash.hex())

    async def _figures(self) -> dict[str, int]:
        totals = await swarm.totals(self._live, self._clock.now())
        await self._register.read_house()
        pace = self._register.pace or Pace(self._limits.interval, self._limits.jitter)
        return {
            "requests handled": totals.announces + totals.scrapes,
            "successful announcements": totals.announces,
            "scrapes": totals.scrapes,
            "leechers tracked": totals.leechers,
            "seeders tracked": totals.seeders,
            "announce interval": pace.interval,
            "announce jitter": pace.jitter,
        }

    def _house(self, figures: dict[str, int]) -> str:
        if self._as_lines:
            return _lines(figures)
        return json.dumps(
            {name: {"label": name, "type": "number", "value": value} for name, value in figures.items()}
        )

    async def _user(self, passkey: str) -> str:
        """Nothing of one who is not known: no site takes that for an error."""
        layout = self._live.layout
        user = await self._live.call(
            "HMGET", USER.name(layout, passkey=passkey), "user_id", "can_leech", "visible", repeat=True
        )
        user_id, can_leech, visible = user if isinstance(user, list) else (None, None, None)
        if not (number := _number(user_id)):
            return ""
        active = ACTIVE.name(layout, user_id=number)
        complete = COMPLETE.name(layout, user_id=number)
        active_in = _number(await self._live.call("SCARD", active, repeat=True))
        seeding = _number(await self._live.call("SINTERCARD", 2, active, complete, repeat=True))
        part = {"leeching": max(0, active_in - seeding), "seeding": seeding}
        if self._as_lines:
            return _lines(part)
        rights = {"can_leech": int(can_leech != b"0"), "protected": int(visible == b"0")}
        return json.dumps({"id": number, **part, **rights, "deleted": 0, "traced": 0})

    async def _torrent(self, info_hash: str) -> str:
        layout = self._live.layout
        number = _number(
            await self._live.call("GET", INFO_HASH.name(layout, info_hash=info_hash), repeat=True)
        )
        if not number:
            return ""
        counts = (await swarm.counts(self._live, [number]))[number]
        tokens = await self._live.call("SMEMBERS", TOKENS.name(layout, torrent_id=number), repeat=True)
        peers, _ = await swarm.peers(self._live, number, limit=MOST_PEERS)
        told: dict[str, Any] = {
            "id": number,
            "free": await self._gazelle.leech(info_hash),
            "completed": counts.snatches,
            "seeders": counts.seeders,
            "leechers": counts.leechers,
            "last_flushed": int(self._clock.now()),
            "fltoken_list": sorted(map(_number, tokens if isinstance(tokens, list) else [])),
            "leecher_list": sorted({each.user_id for each in peers if each.role is not Role.SEED}),
            "seeder_list": sorted({each.user_id for each in peers if each.role is Role.SEED}),
        }
        return json.dumps(told)


def _lines(figures: dict[str, int]) -> str:
    return "\n".join(f"{value} {name}" for name, value in figures.items())


def _number(reply: object) -> int:
    if isinstance(reply, bytes):
        return int(reply) if reply.isdigit() else 0
    return reply if isinstance(reply, int) else 0
