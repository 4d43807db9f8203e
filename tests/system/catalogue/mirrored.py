"""Followers that go one step at a time, and what the live store holds against what the records say."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any, TypeVar, cast

from sqlalchemy import Connection

from holdfast.catalogue import keys
from holdfast.catalogue.model import SHARE
from holdfast.catalogue.service.follow import TELL_REMOVED, Follower
from holdfast.catalogue.store import truth
from holdfast.catalogue.store.truth import Announced, Keyed, Passholder, Removed, Truth, Window
from holdfast.clock import SystemClock
from holdfast.store.live import Arg, Command, Layout, LiveStore, Patience, Reply, open_live
from holdfast.store.records import Records

T = TypeVar("T")
QUICK = Patience(wait=0.2, pause=0.01, longest_pause=0.05)


@asynccontextmanager
async def live_store(address: str, layout: Layout = Layout.CLASSIC) -> AsyncIterator[LiveStore]:
    async with open_live(address, layout=layout, clock=SystemClock(), patience=QUICK) as live:
        yield live


async def held(live: LiveStore) -> dict[str, Any]:
    """Every key of the catalogue that the live store holds, by its seed's name."""
    found: dict[str, Any] = {}
    for pattern in (keys.INFO_HASH, keys.GONE, keys.USER):
        async for name in live.scan(pattern.glob(live.layout)):
            (part,) = (pattern.parse(live.layout, name) or {}).values()
            classic = pattern.name(Layout.CLASSIC, **{pattern.parts[0]: part})
            if pattern is keys.USER:
                found[classic] = _fields(await live.call("HGETALL", name))
            elif pattern is keys.GONE:
                reason, until = await live.batch([("GET", name), ("EXPIRETIME", name)])
                found[classic] = (cast("bytes", reason).decode(), until)
            else:
                found[classic] = cast("bytes", await live.call("GET", name)).decode()
    async for name in live.scan(keys.TORRENT.glob(live.layout)):
        (info_hash,) = (keys.TORRENT.parse(live.layout, name) or {}).values()
        found[f"t:t:{info_hash}"] = _fields(await live.call("HGETALL", name))
    for key in (keys.WHITELIST, keys.WINDOWS):
        found[key.pattern] = _fields(await live.call("HGETALL", key.name(live.layout)))
    return found


def _fields(reply: Reply) -> dict[str, str]:
    words = [cast("bytes", word).decode() for word in cast("list[Reply]", reply)]
    return dict(zip(words[::2], words[1::2], strict=True))


def wanted(records: Records) -> dict[str, Any]:
    """Every key of the catalogue that ought to be there, and none besides."""

    def read(tx: Connection) -> dict[str, Any]:
        found: dict[str, Any] = {"t:whitelist": {}, "t:x:windows": {}}
        for kind in truth.KINDS:
            for (_, key), value in truth.of(tx, truth.after(tx, kind, "", 100_000)).items():
                _put(found, key, value)
        return found

    return records.read_now(read)


def _put(found: dict[str, Any], key: str, value: Truth) -> None:
    match value:
        case Passholder(user_id, enabled, can_leech, up, down):
            found[f"t:user:{key}"] = {
                "user_id": str(user_id),
                "enabled": str(int(enabled)),
                "can_leech": str(int(can_leech)),
            } | multipliers(up, down)
        case Keyed(passkey, upload_id):
            found[f"t:user:{key}"] = {"passkey": passkey, "torrent_id": str(upload_id)}
        case Announced(upload_id, canonical, up, down):
            found[f"t:info_hash:{key}"] = str(upload_id)
            if shares := multipliers(up, down):
                found[f"t:t:{canonical}"] = shares
        case Removed(reason, at) if at + TELL_REMOVED > time.time():
            found[f"t:x:gone:{key}"] = (reason, int(at + TELL_REMOVED))
        case Window(starts, ends, up, down):
            found["t:x:windows"][key] = f"{int(starts)} {int(ends)} {written(up)} {written(down)}"
        case str():
            found["t:whitelist"][key] = value
        case Removed() | None:
            pass


