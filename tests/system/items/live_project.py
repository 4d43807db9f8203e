"""A project in a real live store, asked step by step and read key by key."""

import asyncio
import time
from collections import Counter
from collections.abc import Coroutine
from typing import Any, Self, TypeVar

from holdfast.clock import SystemClock
from holdfast.items.model import Claim, Counts, Holder, Verdict
from holdfast.items.store.live import Bench, Told
from holdfast.store.live import Layout, open_live
from holdfast.wire.volunteers import Report
from tests.servers import RunningServer

T = TypeVar("T")
NEVER = "202601010000"
PLACES = ("todo", "todo:secondary", "todo:redo")


class LiveProject:
    """Everything that a server does for volunteers, without the server."""

    def __init__(self, server: RunningServer, slug: str = "demo") -> None:
        self.server = server
        self.prefix = f"{slug}:" if slug else ""
        self._loop = asyncio.new_event_loop()
        self.store = open_live(server.address, clock=SystemClock(), layout=Layout.CLASSIC)
        self.run(self.store.__aenter__())
        self.bench = Bench(self.store, slug)
        self._at = time.time()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.run(self.store.close())
        self._loop.close()

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        return self._loop.run_until_complete(work)

    def moment(self) -> float:
        self._at = round(self._at + 0.001, 6)
        return self._at

    def add(self, *items: str, queue: str = "todo") -> list[str]:
        return self.run(self.bench.add(queue, items))

    def claim(
        self, name: str = "ann", many: int = 1, *, at: float | None = None, smooth: bool = False
    ) -> Claim:
        moment = at or self.moment()
        return self.run(self.bench.claim(holder(name), many, moment, smooth=smooth))

    def take(self, name: str = "ann", many: int = 1) -> list[str]:
        """The names of the items that he got."""
        return [one.item for one in self.claim(name, many).items]

    def report(
        self, name: str, *items: str, counted: dict[str, int] | None = None, claimed: float | None = None
    ) -> str:
        report = Report(name, items, counted or {"web": 10}, "20260101.01", b"", "", "")
        told = Told(report, holder(name), "a test", claimed)
        return "".join(self.run(self.bench.report(told, self.moment(), NEVER)))

    def release(self, name: str | None, *items: str, why: str = "", attempts: int = 0) -> list[str]:
        by = holder(name) if name else None
        return self.run(self.bench.release(items, by, self.moment(), why, attempts))

    def expire(self, *, attempts: int = 0) -> int:
        return self.run(self.bench.expire(self.moment(), self.moment(), attempts, 1000))

    def counts(self) -> Counts:
        return self.run(self.bench.counts())

    def ask(self, command: str, key: str, *rest: str | int | bytes) -> Any:
        return self.server.ask(command, f"{self.prefix}{key}", *rest)

    def pairs(self, key: str) -> dict[str, str]:
        flat = [each.decode() for each in self.ask("HGETALL", key)]
        return dict(zip(flat[::2], flat[1::2], strict=True))

    def places(self) -> Counter[str]:
        """How often each item stands anywhere; each must stand once."""
        found: Counter[str] = Counter()
        personal = [f"todo:d:{name.decode()}" for name in self.ask("SMEMBERS", "x:personal")]
        for key in (*PLACES, *personal, "done"):
            found.update(each.decode() for each in self.ask("SMEMBERS", key))
        found.update(each.decode() for each in self.ask("ZRANGE", "out", 0, -1))
        found.update(list(self.pairs("x:failed")))
        return found


def holder(name: str) -> Holder:
    return Holder(name, f"10.0.0.{len(name)}")


def verdicts(text: str) -> list[Verdict]:
    return [Verdict(letter) for letter in text]
