"""Swarms through the web door: what members, staff and operators see of them, and may do."""

from collections.abc import Awaitable, Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import httpx
import pytest

from holdfast.catalogue.store import categories, members, uploads
from holdfast.tracker.limits import limits_of
from holdfast.tracker.model import Holder, Request, Torrent
from holdfast.wire.announce import Announce, Event
from tests.catalogue.ground import metainfo, torrent
from tests.servers import RunningServer, embedded_valkey
from tests.system.tracker.live_swarm import LiveSwarm
from tests.system.web.house import SYSTEM, House, in_house, problem, settings_for

SIZE = 40_000
GONE_BY = 86_400


@pytest.fixture(scope="module", name="server")
def server_fixture() -> Iterator[RunningServer]:
    with embedded_valkey() as server:
        yield server


@dataclass
class Harbour:
    """A house whose tracker's workers are played by the test."""

    house: House
    worker: LiveSwarm
    clients: dict[str, httpx.AsyncClient]
    ids: dict[str, int]

    async def enter(self, name: str, *roles: str) -> None:
        self.ids[name] = await self.house.member(name, *roles)
        self.clients[name] = await self.house.sign_in(name)

    async def upload(self, name: str, by: str = "ann") -> int:
        def add(tx: Any, now: float) -> int:
            if not any(one.name == "Books" for one in categories.listing(tx)):
                categories.add(tx, now, SYSTEM, name="Books", points=0)
            uploader = members.get(tx, by)
            made = uploads.add(
                tx, now, SYSTEM, metainfo(name), torrent(name), uploader=uploader, category="Books"
            )
            return made.id

        return await self.house.web.catalogue.change(add)

    def announce(self, upload: int, who: str, peer: int, *, ago: int = 0, **said: Any) -> None:
        """As a client of his would: `left` 0 seeds, and so on."""
        told = {"up": 0, "down": 0, "left": 0, "event": Event.STARTED} | said
        at = int(self.house.clock.now()) - ago
        info_hash = metainfo(NAMES[upload]).v1_hash
        assert info_hash is not None
        peer_id = b"-TR4060-%012d" % peer
        asked = Announce(info_hash, peer_id, 6881, told["up"], told["down"], told["left"], told["event"], 0)
        ep4 = bytes((10, 0, self.ids[who], peer % 256)) + (7000 + peer // 256).to_bytes(2, "big")
        holder = Holder(self.ids[who], True, True)
        self.worker.announce([Request(asked, holder, Torrent(upload, info_hash.hex()), ep4, b"")], at)

    async def get(self, who: str, path: str, **query: Any) -> Any:
        answer = await self.clients[who].get(f"/api/v1{path}", params=query)
        assert answer.status_code == 200, answer.text
        return answer.json()


NAMES = {1: "tidal charts", 2: "pilot books"}


def in_harbour(folder: Path, server: RunningServer, work: Callable[[Harbour], Awaitable[None]]) -> None:
    """With a member ann, a moderator mod and an operator boss, and two uploads of ann's."""
    server.ask("FLUSHALL")

    async def furnished(house: House) -> None:
        with closing(LiveSwarm(server, limits_of(settings_for(folder).tracker))) as worker:
            harbour = Harbour(house, worker, {}, {})
            for name, roles in (("ann", ()), ("bob", ()), ("mod", ("moderator",)), ("boss", ("operator",))):
                await harbour.enter(name, *roles)
            for upload, name in NAMES.items():
                assert await harbour.upload(name) == upload
            try:
                await work(harbour)
            finally:
                for client in harbour.clients.values():
                    await client.aclose()

    in_house(folder, server, furnished)


def test_a_swarm_is_counted_as_it_is_now(tmp_path: Path, server: RunningServer) -> None:
    async def work(harbour: Harbour) -> None:
        nothing = await harbour.get("bob", "/uploads/1/swarm")
        assert set(nothing.values()) == {0}
        harbour.announce(1, "ann", 1)
        harbour.announce(1, "bob", 2, left=SIZE, ago=60)
        harbour.announce(1, "bob", 2, left=0, down=SIZE, event=Event.COMPLETED)
        harbour.announce(1, "mod", 3, left=SIZE)
        harbour.announce(1, "boss", 4, left=SIZE // 2, event=Event.PAUSED)
        swarm = await harbour.get("bob", "/uploads/1/swarm")
        assert swarm == {
            "seeders": 2, "leechers": 1, "partial": 0, "snatches": 1,
            "announces": 5, "uploaded": 0, "downloaded": SIZE,
        } | {"leechers": 2, "partial": 1}  # fmt: skip
        assert (await harbour.clients["bob"].get("/api/v1/uploads/9/swarm")).status_code == 404

    in_harbour(tmp_path, server, work)


def test_members_see_clients_and_progress_and_staff_sees_whose_they_are(
    tmp_path: Path, server: RunningServer
) -> None:
    async def work(harbour: Harbour) -> None:
        harbour.announce(1, "ann", 1, ago=100)
        harbour.announce(1, "ann", 1, up=5000, event=Event.NONE)
        harbour.announce(1, "bob", 2, left=SIZE // 4)

        def by_progress(page: Any) -> list[Any]:
            return sorted(page["items"], key=lambda one: one["progress"])

        theirs, own = by_progress(await harbour.get("ann", "/uploads/1/peers"))
        assert (own["own"], own["role"], own["progress"], own["speed_up"]) == (True, "seeder", 1.0, 50)
        assert (own["member"]["name"], own["ip"], own["uploaded"], own["time"]) == (
            "ann",
            "10.0.1.1",
            5000,
            100,
        )
        assert theirs == {
            "role": "leecher", "client": "Transmission 4.0.6", "progress": 0.75, "speed_up": 0,
            "speed_down": 0, "own": False, **dict.fromkeys(PRIVATE),
        }  # fmt: skip
        leecher, seeder = by_progress(await harbour.get("mod", "/uploads/1/peers"))
        assert (leecher["member"]["name"], leecher["ip"], leecher["port"]) == ("bob", "10.0.2.2", 7000)
        assert seeder["peer_id"] == (b"-TR4060-%012d" % 1).hex()
        assert not seeder["own"]

    in_harbour(tmp_path, server, work)


PRIVATE = (
    "member", "peer_id", "ip", "port", "uploaded", "downloaded", "time", "first_announce", "last_announce",
)  # fmt: skip


@pytest.mark.parametrize("many", [3, 120, 700])
def test_every_peer_is_listed_once_page_by_page(tmp_path: Path, server: RunningServer, many: int) -> None:
    async def work(harbour: Harbour) -> None:
        harbour.worker.limits = replace(harbour.worker.limits, peers_per_upload=0)
        for peer in range(many):
            harbour.announce(1, "ann", peer, left=peer % 2)
        seen, cursor = [], None
        for _ in range(1 + many):
            page = await harbour.get(
                "mod", "/uploads/1/peers", limit=40, **({"cursor": cursor} if cursor else {})
            )
            assert len(page["items"]) <= 40
            seen += [one["peer_id"] for one in page["items"]]
            cursor = page["next"]
            if cursor is None:
                break
        assert sorted(seen) == sorted((b"-TR4060-%012d" % peer).hex() for peer in range(many))

    in_harbour(tmp_path, server, work)


def test_nobody_is_left_out_when_others_leave_between_two_pages(
    tmp_path: Path, server: RunningServer
) -> None:
    async def work(harbour: Harbour) -> None:
        harbour.worker.limits = replace(harbour.worker.limits, peers_per_upload=0)
        for peer in range(9):
            harbour.announce(1, "ann", peer)
        first = await harbour.get("mod", "/uploads/1/peers", limit=3)
        for one in first["items"]:
            harbour.announce(1, "ann", int(bytes.fromhex(one["peer_id"])[8:]), event=Event.STOPPED)
        rest = await harbour.get("mod", "/uploads/1/peers", limit=200, cursor=first["next"])
        assert len(rest["items"]) == 6

    in_harbour(tmp_path, server, work)


def test_the_tracker_is_shown_to_staff_with_its_busiest_swarms(tmp_path: Path, server: RunningServer) -> None:
    async def work(harbour: Harbour) -> None:
        harbour.announce(1, "ann", 1)
        harbour.announce(1, "bob", 2)
        harbour.announce(2, "bob", 3, left=5)
        told = await harbour.get("mod", "/tracker")
        assert told["totals"] == {
            "seeders": 2, "leechers": 1, "announces": 3, "scrapes": 0, "requests": 0, "open": 0,
            "seeded": 1, "overdue": 0,
        }  # fmt: skip
        assert abs(told["at"] - harbour.house.clock.now()) < 60
        assert [(one["upload"]["name"], one["counts"]["leechers"]) for one in told["busiest"]] == [
            ("pilot books", 1)
        ]
        (seeded,) = (await harbour.get("mod", "/tracker", by="seeders", limit=1))["busiest"]
        assert seeded["upload"] == {"id": 1, "name": "tidal charts", "size": SIZE, "removed": False}
        assert seeded["counts"]["seeders"] == 2
        problem(await harbour.clients["ann"].get("/api/v1/tracker"), 403, "refused")

    in_harbour(tmp_path, server, work)


def test_an_operator_has_silent_peers_looked_for_and_the_audit_tells(
    tmp_path: Path, server: RunningServer
) -> None:
    async def work(harbour: Harbour) -> None:
        harbour.announce(1, "ann", 1, ago=GONE_BY)
        harbour.announce(1, "bob", 2)
        server.ask("DEL", f"t:ptimeout:1:{(b'-TR4060-%012d' % 1).hex()}")
        assert (await harbour.get("mod", "/tracker"))["totals"]["overdue"] == 1
        problem(await harbour.clients["mod"].post("/api/v1/tracker/reap"), 403, "refused")
        answer = await harbour.clients["boss"].post("/api/v1/tracker/reap")
        assert (answer.status_code, answer.json()) == (200, {"gone": 1, "judged": 0})
        assert (await harbour.get("ann", "/uploads/1/swarm"))["seeders"] == 1
        (entry,) = (await harbour.get("boss", "/audit", action="tracker.reap"))["items"]
        assert (entry["actor"]["name"], entry["after"]) == ("boss", {"gone": 1, "judged": 0})

    in_harbour(tmp_path, server, work)
