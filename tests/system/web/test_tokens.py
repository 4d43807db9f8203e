"""Tokens for machines, and everything that only looks like one."""

import asyncio
import contextlib
from pathlib import Path

import pytest

from holdfast.catalogue.store import members
from holdfast.web import serve
from holdfast.web.access.tables import token as token_table
from tests.servers import PATIENCE, RunningServer
from tests.system.web.house import PASSWORD, RUN_TOKEN, SYSTEM, House, in_house, problem

API = "/api/v1"


async def token_of(house: House, name: str, *scopes: str, **more: float) -> str:
    client = await house.sign_in(name)
    answer = await client.post(f"{API}/tokens", json={"name": "robot", "scopes": scopes, **more})
    await client.aclose()
    assert answer.status_code == 201, answer.text
    secret: str = answer.json()["secret"]
    return secret


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def test_a_token_works_within_its_scopes_and_without_a_csrf_token(
    tmp_path: Path, live: RunningServer
) -> None:
    async def work(house: House) -> None:
        await house.member("boss", "operator")
        secret = await token_of(house, "boss", "read")
        assert (await house.client.get(f"{API}/members", headers=bearer(secret))).status_code == 200
        refused = await house.client.post(f"{API}/members", json={"name": "ann"}, headers=bearer(secret))
        assert "scope" in problem(refused, 403, "refused")["detail"]
        mighty = await token_of(house, "boss", "read", "operate")
        made = await house.client.post(f"{API}/members", json={"name": "ann"}, headers=bearer(mighty))
        assert made.status_code == 201

    in_house(tmp_path, live, work)


def test_a_token_makes_no_mightier_one(tmp_path: Path, live: RunningServer) -> None:
    async def work(house: House) -> None:
        await house.member("boss", "operator")
        secret = await token_of(house, "boss", "write")
        wanted = {"name": "escape", "scopes": ["operate"]}
        problem(await house.client.post(f"{API}/tokens", json=wanted, headers=bearer(secret)), 403, "refused")

    in_house(tmp_path, live, work)


@pytest.mark.parametrize(
    "authorization",
    [
        b"",
        b"Bearer",
        b"Basic aGY6eA==",
        b"Bearer hf_" + b"A" * 42,
        b"Bearer hf_" + b"A" * 44,
        b"Bearer HF_" + b"A" * 43,
        b"Bearer hf_" + b"A" * 43,
        b"Bearer hf_" + "é".encode() * 43,
        b"Bearer hf_" + b"\xff" * 43,
        b"Bearer hf_" + b"A" * 40_000,
        b"Bearer " + RUN_TOKEN.upper().encode(),
        b"Bearer " + RUN_TOKEN[:-1].encode(),
    ],
)
def test_what_only_looks_like_a_token_lets_nobody_in(
    tmp_path: Path, live: RunningServer, authorization: bytes
) -> None:
    async def work(house: House) -> None:
        headers = {b"Authorization": authorization}
        answer = await house.client.get(f"{API}/members", headers=headers)
        problem(answer, 401, "nobody")
        assert answer.headers["www-authenticate"].startswith("Bearer")

    in_house(tmp_path, live, work)


def test_the_case_of_a_token_matters(tmp_path: Path, live: RunningServer) -> None:
    async def work(house: House) -> None:
        await house.member("ann")
        secret = await token_of(house, "ann", "read")
        swapped = "hf_" + secret[3:].swapcase()
        problem(await house.client.get(f"{API}/members", headers=bearer(swapped)), 401, "nobody")
        assert (await house.client.get(f"{API}/members", headers=bearer(secret))).status_code == 200

    in_house(tmp_path, live, work)


def test_a_token_cannot_be_turned_into_a_session_by_setting_a_password(
    tmp_path: Path, live: RunningServer
) -> None:
    async def work(house: House) -> None:
        await house.member("boss", "operator")
        secret = await token_of(house, "boss", "write")
        wanted = {"current": PASSWORD, "new": "an entirely new one"}
        answer = await house.client.put(f"{API}/me/password", json=wanted, headers=bearer(secret))
        problem(answer, 403, "refused")

    in_house(tmp_path, live, work)


def test_a_head_without_end_is_cut_off_and_the_door_stays_open(tmp_path: Path, live: RunningServer) -> None:
    async def work(house: House) -> None:
        host, port = house.url.removeprefix("http://").split(":")
        for start in (b"GET / HTTP/1.1\r\nHost: x\r\nX-Endless: ", b"GET /"):
            reader, writer = await asyncio.open_connection(host, int(port))
            writer.write(start)
            with contextlib.suppress(ConnectionError):
                for _ in range(1000):
                    writer.write(b"x" * 10_000)
                    await writer.drain()
            with contextlib.suppress(ConnectionError):
                assert (await reader.read()).startswith(b"HTTP/1.1 400")
            writer.close()
        assert (await house.client.get("/health/live")).status_code == 200

    in_house(tmp_path, live, work)


