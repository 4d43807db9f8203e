"""One-time links: they open once, for one, in time."""

import asyncio
from pathlib import Path

import httpx
from sqlalchemy import select

from holdfast.catalogue.store import members
from holdfast.catalogue.tables import audit
from holdfast.web.access.tables import one_time_link
from tests.servers import RunningServer
from tests.system.web.house import PASSWORD, SYSTEM, House, in_house, problem

API = "/api/v1"


async def first_link(house: House) -> str:
    answer = await house.client.post(f"{API}/system/first-link", headers=house.operator)
    link: str = answer.json()["sign_in_link"]
    assert link.startswith(f"{house.url}/welcome#")
    return link.partition("#")[2]


async def link_for(house: House, name: str) -> str:
    answer = await house.client.post(f"{API}/members/{name}/link", headers=house.operator)
    assert answer.status_code == 201, answer.text
    return str(answer.json()["sign_in_link"]).partition("#")[2]


async def use(house: House, token: str, **more: str) -> httpx.Response:
    async with httpx.AsyncClient(base_url=house.url, timeout=30) as client:
        return await client.post(f"{API}/session/link", json={"token": token, **more})


def test_of_twenty_who_use_the_first_link_at_once_one_becomes_operator(
    tmp_path: Path, live: RunningServer
) -> None:
    async def work(house: House) -> None:
        token = await first_link(house)
        answers = await asyncio.gather(
            *(use(house, token, name=f"op{n}", password=PASSWORD) for n in range(20))
        )
        assert sorted(answer.status_code for answer in answers) == [200] + [404] * 19
        assert await house.read(members.count) == 1
        assert len(await house.read(members.operators)) == 1

    in_house(tmp_path, live, work)


def test_of_twenty_who_use_a_sign_in_link_at_once_one_gets_in(tmp_path: Path, live: RunningServer) -> None:
    async def work(house: House) -> None:
        await house.member("ann", password=None)
        token = await link_for(house, "ann")
        answers = await asyncio.gather(*(use(house, token) for _ in range(20)))
        assert sorted(answer.status_code for answer in answers) == [200] + [404] * 19

    in_house(tmp_path, live, work)


def test_the_first_operator_chooses_name_and_password_and_can_run_the_place(
    tmp_path: Path, live: RunningServer
) -> None:
    async def work(house: House) -> None:
        token = await first_link(house)
        looked = (await house.client.post(f"{API}/session/link/look", json={"token": token})).json()
        assert (looked["purpose"], looked["name"], looked["needs_password"]) == ("first_operator", None, True)
        problem(await use(house, token), 400, "invalid")
        problem(await use(house, token, name="op", password="short"), 400, "invalid")
        problem(await use(house, token, name="12", password=PASSWORD), 400, "invalid")
        answer = await use(house, token, name="op", password=PASSWORD)
        assert answer.json()["member"]["roles"] == ["member", "operator"]
        boss = await house.sign_in("op")
        assert (await boss.get(f"{API}/settings")).status_code == 200
        await boss.aclose()

    in_house(tmp_path, live, work)


def test_there_is_no_first_link_once_there_is_an_operator(tmp_path: Path, live: RunningServer) -> None:
    async def work(house: House) -> None:
        early = await first_link(house)
        await house.member("op", "operator")
        answer = await house.client.post(f"{API}/system/first-link", headers=house.operator)
        assert answer.json() == {"sign_in_link": None, "expires": None}
        problem(await use(house, early, name="eve", password=PASSWORD), 409, "conflict")

    in_house(tmp_path, live, work)


def test_only_the_machine_itself_may_ask_for_the_first_link(tmp_path: Path, live: RunningServer) -> None:
    async def work(house: House) -> None:
        await house.member("op", "operator")
        boss = await house.sign_in("op")
        problem(await boss.post(f"{API}/system/first-link"), 403, "refused")
        problem(await house.client.post(f"{API}/system/first-link"), 401, "nobody")
        await boss.aclose()

    in_house(tmp_path, live, work)


def test_a_newer_link_ends_the_older_one(tmp_path: Path, live: RunningServer) -> None:
    async def work(house: House) -> None:
        await house.member("ann")
        older, newer = await link_for(house, "ann"), await link_for(house, "ann")
        first, second = await first_link(house), await first_link(house)
        problem(await use(house, older), 404, "not_found")
        problem(await use(house, first, name="op", password=PASSWORD), 404, "not_found")
        assert (await use(house, newer)).status_code == 200
        assert (await use(house, second, name="op", password=PASSWORD)).status_code == 200

    in_house(tmp_path, live, work)


def test_a_link_is_good_for_a_day(tmp_path: Path, live: RunningServer) -> None:
    async def work(house: House) -> None:
        await house.member("ann")
        token = await link_for(house, "ann")
        house.clock.moved += 86_399
        assert (await house.client.post(f"{API}/session/link/look", json={"token": token})).status_code == 200
        house.clock.moved += 2
        problem(await house.client.post(f"{API}/session/link/look", json={"token": token}), 404, "not_found")
        problem(await use(house, token), 404, "not_found")

    in_house(tmp_path, live, work)


def test_a_password_set_through_a_link_ends_what_was_open(tmp_path: Path, live: RunningServer) -> None:
    async def work(house: House) -> None:
        await house.member("ann")
        old = await house.sign_in("ann")
        token = await link_for(house, "ann")
        assert (await use(house, token, password="an entirely new one")).status_code == 200
        problem(await old.get(f"{API}/session"), 401, "nobody")
        fresh = await house.sign_in("ann", "an entirely new one")
        await fresh.aclose()
        await old.aclose()

    in_house(tmp_path, live, work)


def test_a_disabled_member_gets_in_by_no_link_and_the_link_is_not_used_up(
    tmp_path: Path, live: RunningServer
) -> None:
    async def work(house: House) -> None:
        await house.member("ann")
        token = await link_for(house, "ann")
        await house.write(lambda tx: members.change(tx, house.clock.now(), SYSTEM, "ann", enabled=False))
        problem(await use(house, token), 403, "refused")
        await house.write(lambda tx: members.change(tx, house.clock.now(), SYSTEM, "ann", enabled=True))
        assert (await use(house, token)).status_code == 200

    in_house(tmp_path, live, work)


def test_the_secret_of_a_link_is_kept_nowhere(tmp_path: Path, live: RunningServer) -> None:
    async def work(house: House) -> None:
        await house.member("ann")
        token = await link_for(house, "ann")
        kept = await house.read(lambda tx: tx.execute(select(one_time_link)).all())
        told = await house.read(lambda tx: tx.execute(select(audit)).all())
        assert token not in str(kept) + str(told)
        assert [row.action for row in told if row.action == "link.make"]

    in_house(tmp_path, live, work)


def test_what_was_never_a_link_opens_nothing(tmp_path: Path, live: RunningServer) -> None:
    async def work(house: House) -> None:
        for token in ("", "x", "é" * 43, "A" * 43, "A" * 128):
            problem(await use(house, token), 404, "not_found")
        problem(await use(house, "A" * 129), 400, "invalid")

    in_house(tmp_path, live, work)
