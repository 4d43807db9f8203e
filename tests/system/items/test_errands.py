"""A running system answers at the small addresses that volunteers' programs know beside a project's."""

import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.system.items.clients import need_seesaw, repository, warrior
from tests.system.items.volunteer import Volunteer, counts, project
from tests.system.running import PATIENCE, Running, running, until


@pytest.fixture(scope="module")
def house() -> Iterator[Running]:
    with running() as one:
        yield one


@pytest.fixture
def http(house: Running) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=house.run.here, timeout=PATIENCE, trust_env=False) as client:
        yield client


def key_of(house: Running, slug: str) -> str:
    """The address for discovered items, once it is known everywhere."""
    path: str = house.cli("items", "key", slug, "--json").json["path"]
    place = house.run.here + path
    until("the key is known", lambda: httpx.post(place, content=b"", trust_env=False).status_code == 200)
    return path


def test_discovered_items_are_queued_once(house: Running, http: httpx.Client) -> None:
    project(house, "fed", "aa", backfeed_queue="todo:secondary")
    path = key_of(house, "fed")
    said = http.post(f"{path}?shard=1&delimiter=%00", content=b"aa\0bb\0cc\0bb\0no good\0")
    assert said.json() == {"status_code": 200, "data": "5 items queued for deduplication"}
    assert house.ask("SMEMBERS", "fed:todo:secondary") in ([b"bb", b"cc"], [b"cc", b"bb"])
    flat = house.ask("HGETALL", "fed:x:fed")
    assert dict(zip(flat[::2], flat[1::2], strict=True)) == {
        b"received": b"5",
        b"added": b"2",
        b"refused": b"1",
    }


def test_an_item_that_is_finished_and_in_the_records_is_not_fed_again(
    house: Running, http: httpx.Client
) -> None:
    project(house, "again", "aa")
    path = key_of(house, "again")
    client = Volunteer(house, "/again")
    client.ask("done", item=client.ask().text, bytes={})
    until("it is in the records", lambda: house.ask("SCARD", "again:done") == 0)
    assert http.post(path, content=b"aa\0").status_code == 200
    assert counts(house, "again")["todo"] == 0


def test_a_key_that_is_none_is_no_page(house: Running, http: httpx.Client) -> None:
    project(house, "keyed")
    before = key_of(house, "keyed")
    after = key_of(house, "keyed")
    assert http.post(after, content=b"aa\0").status_code == 200
    assert http.post(before, content=b"aa\0").status_code == 404
    assert http.post("/backfeed/legacy/None", content=b"aa\0").status_code == 404
    assert after.rpartition("/")[2] not in house.cli("items", "show", "keyed", "--json").out


def test_the_time(http: httpx.Client) -> None:
    said = http.get("/now").text
    assert re.fullmatch(r"\d+\.\d+", said)
    assert abs(float(said) - time.time()) < PATIENCE


def test_a_dictionary_is_told_where_a_project_has_one(house: Running, http: httpx.Client) -> None:
    held = {"id": "1", "url": "https://one.example/dict", "sha256": "ab" * 32}
    project(house, "dict", dictionary=held)
    until("it is known", lambda: http.get("/dictionary?project=dict").status_code == 200)
    assert http.get("/dictionary?project=dict").json() == held
    assert http.get("/dictionary?project=none").status_code == 404
    assert http.get("/dictionary").status_code == 404


def test_everybody_may_add_items_where_a_project_allows_it(house: Running, http: httpx.Client) -> None:
    project(house, "rescue", item_pattern="[a-z]+:[0-9]+")
    assert http.post("/rescue/rescue-me", data={"items": "user:1"}).status_code == 404
    assert house.cli("items", "set", "rescue", "rescue=true").code == 0
    text = "Please: USER:1, user:2\nand user:1."
    until("it is known", lambda: http.post("/rescue/rescue-me", data={"items": ""}).status_code == 200)
    assert http.post("/rescue/rescue-me", data={"items": text}).text == "2 items added.\n"
    assert sorted(house.ask("SMEMBERS", "rescue:todo")) == [b"user:1", b"user:2"]
    many = " ".join(f"user:{number}" for number in range(101))
    assert http.post("/rescue/rescue-me", data={"items": many}).status_code == 400
    until("enough is enough", lambda: http.post("/rescue/rescue-me", data={}).status_code == 429)


