"""What a Gazelle site tells its tracker, done to the live keys: the site keeps the records, these follow it.

What the site tells of a torrent or a user that is not there is no error: it says things twice, and of what it
has removed already.
"""

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import structlog

from holdfast.catalogue.keys import CANONICAL, CHANGES, GONE, INFO_HASH, USER, WHITELIST
from holdfast.clock import Clock
from holdfast.errors import InvalidError
from holdfast.store.live import Command, LiveReplyError, LiveStore, Reply
from holdfast.tracker.keys import INDEX, PACE, PEERS, TIMEOUT, TOKENS, TORRENT
from holdfast.tracker.model import MOST_BYTES, Limits, Pace
from holdfast.tracker.register import Register
from holdfast.tracker.service.reap import AT_ONCE, Reaper
from holdfast.wire import gazelle as say
from holdfast.wire.gazelle import Leech

log = structlog.get_logger()
MULTIPLIERS: Final = {Leech.NORMAL: (b"1", b"1"), Leech.FREE: (b"1", b"0"), Leech.NEUTRAL: (b"0", b"0")}
COUNTS: Final = ("seeders", "leechers", "snatches")


class Gazelle:
    def __init__(
        self, live: LiveStore, clock: Clock, limits: Limits, register: Register, tell_removed: float
    ) -> None:
        self._live = live
        self._limits = limits
        self._register = register
        self._tell_removed = max(1, round(tell_removed))
        # Nobody has run from a torrent that was taken away.
        self._reaper = Reaper(live, clock, replace(limits, hnr_bytes=MOST_BYTES))

    async def do(self, told: say.Told) -> str:
        """Done when this returns; what is returned the site is shown."""
        log.info("told by the site", what=type(told).__name__)
        match told:
            case say.AddTorrent():
                await self._add_torrent(told)
            case say.UpdateTorrents(info_hashes, leech):
                await self._update_torrents(info_hashes, leech)
            case say.DeleteTorrent():
                await self._delete_torrent(told)
            case say.ChangeToken():
                await self._change_token(told)
            case say.AddUser() | say.UpdateUser() | say.RemoveUsers() | say.ChangePasskey():
                await self._change_users(told)
            case say.ChangeWhitelist():
                await self._change_whitelist(told)
            case say.ChangePace():
                await self._change_pace(told)
            case say.ShowTorrent(info_hash):
                return await self._shown(info_hash.hex())
        return ""

    # Torrents ---------------------------------------------------------------------------------------------

    async def _add_torrent(self, told: say.AddTorrent) -> None:
        info_hash, layout = told.info_hash.hex(), self._live.layout
        torrent = TORRENT.name(layout, info_hash=info_hash)
        (before,) = await self._ask([("HGET", torrent, "torrent_id")])
        if isinstance(before, bytes) and before != b"%d" % told.torrent_id:
            # Deleted and uploaded anew: what is left of the swarm is counted under the old number.
            await self._write([("DEL", self._hash(info_hash))], "torrent", info_hash)
            await self._empty(info_hash, int(before))
            await self._ask([("DEL", torrent)])
        up, down = MULTIPLIERS[told.leech]
        await self._write(
            [
                # Named first: whoever finds the torrent must not name its keys by another hash.
                ("SET", CANONICAL.name(layout, torrent_id=told.torrent_id), info_hash),
                ("HSET", torrent, "multi_up", up, "multi_dn", down),
                ("DEL", GONE.name(layout, info_hash=info_hash)),
                ("SET", self._hash(info_hash), told.torrent_id),
            ],
            "torrent",
            info_hash,
        )

    async def _update_torrents(self, info_hashes: Sequence[bytes], leech: Leech) -> None:
        known = await self._known([info_hash.hex() for info_hash in info_hashes])
        up, down = MULTIPLIERS[leech]
        keys = [TORRENT.name(self._live.layout, info_hash=info_hash) for info_hash in known]
        await self._write(
            [("HSET", key, "multi_up", up, "multi_dn", down) for key in keys], "torrent", *known
        )

    async def _delete_torrent(self, told: say.DeleteTorrent) -> None:
        info_hash, layout = told.info_hash.hex(), self._live.layout
        known = await self._known([info_hash])
        # Other programs know a deleted torrent by these two words.
        reason = f"Unregistered torrent: {told.reason}" if told.reason else "Unregistered torrent"
        gone = ("SET", GONE.name(layout, info_hash=info_hash), reason, "EX", self._tell_removed)
        await self._write([gone, ("DEL", self._hash(info_hash))], "torrent", info_hash)
        for torrent_id in known.values():
            await self._empty(info_hash, torrent_id)
            await self._ask(
                [
                    ("DEL", TOKENS.name(layout, torrent_id=torrent_id)),
                    *[("ZREM", INDEX.name(layout, count=count), torrent_id) for count in COUNTS],
                ]
            )

    async def _empty(self, info_hash: str, torrent_id: int) -> None:
        """Everybody leaves the swarm, as if his time had run out."""
        layout = self._live.layout
        (found,) = await self._ask([("SMEMBERS", PEERS.name(layout, info_hash=info_hash))])
        peers = (
            [each.decode() for each in found if isinstance(each, bytes)] if isinstance(found, list) else []
        )
        for start in range(0, len(peers), AT_ONCE):
            some = peers[start : start + AT_ONCE]
            await self._ask(
                [("DEL", TIMEOUT.name(layout, torrent_id=torrent_id, peer_id=each)) for each in some]
            )
            await self._reaper.reap([f"{torrent_id}:{each}" for each in some])

    async def _change_token(self, told: say.ChangeToken) -> None:
        info_hash = told.info_hash.hex()
        for torrent_id in (await self._known([info_hash])).values():
            tokens = TOKENS.name(self._live.layout, torrent_id=torrent_id)
            step = ("SADD" if told.given else "SREM", tokens, told.user_id)
            await self._write([step], "torrent", info_hash)

    async def _shown(self, info_hash: str) -> str:
        known = await self._known([info_hash])
        if not known:
            return json.dumps({"hash": info_hash, "fail": 1})
        return json.dumps({"hash": info_hash, "id": known[info_hash], "free": await self.leech(info_hash)})

    async def leech(self, info_hash: str) -> Leech:
        """What of the torrent's traffic counts, as the site would say it."""
        key = TORRENT.name(self._live.layout, info_hash=info_hash)
        found = await self._live.call("HMGET", key, "multi_up", "multi_dn", repeat=True)
        return next((leech for leech in Leech if found == list(MULTIPLIERS[leech])), Leech.NORMAL)

    # Users ------------------------------------------------------------------------------------------------

    async def _change_users(
        self, told: say.AddUser | say.UpdateUser | say.RemoveUsers | say.ChangePasskey
    ) -> None:
        match told:
            case say.AddUser(passkey, user_id, visible):
                fields = ("user_id", user_id, "enabled", 1, "visible", int(visible))
                await self._write([("HSET", self._user(passkey), *fields)], "user", passkey)
            case say.UpdateUser(passkey, can_leech, visible) if await self._has(passkey):
                rights = ("can_leech", int(can_leech), "visible", int(visible))
                await self._write([("HSET", self._user(passkey), *rights)], "user", passkey)
            case say.RemoveUsers(passkeys):
                await self._write([("DEL", self._user(passkey)) for passkey in passkeys], "user", *passkeys)
            case say.ChangePasskey(old, new) if old != new and await self._has(old):
                await self._write([("RENAME", self._user(old), self._user(new))], "user", old, new)
            case _:
                pass

    async def _has(self, passkey: str) -> bool:
        return bool(await self._live.call("EXISTS", self._user(passkey), repeat=True))

    async def _change_whitelist(self, told: say.ChangeWhitelist) -> None:
        key = WHITELIST.name(self._live.layout)
        steps: list[Command] = []
        if told.removed is not None:
            steps.append(("HDEL", key, told.removed))
        if told.added is not None:
            steps.append(("HSET", key, told.added, told.added))
        await self._write(steps, "whitelist", *[each for each in (told.removed, told.added) if each])

    # The house --------------------------------------------------------------------------------------------

    async def _change_pace(self, told: say.ChangePace) -> None:
        await self._register.read_house()
        now = self._register.pace or Pace(self._limits.interval, self._limits.jitter)
        interval = now.interval if told.interval is None else told.interval
        jitter = now.jitter if told.jitter is None else told.jitter
        if interval + jitter >= self._limits.timeout:
            raise InvalidError(
                f"Clients that come every {interval} to {interval + jitter} seconds would be given up after "
                f"{self._limits.timeout}; make tracker.timeout longer first."
            )
        fields = ("interval", interval, "jitter", jitter)
        await self._write([("HSET", PACE.name(self._live.layout), *fields)], "pace")

    # Keys -------------------------------------------------------------------------------------------------

    def _user(self, passkey: str) -> str:
        return USER.name(self._live.layout, passkey=passkey)

    def _hash(self, info_hash: str) -> str:
        return INFO_HASH.name(self._live.layout, info_hash=info_hash)

    async def _known(self, info_hashes: Sequence[str]) -> dict[str, int]:
        """The torrents that these hashes mean, without those that mean none."""
        found = await self._ask([("GET", self._hash(info_hash)) for info_hash in info_hashes])
        known = zip(info_hashes, found, strict=True)
        return {each: int(number) for each, number in known if isinstance(number, bytes) and number.isdigit()}

    async def _write(self, commands: Sequence[Command], subject: str, *changed: str) -> None:
        """Write, and tell the trackers what changed."""
        if not commands:
            return
        channel = CHANGES.name(self._live.layout, what=subject)
        await self._ask([*commands, *[("PUBLISH", channel, each) for each in changed or ("",)]])

    async def _ask(self, commands: Sequence[Command]) -> list[Reply]:
        replies = await self._live.batch(commands, repeat=True) if commands else []
        for reply in replies:
            if isinstance(reply, LiveReplyError):
                raise reply
        return replies
