"""A running system sends volunteers to where they may bring what they fetched, and to nowhere else."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.system.items.clients import need_seesaw, pipeline
from tests.system.items.landing import rsync_landing, web_landing
from tests.system.items.volunteer import Volunteer, counts, project
from tests.system.running import Running, running, until


@pytest.fixture(scope="module")
def house() -> Iterator[Running]:
    with running() as one:
        yield one


def target(house: Running, slug: str, url: str, *options: str) -> int:
    assert house.cli("items", "targets", "add", slug, url, *options).code == 0
    newest: int = house.cli("items", "targets", "list", slug, "--json").json[0]["id"]
    return newest


def where(client: Volunteer) -> str | None:
    said = client.ask("upload", item_name="aa", version="1")
    assert said.headers["content-type"] == "application/json"
    found: str | None = said.json().get("upload_target")
    return found


def test_a_project_without_targets_gives_items_and_names_none(house: Running) -> None:
    project(house, "bare", "aa")
    client = Volunteer(house, "/bare")
    assert where(client) is None
    assert client.ask().text == "aa"


def test_the_volunteer_s_name_stands_in_the_target(house: Running) -> None:
    project(house, "named")
    target(house, "named", "rsync://one.example/in/:downloader")
    client = Volunteer(house, "/named", name="bobby")
    assert until("it is known", lambda: where(client)) == "rsync://one.example/in/bobby/"
    assert house.cli("items", "targets", "list", "named", "--json").json[0]["given"] >= 1


def test_while_every_target_is_held_nobody_is_left_with_a_finished_item(house: Running) -> None:
    project(house, "full", "aa")
    number = target(house, "full", "rsync://one.example/in/")
    client = Volunteer(house, "/full")
    until("it is known", lambda: where(client))
    house.cli("items", "targets", "hold", "full", str(number), "--reason", "the disk is full")
    until("it is held", lambda: where(client) is None)
    assert client.ask().status_code == 404
    assert counts(house, "full")["out"] == 0
    house.cli("items", "targets", "hold", "full", str(number), "--reason", "there is room", "--minutes", "0")
    assert until("it is well", lambda: where(client))
    assert client.ask().text == "aa"


def test_one_that_is_removed_or_switched_off_is_named_no_more(house: Running) -> None:
    project(house, "two")
    gone, stays = (target(house, "two", f"rsync://{name}.example/in/") for name in ("gone", "stays"))
    off = target(house, "two", "rsync://off.example/in/")
    assert house.cli("items", "targets", "remove", "two", str(gone)).code == 0
    assert house.cli("items", "targets", "change", "two", str(off), "--inactive").code == 0
    client = Volunteer(house, "/two")
    until("it is known", lambda: {where(client) for _ in range(20)} == {"rsync://stays.example/in/"})
    shown = house.cli("items", "targets", "list", "two", "--json").json
    assert [one["id"] for one in shown] == [off, stays]


def test_a_change_of_a_target_is_audited(house: Running) -> None:
    project(house, "seen")
    number = target(house, "seen", "rsync://one.example/in/")
    house.cli("items", "targets", "change", "seen", str(number), "--weight", "3")
    with house.door() as door:
        entry, *_ = door.items("/audit", 5, action="target.change")
    assert (entry["before"]["weight"], entry["after"]["weight"]) == (1.0, 3.0)


def test_an_upload_that_is_reported_is_kept_under_the_name_of_a_server_we_know(house: Running) -> None:
    project(house, "told")
    target(house, "told", "rsync://one.example/in/")
    client = Volunteer(house, "/told")
    until("it is known", lambda: where(client))
    for said in ({"item": "aa", "server": "one.example"}, {"user": "bb", "server": "elsewhere"}):
        assert client.ask("uploaded", uploader="ann", **said).text == "OK\n"
    (line,) = house.ask("LRANGE", "told:upload_log_one.example", 0, -1)
    assert json.loads(line)["uploader"] == "ann"
    (line,) = house.ask("LRANGE", "told:upload_log_others", 0, -1)
    assert (json.loads(line)["item"], json.loads(line)["server"]) == ("bb", "elsewhere")
    assert house.cli("items", "targets", "list", "told", "--json").json[0]["reported"] == 1


def test_seesaw_puts_what_it_fetched_to_a_web_server(house: Running) -> None:
    need_seesaw()
    project(house, "curl", "aa")
    with web_landing() as landing:
        target(house, "curl", f"{landing.url}/:downloader")
        until("it is known", lambda: where(Volunteer(house, "/curl")))
        said = pipeline(f"{house.run.here}/curl", "ann", items=1, upload=True)
    assert "Tracker confirmed item" in said, said
    assert landing.found == {"/ann/found": b"x" * 100}


def test_seesaw_brings_what_it_fetched_to_rsync(house: Running, tmp_path: Path) -> None:
    need_seesaw()
    project(house, "rsync", "aa")
    with rsync_landing(tmp_path) as (url, folder):
        target(house, "rsync", f"{url}/:downloader")
        until("it is known", lambda: where(Volunteer(house, "/rsync")))
        said = pipeline(f"{house.run.here}/rsync", "ann", items=1, upload=True)
        assert "Tracker confirmed item" in said, said
        assert [each.read_bytes() for each in folder.rglob("found")] == [b"x" * 100]
    assert counts(house, "rsync")["done"] == 1
