"""The pages and what comes with every answer."""

from pathlib import Path

from tests.servers import RunningServer
from tests.system.web.house import House, in_house, problem


def test_every_address_of_a_page_is_the_one_page(tmp_path: Path, live: RunningServer) -> None:
    async def work(house: House) -> None:
        for path in ("/", "/members", "/uploads/12", "/a/b/c?d=e", "/welcome"):
            answer = await house.client.get(path)
            assert answer.status_code == 200
            assert answer.headers["content-type"] == "text/html; charset=utf-8"
            assert answer.headers["cache-control"] == "no-cache"
        problem(await house.client.post("/members", json={}), 405, "method")
        problem(await house.client.get("/assets/nothing.js"), 404, "not_found")
        problem(await house.client.get("/api/v1/nothing"), 404, "not_found")
        problem(await house.client.get("/api/v2/members"), 404, "not_found")
        problem(await house.client.put("/api/v1/overview"), 405, "method")

    in_house(tmp_path, live, work)


def test_every_answer_carries_the_headers_that_keep_a_browser_safe(
    tmp_path: Path, live: RunningServer
) -> None:
    async def work(house: House) -> None:
        for path in ("/", "/assets/nothing", "/api/v1/session", "/health/live"):
            answer = await house.client.get(path)
            policy = answer.headers["content-security-policy"]
            assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self'")
            assert f"connect-src 'self' ws://{house.url.removeprefix('http://')};" in policy
            assert "unsafe" not in policy
            assert answer.headers["x-content-type-options"] == "nosniff"
            assert answer.headers["referrer-policy"] == "no-referrer"
            assert answer.headers["cross-origin-opener-policy"] == "same-origin"
            assert "strict-transport-security" not in answer.headers
            assert "server" not in answer.headers
            if not path.startswith("/a") or path.startswith("/api"):
                assert answer.headers["cache-control"] in ("no-store", "no-cache")

    in_house(tmp_path, live, work)


def test_a_host_header_cannot_write_into_the_policy(tmp_path: Path, live: RunningServer) -> None:
    async def work(house: House) -> None:
        for host in ("a; script-src *", "a b", "'unsafe-inline'", ""):
            answer = await house.client.get("/", headers={"Host": host})
            if answer.status_code == 200:
                assert "connect-src 'self';" in answer.headers["content-security-policy"]

    in_house(tmp_path, live, work)


def test_an_id_that_came_along_is_kept_and_a_wild_one_is_not(tmp_path: Path, live: RunningServer) -> None:
    async def work(house: House) -> None:
        kept = await house.client.get("/health/live", headers={"X-Request-Id": "abc-12345678"})
        assert kept.headers["x-request-id"] == "abc-12345678"
        wild = await house.client.get("/health/live", headers={"X-Request-Id": "x\ty" * 100})
        assert len(wild.headers["x-request-id"]) == 16

    in_house(tmp_path, live, work)


def test_a_nul_in_an_address_is_refused(tmp_path: Path, live: RunningServer) -> None:
    async def work(house: House) -> None:
        for path in ("/api/v1/members/a%00b", "/api/v1/members?q=a%00b", "/a%00b"):
            problem(await house.client.get(path, headers=house.operator), 400, "invalid")

    in_house(tmp_path, live, work)