def test_a_head_that_never_ends_is_not_waited_for(
    tmp_path: Path, live: RunningServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def work(house: House) -> None:
        host, port = house.url.removeprefix("http://").split(":")
        for start in (b"", b"GET / HTTP/1.1\r\nHost:"):
            reader, writer = await asyncio.open_connection(host, int(port))
            writer.write(start)
            async with asyncio.timeout(PATIENCE):
                assert await reader.read() == b""
            writer.close()
        for _ in range(3):
            assert (await house.client.get("/health/live")).status_code == 200
            await asyncio.sleep(0.1)

    monkeypatch.setattr(serve, "HEAD_SECONDS", 0.05)
    in_house(tmp_path, live, work)


def test_a_bad_token_is_not_saved_by_a_good_cookie(tmp_path: Path, live: RunningServer) -> None:
    async def work(house: House) -> None:
        await house.member("ann")
        ann = await house.sign_in("ann")
        problem(await ann.get(f"{API}/session", headers=bearer("hf_" + "A" * 43)), 401, "nobody")
        await ann.aclose()

    in_house(tmp_path, live, work)


def test_a_token_ends_when_it_expires_is_revoked_or_its_owner_is_disabled(
    tmp_path: Path, live: RunningServer
) -> None:
    async def work(house: House) -> None:
        await house.member("ann")
        await house.member("eve")
        passing = await token_of(house, "ann", "read", expires=house.clock.now() + 100)
        lasting = await token_of(house, "ann", "read")
        ann, eve = await house.sign_in("ann"), await house.sign_in("eve")
        assert (await house.client.get(f"{API}/members", headers=bearer(passing))).status_code == 200
        house.clock.moved += 101
        problem(await house.client.get(f"{API}/members", headers=bearer(passing)), 401, "nobody")
        listed = (await ann.get(f"{API}/tokens")).json()["items"]
        assert len(listed) == 2
        assert "secret" not in str(listed)
        problem(await eve.delete(f"{API}/tokens/{listed[0]['id']}"), 404, "not_found")
        assert (await house.client.get(f"{API}/members", headers=bearer(lasting))).status_code == 200
        await house.write(lambda tx: members.change(tx, house.clock.now(), SYSTEM, "ann", enabled=False))
        problem(await house.client.get(f"{API}/members", headers=bearer(lasting)), 401, "nobody")
        await house.write(lambda tx: members.change(tx, house.clock.now(), SYSTEM, "ann", enabled=True))
        assert (await ann.delete(f"{API}/tokens/{listed[0]['id']}")).status_code == 204
        problem(await house.client.get(f"{API}/members", headers=bearer(lasting)), 401, "nobody")
        await ann.aclose()
        await eve.aclose()

    in_house(tmp_path, live, work)


def test_its_last_use_is_written_down_at_most_once_a_minute(tmp_path: Path, live: RunningServer) -> None:
    async def work(house: House) -> None:
        await house.member("ann")
        secret = await token_of(house, "ann", "read")

        async def used() -> float:
            await house.client.get(f"{API}/members", headers=bearer(secret))
            return float(await house.read(lambda tx: tx.execute(token_table.select()).one().last_used))

        first = await used()
        assert await used() == first
        house.clock.moved += 61
        assert await used() > first + 60

    in_house(tmp_path, live, work)


def test_the_command_line_acts_in_its_own_name_and_owns_nothing(tmp_path: Path, live: RunningServer) -> None:
    async def work(house: House) -> None:
        made = await house.client.post(f"{API}/members", json={"name": "ann"}, headers=house.operator)
        assert made.status_code == 201
        entry = (await house.client.get(f"{API}/audit", headers=house.operator)).json()["items"][0]
        assert entry["actor"] == {"id": None, "name": "operator at the command line"}
        assert (entry["door"], entry["address"]) == ("cli", "127.0.0.1")
        assert entry["request_id"] == made.headers["x-request-id"]
        wanted = {"name": "robot", "scopes": ["read"]}
        problem(await house.client.post(f"{API}/tokens", json=wanted, headers=house.operator), 400, "invalid")
        problem(await house.client.get(f"{API}/session", headers=house.operator), 400, "invalid")

    in_house(tmp_path, live, work)
