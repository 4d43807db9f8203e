"""Group commit on SQLite: strangers share a transaction and nothing else."""

import asyncio
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import Connection, event
from sqlalchemy.exc import IntegrityError, OperationalError

from holdfast.errors import ConflictError, UnavailableError
from holdfast.store.records import Records
from holdfast.store.records.engine import records_address
from holdfast.store.records.writer import LARGEST_GROUP
from tests.conftest import opened
from tests.store.records.rows import adding, kept

Work = Callable[[Connection], Any]


@pytest.fixture
def sqlite_file(migrated_sqlite: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(migrated_sqlite, tmp_path / "records.sqlite"))


@pytest.fixture
def sqlite(sqlite_file: Path) -> Iterator[Records]:
    with opened(records_address("sqlite", sqlite_file.parent), wait=0.2) as records:
        yield records


def at_once(records: Records, works: list[Work]) -> list[Any]:
    async def gathered() -> list[Any]:
        return await asyncio.gather(*map(records.write, works), return_exceptions=True)

    return asyncio.run(gathered())


def statements(records: Records) -> list[str]:
    """What is sent to SQLite from now on, savepoints left out."""
    sent: list[str] = []

    @event.listens_for(records.engine, "commit")
    def commit(_: Connection) -> None:
        sent.append("COMMIT")

    @event.listens_for(records.engine, "before_cursor_execute")
    def before(_c: object, _cursor: object, statement: str, *_: object) -> None:
        sent.append(statement)

    return sent


def failing(name: str) -> Work:
    def fail(tx: Connection) -> None:
        adding(name)(tx)
        raise ConflictError(f"{name} fails.")

    return fail


def test_writes_that_wait_together_share_one_commit(sqlite: Records) -> None:
    sent = statements(sqlite)
    assert at_once(sqlite, [adding(f"row {n}") for n in range(10)]) == [f"row {n}" for n in range(10)]
    assert sent.count("COMMIT") == 1
    assert sent.count("BEGIN IMMEDIATE") == 1
    assert kept(sqlite) == [f"row {n}" for n in range(10)]


def test_a_group_has_an_end(sqlite: Records) -> None:
    sent = statements(sqlite)
    at_once(sqlite, [lambda _: None] * (LARGEST_GROUP + 1))
    assert sent.count("COMMIT") == 2


def test_work_that_fails_is_undone_alone(sqlite: Records) -> None:
    answers = at_once(sqlite, [adding("before"), failing("between"), adding("after"), adding("before")])
    assert answers[0] == "before"
    assert isinstance(answers[1], ConflictError)
    assert answers[2] == "after"
    assert isinstance(answers[3], IntegrityError)
    assert kept(sqlite) == ["before", "after"]


def test_work_that_asks_for_what_is_not_there_fails_alone(sqlite: Records) -> None:
    """SQLite calls a missing table an operational error; it is a fault in that work and in no other."""
    answers = at_once(
        sqlite, [adding("before"), lambda tx: tx.execute(sa.text("SELECT 1 FROM nowhere")), adding("after")]
    )
    assert answers[0] == "before"
    assert isinstance(answers[1], OperationalError)
    assert answers[2] == "after"
    assert kept(sqlite) == ["before", "after"]


def test_work_that_stops_an_iteration_is_told_like_any_other_failure(sqlite: Records) -> None:
    """A future cannot carry a StopIteration, and neighbours must not wait for ever because of it."""

    def take_the_first(_: Connection) -> Any:
        return next(iter(()))

    answers = at_once(sqlite, [adding("before"), take_the_first, adding("after")])
    assert answers[0] == "before"
    assert isinstance(answers[1], RuntimeError)
    assert answers[2] == "after"