def multipliers(up: int, down: int) -> dict[str, str]:
    """What stands in a hash of somebody or something that is credited by these shares."""
    shares = {"multi_up": up, "multi_dn": down}
    return {field: written(share) for field, share in shares.items() if share != SHARE}


def written(share: int) -> str:
    whole, thousandths = divmod(share, SHARE)
    return f"{whole}.{thousandths:03}".rstrip("0").rstrip(".")


async def told(live: LiveStore) -> list[tuple[int, str]]:
    """Every event that was told, with its number."""
    reply = await live.call("XRANGE", keys.EVENT_LOG.name(live.layout), "-", "+")
    entries = [_fields(cast("list[Reply]", entry)[1]) for entry in cast("list[Reply]", reply)]
    return [(int(entry["id"]), entry["event"]) for entry in entries]


class KilledError(BaseException):
    """The process of this follower ends here."""


class Steps:
    """Where a follower stands: it stops before every step until it is let go on, or is killed there."""

    def __init__(self) -> None:
        self._gate: asyncio.Future[None] | None = None
        self._moved = asyncio.Event()

    async def stop_here(self) -> None:
        self._gate = asyncio.get_running_loop().create_future()
        self._moved.set()
        await self._gate

    async def go(self, task: asyncio.Task[Any], *, killed: bool = False) -> None:
        """Let it take one step, and wait until that is done."""
        gate, self._gate = self._gate, None
        self._moved.clear()
        if gate is not None and killed:
            gate.set_exception(KilledError())
        elif gate is not None:
            gate.set_result(None)
        waiting = asyncio.create_task(self._moved.wait())
        await asyncio.wait({waiting, task}, return_when=asyncio.FIRST_COMPLETED)
        waiting.cancel()


class SteppedRecords:
    """Records where each transaction is a step."""

    def __init__(self, records: Records, steps: Steps) -> None:
        self._records = records
        self._steps = steps

    async def read(self, work: Callable[[Connection], T]) -> T:
        await self._steps.stop_here()
        return await self._records.read(work)

    async def write(self, work: Callable[[Connection], T]) -> T:
        await self._steps.stop_here()
        return await self._records.write(work)


class SteppedLive:
    """A live store where each half of a batch is a step, for a process may end when half of it has left."""

    def __init__(self, live: LiveStore, steps: Steps) -> None:
        self._live = live
        self._steps = steps

    @property
    def layout(self) -> Layout:
        return self._live.layout

    async def call(self, *command: Arg, repeat: bool = False) -> Reply:
        await self._steps.stop_here()
        return await self._live.call(*command, repeat=repeat)

    async def batch(self, commands: Sequence[Command], *, repeat: bool = False) -> list[Reply]:
        half = (len(commands) + 1) // 2
        replies: list[Reply] = []
        for part in (commands[:half], commands[half:]):
            if part:
                await self._steps.stop_here()
                replies += await self._live.batch(part, repeat=repeat)
        return replies

    def __getattr__(self, name: str) -> Any:
        return getattr(self._live, name)


class Stepped:
    """A follower at work, one step at a time."""

    def __init__(self, records: Records, live: LiveStore, work: str = "follow") -> None:
        self._steps = Steps()
        stepped = SteppedRecords(records, self._steps), SteppedLive(live, self._steps)
        follower = Follower(cast("Records", stepped[0]), cast("LiveStore", stepped[1]))
        self._task: asyncio.Task[int] = asyncio.create_task(getattr(follower, work)())

    @property
    def done(self) -> bool:
        return self._task.done()

    async def go(self) -> None:
        if not self.done:
            await self._steps.go(self._task)

    async def kill(self) -> None:
        """End it where it stands: what it was about to do is never done."""
        if not self.done:
            await self._steps.go(self._task, killed=True)
            await asyncio.gather(self._task, return_exceptions=True)

    async def finish(self) -> int:
        while not self.done:
            await self.go()
        return self._task.result()

    async def steps(self, count: int) -> None:
        """To the point before that step: the first `go` only reaches the first step."""
        for _ in range(count + 1):
            await self.go()
