"""What volunteers report is heard as it happens, on the channel that scripts know and by pages."""

import json
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import hiredis
import pytest
from websockets.sync.client import ClientConnection, connect

from tests.system.items.volunteer import Volunteer, project
from tests.system.running import PATIENCE, Running, running


@pytest.fixture(scope="module")
def house() -> Iterator[Running]:
    with running() as one:
        yield one


class Listener:
    """A script that listens to a channel of the live store."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._reader = hiredis.Reader()

    def next(self) -> Any:
        while (reply := self._reader.gets()) is False:
            self._reader.feed(self._connection.recv(1 << 16))
        return reply

    def report(self) -> dict[str, Any]:
        *_, data = self.next()
        said: dict[str, Any] = json.loads(data)
        return said


@contextmanager
def listening(house: Running) -> Iterator[Listener]:
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(PATIENCE)
        connection.connect(house.run.live.removeprefix("embedded, "))
        connection.sendall(hiredis.pack_command(("SUBSCRIBE", "tracker-log")))  # type: ignore[arg-type]
        listener = Listener(connection)
        listener.next()
        yield listener


def heard(page: ClientConnection) -> dict[str, Any]:
    """What a page is told, past what tells it that it may have missed something."""
    while "topic" not in (said := json.loads(page.recv(PATIENCE))):
        pass
    told: dict[str, Any] = said
    return told


def test_a_script_hears_each_report_as_it_always_did(house: Running) -> None:
    project(house, "heard", "aa", "bb")
    client = Volunteer(house, "/heard", agent="ArchiveTeam Warrior/0.10.3 Standalone")
    item = client.ask().json()["item_name"]
    with listening(house) as script:
        for again in (False, True):
            client.ask("done", item=item, bytes={"web": 3 << 20}, version="7")
            assert script.report() == {
                "downloader": "ann",
                "user_agent": "ArchiveTeam Warrior/0.10.3 Standalone",
                "item": item,
                "megabytes": 3.0,
                "domain_bytes": {"web": 3 << 20},
                "version": "7",
                "log_channel": "heard-log",
                "is_duplicate": again,
                "counts": {"todo": 1, "out": 0, "done": 1},
            }


def test_a_report_that_finished_nothing_is_told_to_nobody(house: Running) -> None:
    project(house, "quiet", "aa")
    client = Volunteer(house, "/quiet")
    item = client.ask().text
    with listening(house) as script:
        client.ask("done", item="no such item", bytes={})
        client.ask("done", item=item, bytes={})
        assert script.report()["item"] == item


def test_a_page_hears_a_few_of_many_and_how_many_more_there_were(house: Running) -> None:
    project(house, "busy", *[f"item{number}" for number in range(60)])
    client = Volunteer(house, "/busy/multi=60")
    items = client.ask().json()["items"]
    place = house.run.here.replace("http", "ws") + "/api/v1/live"
    headers = {"Authorization": f"Bearer {house.run.token}"}
    with connect(place, additional_headers=headers) as page:
        page.send(json.dumps({"subscribe": ["items"]}))
        while "subscribed" not in (said := json.loads(page.recv(PATIENCE))):
            pass
        assert said == {"subscribed": ["items"], "refused": []}
        for item in items:
            Volunteer(house, "/busy").ask("done", item=item, bytes={"web": 1})
        found = 0
        while found < len(items):
            told = heard(page)
            assert (told["event"], told["data"]["project"]) == ("items.reported", "busy")
            assert len(told["data"]["reports"]) <= 20
            found += len(told["data"]["reports"]) + told["data"]["more"]
    assert found == len(items)
    assert told["data"]["counts"]["done"] == len(items)
