"""How the system is, as operators and machines see it."""

import io
import json
from pathlib import Path

import msgspec

from holdfast.catalogue.store import events
from holdfast.heartbeat import BEAT, LATE, PARTS, beating
from holdfast.supervise.folder import PARTS as PARTS_JSON
from holdfast.web.access.rules import SECRET
from tests.servers import RunningServer
from tests.system.web.house import House, in_house, problem

API = "/api/v1"


def test_the_system_is_shown_to_staff_and_the_settings_to_operators(
    tmp_path: Path, live: RunningServer
) -> None:
    async def work(house: House) -> None:
        rights = {"ann": (403, 403), "mod": (200, 403), "boss": (200, 200)}
        for name, roles in (("boss", ("operator",)), ("mod", ("moderator",)), ("ann", ())):
            await house.member(name, *roles)
            client = await house.sign_in(name)
            answers = [await client.get(f"{API}/{what}") for what in ("system", "settings")]
            assert tuple(answer.status_code for answer in answers) == rights[name]
            assert (await client.get(f"{API}/overview")).status_code == 200
            await client.aclose()

    in_house(tmp_path, live, work)


def test_parts_are_joined_with_what_the_supervisor_says_of_them(tmp_path: Path, live: RunningServer) -> None:
    async def work(house: House) -> None:
        seen = (await house.client.get(f"{API}/system", headers=house.operator)).json()
        (web,) = seen["parts"]
        assert (web["name"], web["state"], web["restarts"]) == ("web", "ready", 0)
        assert web["resident_bytes"] > 1 << 20
        states = [
            {"name": "web", "state": "ready", "pid": web["pid"], "since": web["since"], "restarts": 2},
            {"name": "live", "state": "ready", "pid": live.pid, "since": 1.0, "restarts": 0},
            {"name": "tracker", "state": "resting", "pid": None, "since": 1.0, "restarts": 0},
            {"name": "clerk", "state": "resting", "pid": None, "since": 1.0, "restarts": 1},
        ]
        (tmp_path / PARTS_JSON).write_text(json.dumps(states))
        seen = (await house.client.get(f"{API}/system", headers=house.operator)).json()
        assert [(part["name"], part["state"], part["restarts"]) for part in seen["parts"]] == [
            ("clerk", "resting", 1),
            ("live", "ready", 0),
            ("tracker", "resting", 0),
            ("web", "ready", 2),
        ]
        assert seen["parts"][1]["resident_bytes"] > 1 << 20
        assert any("web was restarted (2 so far)" in alarm["text"] for alarm in seen["alarms"])

    in_house(tmp_path, live, work)


def test_a_process_that_misses_its_beats_is_not_called_ready(tmp_path: Path, live: RunningServer) -> None:
    async def work(house: House) -> None:
        store = house.web.live
        (web,) = await beating(store)
        last, gone = (BEAT.name(store.layout, part="web", instance=name) for name in (web.instance, "gone-1"))
        await store.call("COPY", last, gone)
        await store.call("HSET", gone, "beat", web.beat - LATE - 1)
        await store.call("ZADD", PARTS.name(store.layout), web.beat, "web:gone-1")
        seen = (await house.client.get(f"{API}/system", headers=house.operator)).json()
        states = {part["instance"]: part["state"] for part in seen["parts"]}
        assert states == {web.instance: "ready", "gone-1": "silent"}

    in_house(tmp_path, live, work)


def test_an_outbox_that_falls_behind_is_an_alarm_and_not_ready(tmp_path: Path, live: RunningServer) -> None:
    async def work(house: House) -> None:
        late = house.clock.now() - 120
        await house.write(lambda tx: events.note(tx, late, "r", "x", "members", {}))
        answer = await house.client.get("/health/ready")
        assert answer.status_code == 503
        assert [check["name"] for check in answer.json()["checks"] if not check["ok"]] == ["outbox"]
        seen = (await house.client.get(f"{API}/system", headers=house.operator)).json()
        assert seen["outbox"]["waiting"] == 1
        assert seen["outbox"]["oldest_age"] >= 120
        assert any("behind the records" in alarm["text"] for alarm in seen["alarms"])

    in_house(tmp_path, live, work)


