"""A running system gives no items to whom it shall not, and scripts that look into the live store see it."""

from collections.abc import Iterator

import httpx
import pytest

from tests.system.items.volunteer import Volunteer, project
from tests.system.running import PATIENCE, Running, running, until


@pytest.fixture(scope="module")
def house() -> Iterator[Running]:
    with running() as one:
        yield one


def block(house: Running, whom: str, *options: str) -> str:
    assert house.cli("items", "block", whom, "--reason", "a test", *options).code == 0
    newest, *_ = house.cli("items", "blocks", "--json").json
    return str(newest["id"])


def refuses(client: Volunteer) -> bool:
    return client.ask().status_code == 403


def test_a_name_is_blocked_in_one_project_until_it_is_lifted(house: Running) -> None:
    for slug in ("named", "free"):
        project(house, slug, *[f"item{number}" for number in range(50)])
    number = block(house, "ann", "--project", "named")
    until("it holds", lambda: refuses(Volunteer(house, "/named")))
    assert Volunteer(house, "/named", name="bobby").ask().status_code == 200
    assert Volunteer(house, "/free").ask().status_code == 200
    until("scripts see it", lambda: house.ask("SISMEMBER", "named:blocked", "ann"))
    assert house.cli("items", "unblock", number).code == 0
    until("scripts see that it is lifted", lambda: not house.ask("SISMEMBER", "named:blocked", "ann"))
    until("it is lifted", lambda: Volunteer(house, "/named").ask().status_code == 200)
    assert house.cli("items", "blocks", "--json").json == []


@pytest.mark.parametrize("whom", ["127.0.0.1", "127.0.0.0/8"])
def test_an_address_or_a_network_is_blocked_everywhere(house: Running, whom: str) -> None:
    slug = f"everywhere-{len(whom)}"
    project(house, slug, *[f"item{number}" for number in range(50)], rescue=True)
    number = block(house, whom)
    until("it holds", lambda: refuses(Volunteer(house, f"/{slug}")))
    place = f"{house.run.here}/{slug}/rescue-me"
    form = httpx.post(place, data={"items": "new"}, timeout=PATIENCE, trust_env=False)
    assert form.status_code == 403
    assert house.cli("items", "unblock", number).code == 0
    until("it is lifted", lambda: Volunteer(house, f"/{slug}").ask().status_code == 200)


def test_a_block_ends_by_itself_and_what_was_claimed_is_reported_all_the_same(house: Running) -> None:
    project(house, "short", "aa", "bb")
    client = Volunteer(house, "/short")
    item = client.ask().text
    block(house, "ann", "--project", "short", "--hours", str(6 / 3600))
    until("it holds", lambda: refuses(client))
    assert client.ask("done", item=item, bytes={}).text == "OK"
    until("it has ended", lambda: client.ask().status_code == 200)
    assert house.cli("items", "blocks", "--project", "short", "--json").json == []


def test_a_block_and_its_end_are_audited(house: Running) -> None:
    number = block(house, "carol")
    house.cli("items", "unblock", number)
    with house.door() as door:
        for action, side in (("block.add", "after"), ("block.lift", "before")):
            entry, *_ = door.items("/audit", 1, action=action)
            assert (entry["target_name"], entry[side]["reason"]) == ("carol", "a test")
    assert "There is no block" in house.cli("items", "unblock", number).sentence


def test_nobody_is_blocked_by_nonsense(house: Running) -> None:
    assert "nobody who could be blocked" in house.cli("items", "block", "a b", "--reason", "x").sentence
    past = house.cli("items", "block", "ann", "--reason", "x", "--hours", "0")
    assert "in the future" in past.sentence
