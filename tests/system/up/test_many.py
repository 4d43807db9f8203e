"""Ten thousand uploads by one member: all are kept, and a listing costs as many pages as it has."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection
from itertools import pairwise
from typing import Any

import pytest

from holdfast.client import PAGE, Door, Place
from tests.system.running import Running, running, torrent_named, until

MANY = 10_000
CLIENTS = 8


@pytest.fixture(scope="module")
def full() -> Iterator[Running]:
    with running(changes=["logs.level=warning"]) as house:
        with house.door() as door:
            door.post("/members", {"name": "ann"})
            door.post("/members", {"name": "bob"})
        run = house.run

        def add(client: int) -> None:
            # By hand, since the commands' own client would cost more than the system that is tried.
            connection = HTTPConnection(run.here.removeprefix("http://"))
            headers = {"Authorization": f"Bearer {run.token}", "Content-Type": "application/x-bittorrent"}
            for number in range(client, MANY, CLIENTS):
                asked = f"by=ann&category=General&name=upload+{number:05}"
                body = torrent_named(f"many {number}")
                connection.request("POST", f"/api/v1/uploads?{asked}", body, headers)
                answer = connection.getresponse()
                told = answer.read()
                assert answer.status == 201, told
            connection.close()

        with ThreadPoolExecutor(CLIENTS) as pool:
            list(pool.map(add, range(CLIENTS)))
        yield house


class Counting(Door):
    """A door that remembers what it was asked."""

    def __init__(self, place: Place) -> None:
        super().__init__(place)
        self.asked: list[dict[str, Any]] = []

    def get(self, path: str, **query: Any) -> Any:
        self.asked.append(query)
        return super().get(path, **query)


@pytest.mark.parametrize("wanted", [{}, {"uploader": "ann"}, {"q": "upload 0"}, {"uploader": "bob"}])
def test_every_page_of_a_listing_is_full_and_none_is_asked_twice(
    full: Running, wanted: dict[str, str]
) -> None:
    door = Counting(Place(full.run.here, full.run.token))
    found = [upload["id"] for upload in door.items("/uploads", 0, **wanted)]
    door.close()
    assert len(found) == (0 if wanted.get("uploader") == "bob" else MANY)
    assert all(later < earlier for earlier, later in pairwise(found))
    assert len(door.asked) == max(1, -(-len(found) // PAGE))


def test_the_command_line_lists_them_all_or_as_many_as_it_is_told(full: Running) -> None:
    assert len(full.cli("upload", "list", "--limit", "0", "--json").json) == MANY
    assert len(full.cli("upload", "list", "--json").json) == 100
    assert len(full.cli("upload", "list", "--limit", "450").out.splitlines()) == 1 + 450


def test_the_live_store_knows_them_all_and_again_after_it_has_lost_them(full: Running) -> None:
    until("the live store has followed", lambda: len(full.live_uploads()) == MANY)
    known = full.live_uploads()
    assert sorted(known.values()) == list(range(1, MANY + 1))
    with full.door() as door:
        assert door.get("/overview")["counts"]["uploads"] == MANY
    assert full.stop().code == 0
    assert full.start().live_uploads() == known