def test_a_project_s_short_address_leads_to_its_page(house: Running, http: httpx.Client) -> None:
    project(house, "short", host="short.example")
    project(house, "hidden", state="draft")
    for path, host in (("/short", "a"), ("/short/", "a"), ("/", "short.example"), ("/", "short.example:80")):
        sent = http.get(path, headers={"Host": host})
        assert (sent.status_code, sent.headers["location"]) == (302, "/projects/short")
    for path in ("/", "/hidden", "/nowhere", "/uploads", "/members"):
        assert http.get(path).status_code == 200, "a page"


@pytest.mark.parametrize("word", ["uploads", "auto"])
def test_no_project_is_called_like_a_page_or_like_a_warrior_s_choice(house: Running, word: str) -> None:
    assert "cannot name a project" in house.cli("items", "new", word, "--title", "x").sentence


def offered(http: httpx.Client) -> dict[str, Any]:
    found: dict[str, Any] = http.get("/projects.json").json()
    return found


def test_headquarters_tell_what_projects_there_are(house: Running, http: httpx.Client) -> None:
    values: dict[str, Any] = {
        "repository": "https://one.example/grab",
        "deadline": 1_800_000_000,
        "weight": 3,
    }
    project(house, "told", description="<p>It ends.</p>", lat_lng="1,2", **values)
    until("it is known", lambda: any(one["name"] == "told" for one in offered(http)["projects"]))
    assert house.cli("items", "hq", "change", "--message", "Hello", "--seesaw-version", "0.10.3").code == 0
    until("it is known", lambda: offered(http)["broadcast_message"] == "Hello")
    said = offered(http)
    assert said["warrior"] == {"seesaw_version": "0.10.3"}
    assert said["auto_project"] == "told"
    assert said["auto_projects_config"] == [{"project": "told", "weight": 3.0}]
    (one,) = said["projects"]
    assert one == {
        "name": "told",
        "title": "told",
        "description": "<p>It ends.</p>",
        "repository": "https://one.example/grab",
        "leaderboard": f"{house.run.here}/projects/told",
        "lat_lng": "1,2",
        "deadline": "2027-01-15T08:00:00Z",
    }
    script = http.get("/projects.json?callback=show")
    assert script.headers["content-type"].startswith("text/javascript")
    assert script.headers["cross-origin-resource-policy"] == "cross-origin"
    assert script.text.startswith("/**/show({")
    assert http.get("/projects.json?callback=alert(1)").status_code == 400
    with house.door() as door:
        entry, *_ = door.items("/audit", 5, action="headquarters.change")
    assert (entry["before"]["broadcast_message"], entry["after"]["broadcast_message"]) == ("", "Hello")
    house.cli("items", "state", "told", "archived")
    until("it is over", lambda: not offered(http)["projects"])


def test_warriors_are_numbered_and_remembered_for_a_while(house: Running, http: httpx.Client) -> None:
    first, second = (
        int(http.post("/api/register.json", json={"warrior": {"version": "0.10.3"}}).json()["warrior_id"])
        for _ in range(2)
    )
    assert second == first + 1
    told = {"warrior_id": str(first), "downloader": "ann", "selected_project": "auto", "lat_lng": None}
    assert "projects" in http.post("/api/update.json", json={"warrior": told}).json()
    key = f"warriorhq:instances:{first}"
    assert house.ask("HGET", key, "downloader") == b"ann"
    assert 0 < house.ask("TTL", key) <= 900
    stranger = http.post("/api/update.json", json={"warrior": {"warrior_id": "999999"}})
    assert "projects" in stranger.json(), "it works all the same"
    assert house.ask("EXISTS", "warriorhq:instances:999999") == 0


def test_a_real_warrior_fetches_the_project_it_is_told_and_works_for_it(
    house: Running, http: httpx.Client, tmp_path: Path
) -> None:
    need_seesaw()
    project(house, "chosen", "aa", "bb", "cc", repository=repository(tmp_path / "grab"), weight=9)
    assert house.cli("items", "hq", "change", "--auto-project", "chosen").code == 0
    until("it is known", lambda: offered(http).get("auto_project") == "chosen")
    with warrior(f"{house.run.here}/", f"{house.run.here}/chosen", "wanda", tmp_path) as said:
        until("it works", lambda: counts(house, "chosen")["done"] == 3 or _fails(said()))
    assert house.ask("HGET", "chosen:downloader_count", "wanda") == b"3"
    number = int(house.ask("GET", "warriorhq:ids"))
    assert house.ask("HGET", f"warriorhq:instances:{number}", "downloader") == b"wanda"


def _fails(said: str) -> bool:
    assert "Traceback" not in said, said
    return False