def test_nobody_is_answered_before_the_commit(sqlite: Records, sqlite_file: Path) -> None:
    seen: list[tuple[str, int]] = []

    def from_outside() -> int:
        with sqlite3.connect(sqlite_file) as connection:
            count = connection.execute("SELECT count(*) FROM category WHERE name <> 'General'").fetchone()[0]
        connection.close()
        return int(count)

    async def write(name: str) -> None:
        await sqlite.write(adding(name))
        seen.append((name, from_outside()))

    async def both() -> None:
        await asyncio.gather(write("one"), write("two"))

    asyncio.run(both())
    assert seen == [("one", 2), ("two", 2)]


def test_when_the_commit_fails_everybody_in_the_group_hears_of_it(sqlite: Records) -> None:
    @event.listens_for(sqlite.engine, "commit", once=True)
    def fail(_: Connection) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    answers = at_once(sqlite, [adding("one"), failing("two"), adding("three")])
    assert all(isinstance(answer, Exception) for answer in answers)
    assert kept(sqlite) == []
    assert at_once(sqlite, [adding("one")]) == ["one"]


def test_a_busy_database_is_told_as_such_and_tried_again_by_the_next(
    sqlite: Records, sqlite_file: Path
) -> None:
    other = sqlite3.connect(sqlite_file, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    answers = at_once(sqlite, [adding("one"), adding("two")])
    assert [type(answer) for answer in answers] == [UnavailableError, UnavailableError]
    assert "busy" in str(answers[0])
    assert str(sqlite_file) in str(answers[0])
    other.execute("ROLLBACK")
    other.close()
    assert at_once(sqlite, [adding("one")]) == ["one"]


def test_a_writer_says_so_from_the_start(sqlite: Records, sqlite_file: Path) -> None:
    """Having read first, it would fail whenever somebody else wrote in between."""

    def read_then_write(tx: Connection) -> str:
        tx.execute(sa.text("SELECT count(*) FROM category")).scalar_one()
        other = sqlite3.connect(sqlite_file, timeout=0)
        with pytest.raises(sqlite3.OperationalError, match="locked"):
            other.execute("INSERT INTO category (name, name_key, points) VALUES ('x', 'x', 0)")
        other.close()
        return adding("mine")(tx)

    assert sqlite.write_now(read_then_write) == "mine"
    assert at_once(sqlite, [lambda tx: tx.execute(sa.text("DELETE FROM category WHERE name = 'mine'"))])
    assert at_once(sqlite, [read_then_write]) == ["mine"]


def test_readers_go_on_while_a_writer_writes(sqlite: Records) -> None:
    def read_from_beside(tx: Connection) -> list[str]:
        adding("uncommitted")(tx)
        return kept(sqlite)

    assert sqlite.write_now(read_from_beside) == []


def test_savepoints_inside_the_work_are_its_own(sqlite: Records) -> None:
    def try_and_go_on(tx: Connection) -> None:
        adding("kept")(tx)
        with pytest.raises(IntegrityError), tx.begin_nested():
            adding("kept")(tx)
        adding("also")(tx)

    at_once(sqlite, [try_and_go_on, adding("neighbour")])
    assert kept(sqlite) == ["kept", "also", "neighbour"]


@settings(max_examples=20)
@given(plan=st.lists(st.tuples(st.booleans(), st.integers(0, 5)), max_size=25))
def test_whoever_was_answered_is_kept_and_nobody_else(
    migrated_sqlite: Path, tmp_path_factory: pytest.TempPathFactory, plan: list[tuple[bool, int]]
) -> None:
    folder = tmp_path_factory.mktemp("group")
    shutil.copy(migrated_sqlite, folder / "records.sqlite")
    works = [adding(f"name {n}") if good else failing(f"name {n}") for good, n in plan]
    with opened(records_address("sqlite", folder)) as records:
        answers = at_once(records, works)
        assert sorted(a for a in answers if isinstance(a, str)) == sorted(kept(records))
        wanted = {f"name {n}" for good, n in plan if good}
        assert set(kept(records)) == wanted
