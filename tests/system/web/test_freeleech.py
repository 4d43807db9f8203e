"""Freeleech through the web door: members see what is in force, staff the plan, operators change it."""

import time
from pathlib import Path

from tests.catalogue.ground import torrent
from tests.servers import RunningServer
from tests.system.web.house import House, in_house

API = "/api/v1"


def test_each_sees_and_changes_what_he_may(tmp_path: Path, live: RunningServer) -> None:
    async def work(house: House) -> None:
        for name, *roles in (("ann",), ("mod", "moderator"), ("boss", "operator")):
            await house.member(name, *roles)
        ann, mod, boss = [await house.sign_in(name) for name in ("ann", "mod", "boss")]
        now = time.time()
        times = {"Past": (now - 9, now + 1), "Now": (None, now + 3600), "Later": (now + 60, now + 3600)}
        for reason, (starts, ends) in times.items():
            answer = await boss.post(
                f"{API}/freeleech", json={"starts": starts, "ends": ends, "reason": reason}
            )
            assert answer.status_code == 201, answer.text
        assert (await boss.delete(f"{API}/freeleech/1")).status_code == 204
        wanted = ((ann, ["Now"]), (mod, ["Later", "Now", "Past"]), (boss, ["Later", "Now", "Past"]))
        for client, reasons in wanted:
            found = (await client.get(f"{API}/freeleech")).json()["items"]
            assert [one["reason"] for one in found] == reasons
        await boss.post(f"{API}/categories", json={"name": "films"})
        added = await ann.post(
            f"{API}/uploads?category=films",
            content=torrent("film.mkv"),
            headers={"Content-Type": "application/x-bittorrent"},
        )
        assert added.status_code == 201, added.text
        share = {"multi_up": 8.0, "reason": "why not"}
        for client in (ann, mod):
            refused = [
                await client.post(f"{API}/freeleech", json={"ends": now + 60, "reason": "Mine"}),
                await client.delete(f"{API}/freeleech/2"),
                await client.patch(f"{API}/members/ann", json=share),
                await client.patch(f"{API}/members/ann", json={"multi_down": 0.0, "reason": "mine"}),
                await client.patch(f"{API}/uploads/{added.json()['id']}", json=share),
            ]
            assert [answer.status_code for answer in refused] == [403] * len(refused)
        for path in ("members/ann", f"uploads/{added.json()['id']}"):
            answer = await boss.patch(f"{API}/{path}", json=share)
            assert (answer.status_code, answer.json()["multi_up"]) == (200, 8.0)
        for client in (ann, mod, boss):
            await client.aclose()

    in_house(tmp_path, live, work)
