"""What the door does while its stores are away, and that it needs nobody to come back."""

import asyncio
import io
import shutil
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from sqlalchemy import text

from tests.servers import PATIENCE, RunningServer
from tests.system.web.house import House, in_house, problem

API = "/api/v1"


async def becomes(true: Callable[[], Awaitable[bool]]) -> None:
    """For what a door does by itself, which no answer announces."""
    give_up = time.monotonic() + PATIENCE
    while not await true():
        assert time.monotonic() < give_up, "it never became so"
        await asyncio.sleep(0.05)


async def checks(house: House) -> dict[str, bool]:
    answer = await house.client.get("/health/ready")
    told = answer.json()
    assert answer.status_code == (200 if told["ready"] else 503)
    return {check["name"]: check["ok"] for check in told["checks"]}


def test_without_the_live_store_the_door_stays_open_and_says_what_is_missing(
    tmp_path: Path, live: RunningServer
) -> None:
    async def work(house: House) -> None:
        await house.member("ann")
        ann = await house.sign_in("ann")
        live.kill()
        try:
            assert (await ann.get(f"{API}/members")).status_code == 200
            assert (await house.client.get("/health/live")).status_code == 200
            found = await checks(house)
            assert (found["records"], found["live"]) == (True, False)
            seen = (await house.client.get(f"{API}/system", headers=house.operator)).json()
            assert seen["live"]["state"] == "away"
            assert any(alarm["level"] == "alarm" for alarm in seen["alarms"])
            assert (await house.client.get("/metrics", headers=house.operator)).status_code == 200
            made = await house.client.post(f"{API}/members", json={"name": "bob"}, headers=house.operator)
            assert made.status_code == 201
        finally:
            live.start()

        async def well() -> bool:
            return all((await checks(house)).values())

        await becomes(well)
        await ann.aclose()

    in_house(tmp_path, live, work, wait=0.2)


def test_a_door_that_opens_before_the_live_store_serves_and_hears_it_later(
    tmp_path: Path, live: RunningServer
) -> None:
    live.kill()
    started = False

    async def work(house: House) -> None:
        nonlocal started
        await house.member("ann")
        ann = await house.sign_in("ann")
        assert (await ann.get(f"{API}/overview")).status_code == 200
        live.start()
        started = True

        async def beats() -> bool:
            seen = (await house.client.get(f"{API}/system", headers=house.operator)).json()
            return bool(seen["live"]["state"] == "up")

        await becomes(beats)
        await ann.aclose()

    try:
        in_house(tmp_path, live, work, wait=0.2, hears=False)
    finally:
        if not started:
            live.start()


def test_records_that_cannot_be_read_are_a_503_that_says_what_to_do(
    tmp_path: Path, live: RunningServer
) -> None:
    async def work(house: House) -> None:
        await house.member("ann")
        ann = await house.sign_in("ann")
        house.web.records.engine.dispose()
        file = tmp_path / "records.sqlite"
        for beside in ("-wal", "-shm"):
            file.with_name(file.name + beside).unlink(missing_ok=True)
        shutil.move(file, tmp_path / "kept")
        file.write_bytes(b"this is no database" * 100)
        answer = await ann.get(f"{API}/members")
        assert "restore" in problem(answer, 503, "unavailable")["detail"]
        assert answer.headers["retry-after"]
        assert not (await checks(house))["records"]
        seen = (await house.client.get(f"{API}/system", headers=house.operator)).json()
        assert seen["records"]["state"] == "away"
        house.web.records.engine.dispose()
        shutil.move(tmp_path / "kept", file)
        assert (await ann.get(f"{API}/members")).status_code == 200
        await ann.aclose()

    in_house(tmp_path, live, work)


def test_reading_goes_on_where_nothing_can_be_written(tmp_path: Path, live: RunningServer) -> None:
    async def work(house: House) -> None:
        await house.member("ann")
        ann = await house.sign_in("ann")
        house.clock.moved += 120  # so that the use is worth noting
        pages = await house.read(lambda tx: tx.execute(text("PRAGMA page_count")).scalar_one())
        await house.write(lambda tx: tx.execute(text(f"PRAGMA max_page_count = {pages}")))
        await house.write(lambda tx: tx.execute(text("PRAGMA query_only = ON")))
        assert (await ann.get(f"{API}/members")).status_code == 200
        await ann.aclose()

    in_house(tmp_path, live, work)


def test_a_fault_of_ours_is_told_by_its_id_alone_and_logged_in_full(
    tmp_path: Path, live: RunningServer, log: io.StringIO
) -> None:
    async def work(house: House) -> None:
        await house.write(lambda tx: tx.execute(text("DROP TABLE points")))
        answer = await house.client.get(f"{API}/members", headers=house.operator)
        told = problem(answer, 500, "fault")
        assert "points" not in answer.text
        written = log.getvalue()
        assert "no such table: points" in written
        assert told["request_id"] in written

    in_house(tmp_path, live, work)
