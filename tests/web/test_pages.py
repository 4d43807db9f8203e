"""The files of the pages: which are sent, how, and which never."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import httpx
import pytest
from litestar.types import Receive, Scope, Send

from holdfast.web.pages import Pages

ASSET = "/assets/main-1a2b.js"


@pytest.fixture(name="built")
def built_fixture(tmp_path: Path) -> Path:
    folder = tmp_path / "static"
    (folder / "assets").mkdir(parents=True)
    (folder / "index.html").write_text("<!doctype html><title>Holdfast</title>")
    (folder / "assets" / "main-1a2b.js").write_text("console.log(1);\n" * 500)
    (folder / "assets" / "logo.png").write_bytes(b"\x89PNG" + bytes(2000))
    (folder / "favicon.svg").write_text("<svg/>")
    (tmp_path / "secret.txt").write_text("secret")
    (folder / "assets" / "way-out").symlink_to(tmp_path / "secret.txt")
    return folder


def visit(folder: Path, work: Callable[[httpx.AsyncClient], Awaitable[None]]) -> None:
    pages = Pages(folder)

    async def door(scope: Scope, receive: Receive, send: Send) -> None:
        scope["state"] = {"request_id": "r"}
        await pages(scope, receive, send)

    async def main() -> None:
        transport = httpx.ASGITransport(app=door)  # type: ignore[arg-type]
        async with httpx.AsyncClient(transport=transport, base_url="http://x") as client:
            await work(client)

    asyncio.run(main())


def test_assets_are_kept_for_ever_and_sent_small(built: Path) -> None:
    async def work(client: httpx.AsyncClient) -> None:
        plain = await client.get(ASSET, headers={"Accept-Encoding": "identity"})
        assert plain.headers["cache-control"] == "public, max-age=31536000, immutable"
        assert plain.headers["content-type"] == "text/javascript; charset=utf-8"
        assert "content-encoding" not in plain.headers
        small = await client.get(ASSET, headers={"Accept-Encoding": "br, gzip;q=0.5"})
        assert small.headers["content-encoding"] == "gzip"
        assert small.headers["vary"] == "accept-encoding"
        assert small.content == plain.content
        assert int(small.headers["content-length"]) < len(plain.content)
        declined = await client.get(ASSET, headers={"Accept-Encoding": "gzip;q=0"})
        assert "content-encoding" not in declined.headers
        assert (await client.get("/assets/logo.png")).headers["content-type"] == "image/png"
        assert (await client.get("/favicon.svg")).headers["cache-control"] == "no-cache"

    visit(built, work)


def test_the_page_is_asked_for_each_time_and_sent_only_when_it_changed(built: Path) -> None:
    async def work(client: httpx.AsyncClient) -> None:
        first = await client.get("/members/7")
        again = await client.get("/", headers={"If-None-Match": f'"other", W/{first.headers["etag"]}'})
        assert (again.status_code, again.content) == (304, b"")
        assert (await client.get("/", headers={"If-None-Match": '"other"'})).status_code == 200

    visit(built, work)


def test_head_tells_the_length_and_sends_nothing(built: Path) -> None:
    async def work(client: httpx.AsyncClient) -> None:
        answer = await client.head(ASSET, headers={"Accept-Encoding": "identity"})
        assert (answer.content, answer.headers["content-length"]) == (b"", "8000")

    visit(built, work)


@pytest.mark.parametrize(
    "path",
    [
        "/assets/../../secret.txt",
        "/assets/%2e%2e/%2e%2e/secret.txt",
        "/assets/way-out",
        "/assets//etc/passwd",
    ],
)
def test_no_path_leads_out_of_the_folder(built: Path, path: str) -> None:
    async def work(client: httpx.AsyncClient) -> None:
        assert "secret" not in (await client.get(path)).text

    visit(built, work)


def test_pages_that_are_not_built_say_how(tmp_path: Path) -> None:
    async def work(client: httpx.AsyncClient) -> None:
        answer = await client.get("/")
        assert answer.status_code == 200
        assert "make pages" in answer.text

    visit(tmp_path / "nowhere", work)
