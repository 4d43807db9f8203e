"""Who took part in what, through the web door: for himself, for staff, and what staff may free him of."""

from pathlib import Path
from typing import Any

from holdfast.tracker.limits import limits_of
from holdfast.tracker.service.collect import Collector
from holdfast.tracker.store import reports
from holdfast.tracker.store.books import House as Rules
from holdfast.tracker.store.reports import Kind, Suspicion
from holdfast.wire.announce import Event
from tests.servers import RunningServer
from tests.system.tracker.test_api import SIZE, Harbour, in_harbour, server_fixture  # noqa: F401
from tests.system.web.house import problem

GIB = 2**30
GRACE = 3 * 86_400


async def collect(harbour: Harbour) -> None:
    web = harbour.house.web
    rules = Rules(limits_of(web.settings.tracker))
    await Collector(web.records, web.live, web.clock, rules).collect()


async def flee(harbour: Harbour) -> None:
    """Bob takes upload 1 and is gone before he gave anything back, for good; upload 2 he seeds."""
    harbour.announce(1, "bob", 1, left=SIZE, ago=GRACE + 90)
    harbour.announce(1, "bob", 1, down=GIB, event=Event.COMPLETED, ago=GRACE + 60)
    harbour.announce(1, "bob", 1, down=GIB, event=Event.STOPPED, ago=GRACE + 30)
    harbour.announce(2, "bob", 2)
    now = int(harbour.house.clock.now())
    assert harbour.worker.hold_to_account([(harbour.ids["bob"], 1)], now) == 1
    await collect(harbour)


def test_a_member_sees_what_he_took_and_owes_and_staff_sees_it_too(
    tmp_path: Path, server: RunningServer
) -> None:
    async def work(harbour: Harbour) -> None:
        await flee(harbour)
        seeded, left = (await harbour.get("bob", "/members/bob/torrents"))["items"]
        assert seeded["upload"] == {"id": 2, "name": "pilot books", "size": SIZE, "removed": False}
        assert (seeded["seeding"], seeded["leeching"], seeded["complete"]) == (1, 0, True)
        assert (seeded["snatched"], seeded["hnr"], seeded["time_owed"]) == (None, None, 0)
        assert (left["seeding"], left["downloaded"], left["time"]) == (0, GIB, 60)
        assert left["time_owed"] == 14 * 86_400 - 60
        assert (left["exempt"], left["hnr_at_risk"]) == (False, False)
        assert left["hnr"] > left["snatched"]
        assert await harbour.get("mod", "/members/bob/torrents", state="hnr") == {
            "items": [left],
            "next": None,
        }
        assert (await harbour.get("bob", "/members/bob/torrents", state="owing"))["items"] == [left]
        problem(await harbour.clients["ann"].get("/api/v1/members/bob/torrents"), 403, "refused")

    in_harbour(tmp_path, server, work)


def test_what_he_took_is_listed_by_state_and_page(tmp_path: Path, server: RunningServer) -> None:
    async def work(harbour: Harbour) -> None:
        harbour.announce(1, "bob", 1, left=SIZE)
        harbour.announce(2, "bob", 2)
        await collect(harbour)

        async def listed(**query: Any) -> list[int]:
            page = await harbour.get("bob", "/members/bob/torrents", **query)
            return [one["upload"]["id"] for one in page["items"]]

        states = ("seeding", "leeching", "complete", "incomplete", "hnr")
        assert [await listed(state=state) for state in states] == [[2], [1], [2], [1], []]
        first = await harbour.get("bob", "/members/bob/torrents", limit=1)
        assert await listed(limit=1, cursor=first["next"]) == [1]

    in_harbour(tmp_path, server, work)


def test_staff_sees_who_took_part_in_an_upload(tmp_path: Path, server: RunningServer) -> None:
    async def work(harbour: Harbour) -> None:
        await flee(harbour)
        harbour.announce(1, "ann", 3)
        await collect(harbour)
        those = (await harbour.get("mod", "/uploads/1/participants"))["items"]
        assert [(one["member"]["name"], one["seeding"]) for one in those] == [("ann", 1), ("bob", 0)]
        problem(await harbour.clients["bob"].get("/api/v1/uploads/1/participants"), 403, "refused")
        problem(await harbour.clients["mod"].get("/api/v1/uploads/9/participants"), 404, "not_found")

    in_harbour(tmp_path, server, work)


