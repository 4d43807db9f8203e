"""What is done leaves the live store for the records, each line once, whoever dies in between."""

import gzip
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import Connection, func, select

from holdfast.items.model import Project, State
from holdfast.items.service.drain import Drain
from holdfast.items.service.filling import Filling
from holdfast.items.store import done, projects
from holdfast.items.store.archive import Archive
from holdfast.items.tables import item_done, item_story, log_piece, volunteer_day
from holdfast.store.records import Records
from tests.catalogue.ground import Ground
from tests.servers import RunningServer
from tests.system.items.live_project import LiveProject

SOON = 1_800_000_000.0


@pytest.fixture
def project(ground: Ground) -> Project:
    return ground.change(projects.add, "demo", "Demo", {"state": State.ACTIVE})


@pytest.fixture
def live(live_server: RunningServer) -> Iterator[LiveProject]:
    with LiveProject(live_server) as one:
        yield one


class House:
    """One clerk's drain over a project; several of these are several clerks."""

    def __init__(self, records: Records, live: LiveProject, project: Project, folder: Path) -> None:
        self.archive = Archive(folder, "here")
        self.drain = Drain(records, live.store, self.archive)
        self._records, self._live, self._project, self._folder = records, live, project, folder

    def die_before_telling(self) -> None:
        """Lines are entered, and the process dies before it tells the live store."""
        first, lines = self._live.run(self.drain.read(self._project))
        if lines:
            assert self._live.run(self.drain.enter(self._project, first, lines))

    def drain_all(self) -> int:
        return self._live.run(self.drain.drain(self._project))

    def done(self) -> set[str]:
        return self._records.read_now(lambda tx: set(tx.execute(select(item_done.c.item)).scalars()))

    def tallied(self) -> tuple[int, int]:
        def sums(tx: Connection) -> tuple[int, int]:
            both = select(func.sum(volunteer_day.c["items"]), func.sum(volunteer_day.c.bytes))
            query = both.where(volunteer_day.c.project_id == self._project.id)
            items, total = tx.execute(query).one()
            return int(items or 0), int(total or 0)

        return self._records.read_now(sums)

    def lines(self) -> list[str]:
        """Every line of the files, as any tool reads them."""
        files = sorted(self._folder.rglob("*.gz"))
        return [line.decode() for file in files for line in gzip.decompress(file.read_bytes()).splitlines()]


@pytest.fixture
def house(records: Records, live: LiveProject, project: Project, tmp_path: Path) -> House:
    return House(records, live, project, tmp_path / "items")


def test_finished_items_and_the_log_move_to_the_records_and_leave_memory(
    live: LiveProject, house: House
) -> None:
    live.add("aa", "bb", "cc")
    live.report("ann", *live.take("ann", 2), counted={"web": 7})
    assert house.drain_all() == 1
    assert live.counts().done == 2
    assert live.ask("SCARD", "done") == 0
    assert live.ask("LLEN", "log") == 0
    assert len(house.done()) == 2
    assert house.tallied() == (2, 7)
    assert [json.loads(line)["by"] for line in house.lines()] == ["ann"]
    assert house.drain_all() == 0


def test_claims_that_ended_otherwise_are_told_too(live: LiveProject, house: House, records: Records) -> None:
    live.add("aa")
    live.take("ann")
    live.release("ann", "aa")
    live.take("bobby")
    live.release("bobby", "aa", why="it is gone", attempts=9)
    live.take("carol1")
    live.expire()
    house.drain_all()
    rows = records.read_now(lambda tx: tx.execute(select(item_story).order_by(item_story.c.id)).all())
    assert [(row.item, row.what, row.name, row.why) for row in rows] == [
        ("aa", "released", "ann", ""),
        ("aa", "failed", "bobby", "it is gone"),
        ("aa", "expired", "carol1", ""),
    ]


def test_where_the_live_store_was_not_told_before_a_death_nothing_doubles(
    live: LiveProject, house: House
) -> None:
    live.add("aa", "bb")
    live.report("ann", *live.take("ann", 2))
    house.die_before_telling()
    live.add("cc")
    live.report("bobby", *live.take("bobby"))
    house.drain_all()
    assert house.done() == {"aa", "bb", "cc"}
    assert house.tallied() == (3, 20)
    assert len(house.lines()) == 2
    assert live.ask("SCARD", "done") == 0


def test_what_a_dead_process_left_behind_a_file_s_end_is_overwritten(
    live: LiveProject, house: House, tmp_path: Path
) -> None:
    live.add("aa", "bb")
    live.report("ann", *live.take("ann"))
    house.drain_all()
    (file,) = (tmp_path / "items").rglob("*.gz")
    with file.open("ab") as log:
        log.write(b"half a piece")
    live.report("ann", *live.take("ann"))
    house.drain_all()
    assert len(house.lines()) == 2


