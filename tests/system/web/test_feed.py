"""The live feed: who hears what, and what becomes of those who do not listen."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import websockets
from sqlalchemy import Connection
from websockets.asyncio.client import ClientConnection, connect

from holdfast.catalogue.store import members
from holdfast.web.feed import CLIENTS_MOST
from tests.servers import RunningServer
from tests.system.web.house import SYSTEM, House, in_house


@asynccontextmanager
async def listening(house: House, name: str, *topics: str, **options: Any) -> AsyncIterator[ClientConnection]:
    client = await house.sign_in(name)
    cookie = {"Cookie": f"holdfast_session={client.cookies['holdfast_session']}"}
    await client.aclose()
    async with connect(address(house), additional_headers=cookie, **options) as socket:
        if topics:
            await socket.send(json.dumps({"subscribe": topics}))
            assert (await heard(socket))["refused"] == []
        yield socket


def address(house: House) -> str:
    return house.url.replace("http", "ws") + "/api/v1/live"


async def heard(socket: ClientConnection) -> dict[str, Any]:
    async with asyncio.timeout(20):
        told: dict[str, Any] = json.loads(await socket.recv())
    return told


async def publish(house: House, event: str, topic: str, member_id: int | None = None, **data: Any) -> None:
    payload = {"event": event, "topic": topic, "data": data, "at": 1.5, "member_id": member_id}
    await house.web.live.call("PUBLISH", "hf:events", json.dumps(payload))


async def closed(socket: ClientConnection) -> int:
    async with asyncio.timeout(20):
        await socket.wait_closed()
    assert socket.close_code is not None
    return socket.close_code


def test_a_page_hears_what_it_asked_for_and_nothing_else(tmp_path: Path, live: RunningServer) -> None:
    async def work(house: House) -> None:
        await house.member("ann")
        async with listening(house, "ann", "uploads") as ann:
            await publish(house, "member.added", "members", id=1)
            await publish(house, "upload.added", "uploads", id=7)
            told = await heard(ann)
            assert told == {"topic": "uploads", "event": "upload.added", "data": {"id": 7}, "at": 1.5}
            await ann.send('{"unsubscribe": ["uploads"], "subscribe": ["members"]}')
            assert await heard(ann) == {"subscribed": ["members"], "refused": []}
            await publish(house, "upload.added", "uploads", id=8)
            await publish(house, "member.added", "members", id=2)
            assert (await heard(ann))["data"] == {"id": 2}

    in_house(tmp_path, live, work)


def test_a_change_made_through_the_api_is_heard(tmp_path: Path, live: RunningServer) -> None:
    async def work(house: House) -> None:
        await house.member("ann")
        async with listening(house, "ann", "members") as ann:
            made = await house.client.post("/api/v1/members", json={"name": "bob"}, headers=house.operator)
            told = await heard(ann)
            assert (told["event"], told["data"]) == ("member.added", {"id": made.json()["id"]})

    in_house(tmp_path, live, work)


def test_topics_ask_for_the_same_rights_as_lists(tmp_path: Path, live: RunningServer) -> None:
    async def work(house: House) -> None:
        await house.member("ann")
        await house.member("mod", "moderator")
        every = ["uploads", "members", "notices", "audit", "system", "nonsense"]
        async with listening(house, "ann") as ann, listening(house, "mod") as mod:
            for socket in (ann, mod):
                await socket.send(json.dumps({"subscribe": every}))
            assert await heard(ann) == {"subscribed": every[:3], "refused": every[3:]}
            assert await heard(mod) == {"subscribed": every[:5], "refused": every[5:]}

    in_house(tmp_path, live, work)


def test_notices_are_for_their_reader_alone(tmp_path: Path, live: RunningServer) -> None:
    async def work(house: House) -> None:
        ann_id, _ = await house.member("ann"), await house.member("boss", "operator")
        topics = ("notices", "uploads")
        async with listening(house, "ann", *topics) as ann, listening(house, "boss", *topics) as boss:
            await publish(house, "notice.added", "notices", ann_id, id=1)
            await publish(house, "notice.added", "notices", None, id=2)
            await publish(house, "upload.added", "uploads", id=3)
            assert (await heard(ann))["data"] == {"id": 1}
            assert (await heard(ann))["data"] == {"id": 3}
            assert (await heard(boss))["data"] == {"id": 3}

    in_house(tmp_path, live, work)


def test_a_slow_page_loses_the_oldest_and_is_told_how_many(tmp_path: Path, live: RunningServer) -> None:
    async def work(house: House) -> None:
        await house.member("ann")
        total, size = 3000, 4000
        # A small window at the client, so that what is not read piles up at the server soon.
        async with listening(house, "ann", "uploads", max_queue=1, ping_interval=None) as ann:
            for number in range(total):
                await publish(house, "upload.added", "uploads", id=number, fill="x" * size)
            await publish(house, "upload.added", "uploads", id=total)
            ids: list[int] = []
            dropped = 0
            while not ids or ids[-1] != total:
                told = await heard(ann)
                dropped += told.get("dropped", 0)
                ids += [told["data"]["id"]] if "data" in told else []
            assert dropped > 0
            assert len(ids) + dropped == total + 1
            assert ids == sorted(ids)
            page = (await house.client.get("/metrics", headers=house.operator)).text
            assert f'holdfast_web_feed_dropped_total{{part="web"}} {float(dropped)}' in page

    in_house(tmp_path, live, work, feed_queue=8)


def test_another_sites_page_cannot_listen(tmp_path: Path, live: RunningServer) -> None:
    async def work(house: House) -> None:
        await house.member("ann")
        for origin in ("https://evil.example", "null"):
            with pytest.raises(websockets.InvalidStatus, match="403"):
                async with listening(house, "ann", origin=origin):
                    pass
        async with listening(house, "ann", "uploads", origin=house.url):
            pass

    in_house(tmp_path, live, work)


def test_nobody_cannot_listen(tmp_path: Path, live: RunningServer) -> None:
    async def work(house: House) -> None:
        for headers in ({}, {"Cookie": "holdfast_session=" + "A" * 43}, {"Authorization": "Bearer x"}):
            with pytest.raises(websockets.InvalidStatus, match="403"):
                async with connect(address(house), additional_headers=headers):
                    pass
        with pytest.raises(websockets.InvalidStatus, match="403"):
            async with connect(house.url.replace("http", "ws") + "/elsewhere"):
                pass

    in_house(tmp_path, live, work)


def test_the_command_line_may_listen(tmp_path: Path, live: RunningServer) -> None:
    async def work(house: House) -> None:
        async with connect(address(house), additional_headers=house.operator) as socket:
            await socket.send('{"subscribe": ["system"]}')
            assert await heard(socket) == {"subscribed": ["system"], "refused": []}
            assert (await heard(socket))["event"] == "system"

    in_house(tmp_path, live, work)


def test_signing_out_closes_the_feed(tmp_path: Path, live: RunningServer) -> None:
    async def work(house: House) -> None:
        await house.member("ann")
        client = await house.sign_in("ann")
        cookie = {"Cookie": f"holdfast_session={client.cookies['holdfast_session']}"}
        async with connect(address(house), additional_headers=cookie) as socket:
            assert (await client.delete("/api/v1/session")).status_code == 204
            assert await closed(socket) == 4401
        await client.aclose()

    in_house(tmp_path, live, work)


def test_a_disabled_member_hears_no_more_and_a_demoted_one_less(tmp_path: Path, live: RunningServer) -> None:
    async def work(house: House) -> None:
        ann_id, mod_id = await house.member("ann"), await house.member("mod", "moderator")
        async with listening(house, "ann", "uploads") as ann, listening(house, "mod", "audit") as mod:

            def change(tx: Connection) -> None:
                members.change(tx, house.clock.now(), SYSTEM, "ann", enabled=False)
                members.change(tx, house.clock.now(), SYSTEM, "mod", roles=())

            await house.write(change)
            await publish(house, "member.changed", "members", id=ann_id)
            await publish(house, "member.changed", "members", id=mod_id)
            assert await closed(ann) == 4401
            assert await heard(mod) == {"subscribed": [], "refused": ["audit"]}

    in_house(tmp_path, live, work)


def test_after_the_live_store_was_away_pages_are_told_to_look_again(
    tmp_path: Path, live: RunningServer
) -> None:
    async def work(house: House) -> None:
        await house.member("ann")
        async with listening(house, "ann", "uploads") as ann:
            live.kill()
            live.start()
            assert await heard(ann) == {"gap": True}
            await publish(house, "upload.added", "uploads", id=1)
            assert (await heard(ann))["data"] == {"id": 1}

    in_house(tmp_path, live, work)


@pytest.mark.parametrize(
    ("message", "code"),
    [
        ("{", 1007), ("[]", 1007), ('{"subscribe": "uploads"}', 1007), ('{"subscribe": [1]}', 1007),
        ('{"publish": []}', 1007), (b"\x00", 1007), ("x" * 20_000, 1009),
    ],
)  # fmt: skip
def test_what_is_no_wish_ends_the_conversation(
    tmp_path: Path, live: RunningServer, message: str | bytes, code: int
) -> None:
    async def work(house: House) -> None:
        await house.member("ann")
        async with listening(house, "ann", "uploads") as ann:
            await ann.send(message)
            assert await closed(ann) == code
        assert (await house.client.get("/health/live")).status_code == 200

    in_house(tmp_path, live, work)


def test_who_talks_too_much_is_shown_out(tmp_path: Path, live: RunningServer) -> None:
    async def work(house: House) -> None:
        await house.member("ann")
        async with listening(house, "ann", "uploads") as ann:
            for _ in range(100):
                await ann.send("{}")
            assert await closed(ann) == 1008

    in_house(tmp_path, live, work)


def test_one_session_has_so_many_feeds_and_no_more(tmp_path: Path, live: RunningServer) -> None:
    async def work(house: House) -> None:
        await house.member("ann")
        client = await house.sign_in("ann")
        cookie = {"Cookie": f"holdfast_session={client.cookies['holdfast_session']}"}
        sockets = [await connect(address(house), additional_headers=cookie) for _ in range(CLIENTS_MOST)]
        with pytest.raises(websockets.InvalidStatus, match="403"):
            await connect(address(house), additional_headers=cookie)
        page = (await house.client.get("/metrics", headers=house.operator)).text
        assert f'holdfast_web_feed_clients{{part="web"}} {float(CLIENTS_MOST)}' in page
        for socket in sockets:
            await socket.close()
        async with connect(address(house), additional_headers=cookie):
            pass
        await client.aclose()

    in_house(tmp_path, live, work)