def test_staff_frees_a_member_and_both_stores_and_the_audit_know_it(
    tmp_path: Path, server: RunningServer
) -> None:
    async def work(harbour: Harbour) -> None:
        await flee(harbour)
        path, bob = "/api/v1/members/bob/torrents/1/exempt", harbour.ids["bob"]
        asked = {"exempt": True, "reason": "His disk died."}
        problem(await harbour.clients["bob"].post(path, json=asked), 403, "refused")
        answer = await harbour.clients["mod"].post(path, json=asked)
        assert answer.status_code == 200, answer.text
        told = answer.json()
        assert (told["exempt"], told["hnr"], told["time_owed"], told["upload"]["id"]) == (True, None, 0, 1)
        assert server.ask("SMEMBERS", f"t:u:{bob}:hnr") == []
        assert server.ask("HGET", f"t:ut:{bob}:1", "exempt") == b"1"
        await collect(harbour)
        for state in ("hnr", "owing"):
            assert (await harbour.get("bob", "/members/bob/torrents", state=state))["items"] == []
        (entry,) = (await harbour.get("boss", "/audit", action="participation.exempt"))["items"]
        assert (entry["actor"]["name"], entry["target_name"]) == ("mod", "bob")
        assert entry["after"] == {"upload": 1, "exempt": True, "reason": "His disk died."}
        answer = await harbour.clients["mod"].post(path, json={"exempt": False, "reason": "He lied."})
        assert answer.json()["time_owed"] > 0
        assert server.ask("HGET", f"t:ut:{bob}:1", "exempt") is None
        path = "/api/v1/members/ann/torrents/2/exempt"
        problem(await harbour.clients["mod"].post(path, json=asked), 404, "not_found")

    in_harbour(tmp_path, server, work)


def test_staff_looks_at_reports_and_settles_them(tmp_path: Path, server: RunningServer) -> None:
    async def work(harbour: Harbour) -> None:
        suspicion = Suspicion(Kind.SPEED, harbour.ids["bob"], 1, 10**10, {"seconds": 1})
        await harbour.house.write(lambda tx: reports.enter(tx, 5.0, [suspicion]))
        (one,) = (await harbour.get("mod", "/tracker/reports", settled=False))["items"]
        assert (one["kind"], one["member"]["name"], one["upload"]["name"]) == ("speed", "bob", "tidal charts")
        assert (one["count"], one["worst"], one["settled"]) == (1, 10**10, None)
        path, said = f"/api/v1/tracker/reports/{one['id']}/settle", {"verdict": "mistake", "note": "A clock."}
        problem(await harbour.clients["bob"].get("/api/v1/tracker/reports"), 403, "refused")
        problem(await harbour.clients["bob"].post(path, json=said), 403, "refused")
        answer = await harbour.clients["mod"].post(path, json=said)
        assert answer.status_code == 200, answer.text
        settled = answer.json()["settled"]
        assert (settled["by"]["name"], settled["verdict"], settled["note"]) == ("mod", "mistake", "A clock.")
        problem(await harbour.clients["mod"].post(path, json=said), 409, "conflict")
        assert (await harbour.get("mod", "/tracker/reports", settled=False))["items"] == []
        (entry,) = (await harbour.get("boss", "/audit", action="report.settle"))["items"]
        assert entry["after"] == {"kind": "speed", "verdict": "mistake", "note": "A clock."}

    in_harbour(tmp_path, server, work)


def test_an_operator_has_the_indexes_made_again(tmp_path: Path, server: RunningServer) -> None:
    async def work(harbour: Harbour) -> None:
        harbour.announce(1, "bob", 1)
        server.ask("ZADD", "t:i:seeders", "7", "1")
        problem(await harbour.clients["mod"].post("/api/v1/tracker/rebuild-indexes"), 403, "refused")
        answer = await harbour.clients["boss"].post("/api/v1/tracker/rebuild-indexes")
        assert (answer.status_code, answer.json()) == (200, {"mended": 1})
        assert server.ask("ZSCORE", "t:i:seeders", "1") == b"1"

    in_harbour(tmp_path, server, work)