def test_metrics_are_for_tokens_with_their_scope(tmp_path: Path, live: RunningServer) -> None:
    async def work(house: House) -> None:
        await house.member("boss", "operator")
        boss = await house.sign_in("boss")
        made = {}
        for scope in ("metrics", "read"):
            wanted = {"name": scope, "scopes": [scope]}
            made[scope] = (await boss.post(f"{API}/tokens", json=wanted)).json()["secret"]
        problem(await house.client.get("/metrics"), 401, "nobody")
        refused = {"Authorization": f"Bearer {made['read']}"}
        problem(await house.client.get("/metrics", headers=refused), 403, "refused")
        page = await house.client.get("/metrics", headers={"Authorization": f"Bearer {made['metrics']}"})
        assert page.status_code == 200
        assert page.headers["content-type"].startswith("text/plain; version=0.0.4")
        assert (
            'holdfast_web_requests_total{operation="POST /api/v1/tokens",part="web",status="2xx"} 2.0'
            in page.text
        )
        await boss.aclose()

    in_house(tmp_path, live, work)


def test_paths_that_anybody_makes_up_make_no_series(tmp_path: Path, live: RunningServer) -> None:
    async def work(house: House) -> None:
        async def series() -> int:
            return len((await house.client.get("/metrics", headers=house.operator)).text.splitlines())

        for path in ("/api/v1/members/zero", "/api/v1/x/y", "/page/zero"):
            await house.client.get(path, headers=house.operator)
            await house.client.request("BREW", path)
        await series()
        before = await series()
        for number in range(40):
            for path in (f"/api/v1/members/made-up-{number}", f"/api/v1/x/{number}", f"/page/{number}"):
                await house.client.get(path, headers=house.operator)
                await house.client.request(f"BREW{'X' * number}", path)
        assert await series() == before

    in_house(tmp_path, live, work)


def test_each_request_leaves_one_line_that_says_who_and_how_long(
    tmp_path: Path, live: RunningServer, log: io.StringIO
) -> None:
    async def work(house: House) -> None:
        await house.member("ann")
        ann = await house.sign_in("ann")
        log.truncate(0)
        log.seek(0)
        answer = await ann.get(f"{API}/members", params={"q": "secret-search"})
        await ann.aclose()
        (line,) = [msgspec.json.decode(each) for each in log.getvalue().splitlines()]
        assert line["event"] == "request"
        assert (line["method"], line["path"], line["status"]) == ("GET", f"{API}/members", 200)
        assert (line["actor"], line["address"]) == ("ann", "127.0.0.1")
        assert line["request_id"] == answer.headers["x-request-id"]
        assert line["ms"] > 0
        assert not SECRET.search(log.getvalue())
        assert "secret-search" not in log.getvalue()

    in_house(tmp_path, live, work)


def test_lists_refuse_limits_and_cursors_that_make_no_sense(tmp_path: Path, live: RunningServer) -> None:
    async def work(house: House) -> None:
        await house.member("ann")
        ann = await house.sign_in("ann")
        for _ in range(4):
            await ann.post(f"{API}/tokens", json={"name": "robot", "scopes": ["read"]})
        first = (await ann.get(f"{API}/tokens", params={"limit": 3})).json()
        rest = (await ann.get(f"{API}/tokens", params={"limit": 3, "cursor": first["next"]})).json()
        assert [each["id"] for each in first["items"] + rest["items"]] == [4, 3, 2, 1]
        assert rest["next"] is None
        for limit in ("0", "-1", "201", "1e3", "many", "", "99999999999999999999"):
            told = problem(await ann.get(f"{API}/tokens", params={"limit": limit}), 400, "invalid")
            assert told["errors"][0]["field"] == "limit"
        cursor = first["next"]
        for bad in (cursor[:-1], cursor + "A", cursor.swapcase(), "x", "WzFd=", "%", "é", "A" * 1025):
            problem(await ann.get(f"{API}/tokens", params={"cursor": bad}), 400, "invalid")
        await ann.aclose()

    in_house(tmp_path, live, work)
