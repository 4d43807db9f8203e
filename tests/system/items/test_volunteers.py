"""A running system serves volunteers' clients of every generation, as they are."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import httpx
import pytest

from tests.system.items.clients import need_seesaw, pipeline
from tests.system.items.volunteer import Volunteer, counts, project
from tests.system.running import PATIENCE, Running, running, until

OLD, NEW = "ArchiveTeam Warrior/0.0.12 Standalone", "ArchiveTeam Warrior/0.10.3 Standalone"
YEAR = "ArchiveTeam Warrior/20260101.01 Standalone"


@pytest.fixture(scope="module")
def house() -> Iterator[Running]:
    with running() as one:
        one.cli("items", "new", "seed", "--title", "As the seed has it", "--default")
        one.cli("items", "state", "seed", "active")
        yield one


def test_the_seed_s_own_addresses_serve_the_default_project(house: Running) -> None:
    with house.door() as door:
        door.post("/projects/seed/items", {"items": ["aa"]})
    seed = Volunteer(house, "")
    given = seed.ask()
    assert (given.status_code, given.text) == (200, "aa")
    done = seed.ask("done", item="aa", bytes={"web": 12}, version="1", id="abc")
    assert (done.status_code, done.content) == (200, b"OK"), "of exactly two characters"
    nothing = seed.ask()
    assert (nothing.status_code, nothing.content) == (404, b"")
    house.ask("SET", "requests_per_minute", 0)
    with house.door() as door:
        door.post("/projects/seed/items", {"items": ["bb"]})
    limited = seed.ask()
    assert (limited.status_code, limited.content) == (420, b"")


def test_a_bare_name_for_old_clients_and_json_for_new_ones(house: Running) -> None:
    project(house, "forms", *[f"item{number}" for number in range(9)])
    assert Volunteer(house, "/forms", agent=OLD).ask().text.startswith("item")
    for client, said in (
        (Volunteer(house, "/forms", agent=NEW), {}),
        (Volunteer(house, "/forms"), {"api_version": "2"}),
        (Volunteer(house, "/forms/multi=2"), {}),
        (Volunteer(house, "/forms/multi=2/"), {}),
    ):
        given = client.ask(**said).json()
        assert given["item_name"] == "\0".join(given["items"])
        assert given["queues"] == ["todo"] * len(given["items"])


def test_many_items_are_reported_joined_and_fewer_than_were_claimed_may_be(house: Running) -> None:
    project(house, "many", *[f"item{number}" for number in range(5)])
    client = Volunteer(house, "/many/multi=5/", agent=NEW)
    items = client.ask().json()["items"]
    assert Volunteer(house, "/many").ask("done", item="\0".join(items[:3]), bytes={"web": 9}).text == "OK"
    assert counts(house, "many") == {"todo": 0, "out": 2, "done": 3, "failed": 0, "added": 5}


def test_a_project_that_names_a_limit_says_so_in_the_other_number(house: Running) -> None:
    project(house, "limits", "aa")
    house.ask("SET", "limits:requests_per_minute", 0)
    assert Volunteer(house, "/limits").ask().status_code == 429
    house.ask("DEL", "limits:requests_per_minute")
    house.ask("SADD", "limits:blocked", "ann")
    assert Volunteer(house, "/limits").ask().status_code == 403
    assert Volunteer(house, "/limits", name="bobby").ask().status_code == 200


def test_old_versions_are_told_so(house: Running) -> None:
    project(house, "versions", "aa", "bb")
    with house.door() as door:
        door.patch(
            "/projects/versions", {"minimum_version": "20260101.01", "refused_versions": ["20260102.01"]}
        )
    client = Volunteer(house, "/versions")
    until("the new rule holds", lambda: client.ask().status_code == 455)
    assert client.ask(version="20251231.99").status_code == 455
    assert client.ask(version="20260102.01").status_code == 455
    assert client.ask(version="20260103.01").status_code == 200


@pytest.mark.parametrize(
    ("state", "status"), [("paused", 429), ("draining", 404), ("archived", 404), ("draft", 404)]
)
def test_only_an_active_project_gives_items_out(house: Running, state: str, status: int) -> None:
    slug = f"state-{state}"
    project(house, slug, "aa", state=state)
    assert until("it is known", lambda: Volunteer(house, f"/{slug}").ask().status_code) == status


def test_what_was_claimed_before_a_project_drains_is_still_reported(house: Running) -> None:
    project(house, "draining", "aa", "bb")
    client = Volunteer(house, "/draining")
    item = client.ask().text
    house.cli("items", "state", "draining", "draining")
    until("it drains", lambda: client.ask().status_code == 404)
    assert client.ask("done", item=item, bytes={}).text == "OK"
    assert counts(house, "draining")["done"] == 1


def test_an_item_that_nobody_knows_wedges_no_client(house: Running) -> None:
    project(house, "unknown", "aa")
    client = Volunteer(house, "/unknown")
    assert client.ask("done", item="nothing of ours", bytes={}).text == "OK"
    with house.door() as door:
        door.patch("/projects/unknown", {"unknown": "invalid"})
    until("the new rule holds", lambda: client.ask("done", item="x", bytes={}).text == "Invalid item.")


def test_bytes_of_domains_that_the_project_has_not_change_nothing(house: Running) -> None:
    project(house, "domains", "aa")
    with house.door() as door:
        door.patch("/projects/domains", {"domains": {"web": "The web"}})
    client = Volunteer(house, "/domains")
    item = client.ask().text
    until(
        "the new rule holds",
        lambda: client.ask("done", item="x", bytes={"other": 1}).text == "OK",
    )
    assert client.ask("done", item=item, bytes={"other": 1}).text == "OK"
    assert counts(house, "domains")["out"] == 1
    assert client.ask("done", item=item, bytes={"web": 1}).text == "OK"
    assert counts(house, "domains")["done"] == 1


def test_items_are_handed_back_by_their_holder_alone(house: Running) -> None:
    project(house, "release", "aa", "bb")
    items = Volunteer(house, "/release/multi=2/").ask().json()["items"]
    other = Volunteer(house, "/release", name="bobby").ask("release", items=items)
    assert other.json() == {"items": []}
    own = Volunteer(house, "/release").ask("release", items=items)
    assert set(own.json()) == {"items"}, "one more key and the client would not take it"
    assert sorted(own.json()["items"]) == ["aa", "bb"]


def test_a_client_of_this_year_names_no_form_and_gets_json(house: Running) -> None:
    project(house, "newest", "aa", "bb", "cc")
    claims = Volunteer(house, "/newest/multi=3", agent=YEAR)
    given = claims.ask(version="20260101.01").json()
    assert sorted(given["items"]) == ["aa", "bb", "cc"]
    assert given["item_name"].split("\0") == given["items"]
    assert given["queues"] == ["todo"] * 3
    client = Volunteer(house, "/newest", agent=YEAR)
    refused = given["items"][:1]
    back = client.ask("release", version="20260101.01", items=refused)
    assert back.json() == {"items": refused}
    kept = "\0".join(given["items"][1:])
    assert (
        client.ask("done", item=kept, bytes={"data": 7}, version="20260101.01", id={"lua": "x"}).text == "OK"
    )
    assert counts(house, "newest") == {"todo": 1, "out": 0, "done": 2, "failed": 0, "added": 3}
    assert client.ask(version="20260101.01").json()["items"] == refused, "one, where it names no number"
    assert client.ask(version="20260101.01").status_code == 404


def test_what_a_project_adds_to_its_items_is_answered_with_them(house: Running) -> None:
    extras = {"url": "https://one.example/{item}", "parts": "{items}", "depth": 3}
    project(house, "extras", "aa", extras=extras)
    client = Volunteer(house, "/extras", agent=NEW)
    given = until("it is known", lambda: (said := client.ask()).status_code == 200 and said.json())
    assert (given["url"], given["parts"], given["depth"]) == ("https://one.example/aa", ["aa"], 3)
    assert given["item_name"] == "aa"


def test_an_older_client_hands_back_one_and_gets_a_word(house: Running) -> None:
    project(house, "old-release", "aa")
    item = Volunteer(house, "/old-release").ask().text
    assert Volunteer(house, "/old-release", name="bobby").ask("release", item=item).text == "Invalid item."
    assert Volunteer(house, "/old-release").ask("release", item=item).text == "Released OK.\n"


def test_an_item_that_failed_goes_to_another_and_after_too_many_to_staff(house: Running) -> None:
    project(house, "failing", "aa")
    with house.door() as door:
        door.patch("/projects/failing", {"attempts": 2})
    client = Volunteer(house, "/failing")
    until("the new rule holds", lambda: _fails(client) and counts(house, "failing")["failed"])
    assert client.ask().status_code == 404
    assert house.ask("HGET", "failing:x:failed", "aa") == b"it is gone"


def _fails(client: Volunteer) -> bool:
    item = client.ask().text
    failed: bool = client.ask("fail", items=[item], reason="it is gone").json() == {"items": [item]}
    return failed


def test_a_sign_of_life_is_taken_from_the_holder_alone(house: Running) -> None:
    project(house, "beating", "aa")
    item = Volunteer(house, "/beating").ask().text
    before = float(house.ask("ZSCORE", "beating:out", item))
    assert Volunteer(house, "/beating", name="bobby").ask("heartbeat", items=[item]).json() == {"items": []}
    assert Volunteer(house, "/beating").ask("heartbeat", items=[item]).json() == {"items": [item]}
    assert float(house.ask("ZSCORE", "beating:out", item)) > before


def test_everybody_may_read_how_a_project_stands(house: Running) -> None:
    project(house, "board", "aa", "bb", "cc")
    client = Volunteer(house, "/board")
    item = client.ask().text
    client.ask("done", item=item, bytes={"web": 12, "api": 3}, version="20260101.01")
    taken = client.ask().text
    read = partial(_read, house, "/board")
    stats = read("stats.json")
    assert stats["counts"] == {"todo": 1, "out": 1, "done": 1}
    assert (stats["total_items"], stats["total_items_done"], stats["total_bytes"]) == (3, 1, 15)
    assert stats["downloader_bytes"] == {"ann": 15}
    assert stats["downloader_count"] == {"ann": 1}
    assert stats["domain_bytes"] == {"web": 12, "api": 3}
    charts = read("charts.json")
    assert [total for _, total in charts["items_done_chart"]] == [1]
    assert [total for _, total in charts["downloader_chart"]["ann"]] == [15]
    assert read("update-status.json")["downloader_version"] == {"ann": "20260101.01"}
    assert read(f"items/{taken}.json") == {"status": "out", "downloader": "ann"}
    assert read("items/nothing.json") == {"status": None}
    until("it is in the records", lambda: house.ask("SCARD", "board:done") == 0)
    assert read(f"items/{item}.json") == {"status": "done"}


def _read(house: Running, place: str, what: str) -> Any:
    return httpx.get(f"{house.run.here}{place}/{what}", timeout=PATIENCE, trust_env=False).json()


def test_done_and_request_in_one(house: Running) -> None:
    project(house, "both", "aa", "bb")
    client = Volunteer(house, "/both")
    first = client.ask().text
    second = client.ask("done+request", item=first, bytes={}).text
    assert {first, second} == {"aa", "bb"}
    assert counts(house, "both") == {"todo": 0, "out": 1, "done": 1, "failed": 0, "added": 2}


@pytest.mark.parametrize(
    "body", [b"", b"no json", b"[]", b'{"downloader": "a b"}', b'{"downloader": "ann\\nbob"}', b"\xff\xfe"]
)
def test_nonsense_is_refused_in_a_sentence_and_changes_nothing(house: Running, body: bytes) -> None:
    for command in ("request", "done", "release"):
        said = httpx.post(f"{house.run.here}/{command}", content=body, timeout=PATIENCE, trust_env=False)
        assert said.status_code == 400
        assert said.text.endswith(".\n")


def test_a_project_that_is_not_there_is_not_found(house: Running) -> None:
    assert Volunteer(house, "/nowhere").ask().status_code == 404


@pytest.mark.parametrize("multi", ["", "multi=3/"])
def test_seesaw_takes_items_through_a_whole_pipeline(house: Running, multi: str) -> None:
    need_seesaw()
    slug = f"seesaw-{len(multi)}"
    project(house, slug, *[f"item{number}" for number in range(6)])
    said = pipeline(f"{house.run.here}/{slug}", "ann", items=2, multi=multi)
    many = 3 if multi else 1
    assert said.count("Tracker confirmed item") == 2, said
    assert counts(house, slug) == {"todo": 6 - 2 * many, "out": 0, "done": 2 * many, "failed": 0, "added": 6}
    assert house.ask("HGET", f"{slug}:downloader_bytes", "ann") == b"%d" % (200 * many)
    assert house.ask("HGET", f"{slug}:downloader_version", "ann") == b"20260101.01"