def test_of_two_clerks_with_the_same_lines_one_enters_them(
    live: LiveProject, house: House, records: Records, project: Project, tmp_path: Path
) -> None:
    other = House(records, live, project, tmp_path / "items")
    live.add("aa", "bb")
    live.report("ann", *live.take("ann"))
    first, second = live.run(house.drain.read(project)), live.run(other.drain.read(project))
    assert live.run(house.drain.enter(project, *first))
    assert not live.run(other.drain.enter(project, *second))
    house.drain_all()
    assert house.tallied() == (1, 10)
    assert len(house.lines()) == 1


def test_lines_that_a_lost_store_took_along_are_passed_over(
    live: LiveProject, house: House, records: Records, project: Project
) -> None:
    live.ask("SET", "x:drained", 7)
    live.add("aa")
    live.report("ann", *live.take("ann"))
    house.drain_all()
    assert house.done() == {"aa"}
    assert records.read_now(lambda tx: done.position(tx, project.id, done.LOG)) == 8


def test_lines_are_found_again_in_the_files(
    live: LiveProject, house: House, records: Records, project: Project
) -> None:
    live.add(*[f"item{number}" for number in range(10)])
    for _ in range(5):
        live.report("ann", *live.take("ann", 2))
        house.drain_all()
    pieces = records.read_now(lambda tx: done.pieces(tx, project.id, 1, 3))
    assert [piece.first for piece in pieces] == [1, 2, 3]
    assert [len(house.archive.read(piece)) for piece in pieces] == [1, 1, 1]
    assert records.read_now(lambda tx: tx.execute(select(func.count()).select_from(log_piece)).scalar()) == 5


@pytest.mark.parametrize(
    "strange", [b"no json", b"{}", b"[1]", b'{"item": "aa"}', b"\xff\xfe", b"two\nlines", b""]
)
def test_lines_that_others_wrote_are_kept_and_stop_nothing(
    live: LiveProject, house: House, strange: bytes
) -> None:
    live.ask("RPUSH", "log", strange)
    live.ask("RPUSH", "x:story", strange)
    live.add("aa", "bb")
    live.report("ann", *live.take("ann", 2))
    house.drain_all()
    assert house.done() == {"aa", "bb"}
    assert house.tallied() == (2, 10)
    assert live.ask("LLEN", "log") == live.ask("LLEN", "x:story") == 0


steps = st.lists(st.sampled_from(["claim", "report", "again", "drain", "die", "expire"]), max_size=25)


@settings(max_examples=25)
@given(steps)
def test_records_and_live_store_together_hold_every_item_once(
    valkey_of_session: RunningServer,
    tmp_path_factory: pytest.TempPathFactory,
    ground: Ground,
    played: list[str],
) -> None:
    assert valkey_of_session.ask("FLUSHALL") == b"OK"
    slug = f"demo-{tmp_path_factory.mktemp('x').name.replace('_', '-')}"
    project = ground.change(projects.add, slug, "Demo", {"state": State.ACTIVE})
    with LiveProject(valkey_of_session, slug) as live:
        house = House(ground.records, live, project, tmp_path_factory.mktemp("items"))
        items = [f"item{number}" for number in range(12)]
        live.add(*items)
        held: list[str] = []
        reported: list[str] = []
        for step in played:
            match step:
                case "claim":
                    held += live.take("ann", 2)
                case "report" if held:
                    reported.append(held.pop())
                    live.report("ann", reported[-1])
                case "again" if reported:
                    live.report("ann", reported[0])
                case "drain":
                    house.drain_all()
                case "die":
                    house.die_before_telling()
                case "expire":
                    live.expire()
        house.drain_all()
        finished = set(ground.records.read_now(lambda tx: done.known(tx, project.id, items)))
        assert finished == set(reported)
        assert live.counts().done == len(finished)
        places = live.places()
        assert set(places) | finished == set(items)
        assert not set(places) & finished
        assert house.tallied()[0] == len(finished)


def test_what_was_finished_long_ago_is_not_added_again(
    live: LiveProject, house: House, records: Records, project: Project
) -> None:
    filling = Filling(records, live.store, project)
    assert live.run(filling.fill("todo", ["aa", "bb"])) == ["aa", "bb"]
    live.report("ann", *live.take("ann", 2))
    house.drain_all()
    assert live.run(filling.would_add(["aa", "cc"])) == ["cc"]
    assert live.run(filling.fill("todo", ["aa", "bb", "cc"])) == ["cc"]
    assert live.counts().added == 3
