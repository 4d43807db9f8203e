"""Requests that another site's page makes a browser send."""

from pathlib import Path

import httpx
import pytest

from tests.servers import RunningServer
from tests.system.web.house import PASSWORD, House, in_house, problem

API = "/api/v1"
WISH = {"name": "robot", "scopes": ["read"]}


def test_a_cookie_alone_changes_nothing(tmp_path: Path, live: RunningServer) -> None:
    async def work(house: House) -> None:
        await house.member("ann")
        await house.member("eve")
        ann, eve = await house.sign_in("ann"), await house.sign_in("eve")
        right = ann.headers.pop("X-CSRF-Token")
        problem(await ann.post(f"{API}/tokens", json=WISH), 403, "forged")
        for wrong in ("", right[:-1], right + "A", right.swapcase(), eve.headers["X-CSRF-Token"], "x" * 9000):
            answer = await ann.post(f"{API}/tokens", json=WISH, headers={"X-CSRF-Token": wrong})
            problem(answer, 403, "forged")
        problem(await ann.delete(f"{API}/session"), 403, "forged")
        assert (await ann.get(f"{API}/tokens")).json()["items"] == []
        assert (
            await ann.post(f"{API}/tokens", json=WISH, headers={"X-CSRF-Token": right})
        ).status_code == 201
        await ann.aclose()
        await eve.aclose()

    in_house(tmp_path, live, work)


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
)
def test_another_sites_page_cannot_act_nor_sign_anybody_in(
    tmp_path: Path, live: RunningServer, headers: dict[str, str]
) -> None:
    async def work(house: House) -> None:
        await house.member("ann")
        ann = await house.sign_in("ann")
        problem(await ann.post(f"{API}/tokens", json=WISH, headers=headers), 403, "forged")
        entry = {"name": "ann", "password": PASSWORD}
        problem(await house.client.post(f"{API}/session", json=entry, headers=headers), 403, "forged")
        await ann.aclose()

    in_house(tmp_path, live, work)


def test_our_own_page_may_also_behind_a_proxy_that_changes_the_host(
    tmp_path: Path, live: RunningServer
) -> None:
    async def work(house: House) -> None:
        await house.member("ann")
        entry = {"name": "ann", "password": PASSWORD}
        for origin in (house.url, "https://holdfast.example.org"):
            headers = {"Origin": origin, "Sec-Fetch-Site": "same-origin"}
            async with httpx.AsyncClient(base_url=house.url, headers=headers) as page:
                assert (await page.post(f"{API}/session", json=entry)).status_code == 200

    in_house(tmp_path, live, work, url="https://holdfast.example.org")


def test_who_asks_is_believed_only_through_a_trusted_proxy(tmp_path: Path, live: RunningServer) -> None:
    async def work(house: House) -> None:
        headers = {**house.operator, "X-Forwarded-For": "192.0.2.66, 198.51.100.7"}
        await house.client.post(f"{API}/members", json={"name": "ann"}, headers=headers)
        entry = (await house.client.get(f"{API}/audit", headers=house.operator)).json()["items"][0]
        assert entry["address"] == trusted

    trusted = "127.0.0.1"
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    in_house(tmp_path / "a", live, work)
    trusted = "198.51.100.7"
    in_house(tmp_path / "b", live, work, trusted_proxies=("127.0.0.0/8",))
