"""Records: whole or not at all, answered when durable, and the same on both databases."""

import asyncio
import contextvars
import threading
from pathlib import Path

import pytest
import sqlalchemy as sa
from sqlalchemy import Connection
from sqlalchemy.exc import IntegrityError

from holdfast.catalogue.tables import category
from holdfast.errors import ConflictError, UnavailableError
from holdfast.store.records import Records, open_records
from holdfast.store.records.engine import RecordsAddress, records_address, still_there
from tests.conftest import opened
from tests.store.records.rows import adding, kept, names


def test_what_was_written_is_read(records: Records) -> None:
    async def both() -> list[str]:
        assert await records.write(adding("film")) == "film"
        return await records.read(names)

    assert asyncio.run(both()) == ["film"]
    assert kept(records) == ["film"]


def test_without_an_event_loop_it_is_the_same(records: Records) -> None:
    assert records.write_now(adding("film")) == "film"
    assert kept(records) == ["film"]


@pytest.mark.parametrize("with_loop", [True, False], ids=["write", "write_now"])
def test_work_that_fails_leaves_nothing_behind(records: Records, with_loop: bool) -> None:
    def half(tx: Connection) -> None:
        adding("half")(tx)
        raise ConflictError("The second half is missing.")

    write = (lambda work: asyncio.run(records.write(work))) if with_loop else records.write_now
    with pytest.raises(ConflictError, match="second half"):
        write(half)
    assert kept(records) == []


def test_a_reader_who_writes_changes_nothing(records: Records) -> None:
    records.read_now(adding("stowaway"))
    assert kept(records) == []


def test_a_fault_of_ours_is_not_dressed_up_as_the_databases(records: Records) -> None:
    records.write_now(adding("film"))
    with pytest.raises(IntegrityError):
        records.write_now(adding("film"))
    with pytest.raises(IntegrityError):
        asyncio.run(records.write(adding("film")))
    assert kept(records) == ["film"]


def test_a_row_that_quotes_the_words_of_a_fault_is_no_fault(records: Records) -> None:
    """PostgreSQL repeats the offending row in its message, whatever a member has written there."""
    records.write_now(adding("a malformed disk is full"))
    with pytest.raises(IntegrityError):
        records.write_now(adding("a malformed disk is full"))


def test_foreign_keys_are_kept_on_both_databases(records: Records) -> None:
    query = sa.text("INSERT INTO member_role (member_id, role) VALUES (77, 'member')")
    with pytest.raises(IntegrityError):
        records.write_now(lambda tx: tx.execute(query))


def test_the_work_sees_the_callers_context(records: Records) -> None:
    request: contextvars.ContextVar[str] = contextvars.ContextVar("request")

    async def asked(name: str) -> tuple[str, str]:
        request.set(name)
        return await records.write(lambda _: request.get()), await records.read(lambda _: request.get())

    async def both() -> list[tuple[str, str]]:
        return [*await asyncio.gather(asked("first"), asked("second"))]

    assert asyncio.run(both()) == [("first", "first"), ("second", "second")]


def test_work_runs_beside_the_event_loop(records: Records) -> None:
    async def where() -> set[int]:
        here = lambda _: threading.get_ident()  # noqa: E731
        return {await records.read(here), await records.write(here)}

    assert threading.get_ident() not in asyncio.run(where())


def test_a_reader_on_sqlite_sees_one_moment_while_others_write(sqlite_address: RecordsAddress) -> None:
    """PostgreSQL answers each statement as of when it began, so no work may rely on more."""
    with opened(sqlite_address) as records, opened(sqlite_address) as other:

        def look_twice(tx: Connection) -> list[list[str]]:
            first = names(tx)
            other.write_now(adding("meanwhile"))
            return [first, names(tx)]

        assert records.read_now(look_twice) == [[], []]
        assert kept(records) == ["meanwhile"]


def test_a_caller_who_is_cancelled_takes_nobody_along(records: Records) -> None:
    async def many() -> list[str | BaseException]:
        tasks = [asyncio.create_task(records.write(adding(f"row {n}"))) for n in range(20)]
        await asyncio.sleep(0)
        for task in tasks[::3]:
            task.cancel()
        return await asyncio.gather(*tasks, return_exceptions=True)

    answers = asyncio.run(many())
    for n, answer in enumerate(answers):
        assert isinstance(answer, asyncio.CancelledError) if n % 3 == 0 else answer == f"row {n}"
    assert {f"row {n}" for n in range(20) if n % 3} <= set(kept(records))
    asyncio.run(records.write(adding("afterwards")))
    assert "afterwards" in kept(records)


def test_closing_waits_for_what_was_asked(address: RecordsAddress) -> None:
    async def ask_and_close() -> list[str]:
        records = open_records(address)
        writes = [asyncio.create_task(records.write(adding(f"row {n}"))) for n in range(5)]
        await asyncio.sleep(0)
        await records.close()
        return await asyncio.gather(*writes)

    assert asyncio.run(ask_and_close()) == [f"row {n}" for n in range(5)]
    with opened(address) as records:
        assert sorted(kept(records)) == [f"row {n}" for n in range(5)]


def test_many_writers_at_once_lose_nothing(address: RecordsAddress) -> None:
    async def many(records: Records, mark: str) -> None:
        async with asyncio.TaskGroup() as tasks:
            for n in range(50):
                tasks.create_task(records.write(adding(f"{mark} {n}")))

    async def both() -> None:
        async with open_records(address) as one, open_records(address) as two:
            await asyncio.gather(many(one, "one"), many(two, "two"))

    asyncio.run(both())
    with opened(address) as records:
        assert set(kept(records)) == {f"{mark} {n}" for mark in ("one", "two") for n in range(50)}


def test_records_that_answer_are_there(records: Records) -> None:
    assert still_there(records) is None


def test_records_that_cannot_be_opened_say_so(tmp_path: Path) -> None:
    with opened(records_address("sqlite", tmp_path / "nowhere")) as records:
        said = still_there(records)
        assert said is not None
        assert "cannot be opened" in said
        assert str(tmp_path) in said
        with pytest.raises(UnavailableError, match="cannot be opened"):
            records.write_now(adding("film"))


def test_the_address_is_shown_without_its_password(tmp_path: Path) -> None:
    address = records_address("postgresql://holdfast:hush@127.0.0.1:5/records", tmp_path)
    assert "hush" not in str(address)
    assert "127.0.0.1" in str(address)
    with opened(address, wait=1.0) as records:
        said = still_there(records)
    assert said is not None
    assert "hush" not in said
    assert "do not answer" in said


def test_sqlite_is_the_file_in_the_data_folder(tmp_path: Path) -> None:
    assert records_address("sqlite", tmp_path).url.database == str(tmp_path / "records.sqlite")


def test_a_pool_that_stays_busy_is_told_with_the_setting_to_raise(postgresql_address: RecordsAddress) -> None:
    with opened(postgresql_address, pool=1, wait=0.05) as records:

        def inside(tx: Connection) -> None:
            tx.execute(sa.select(category.c.id)).all()
            records.read_now(names)

        with pytest.raises(UnavailableError, match=r"records\.pool"):
            records.read_now(inside)
        assert kept(records) == []


def test_sqlite_answers_a_commit_when_it_is_on_the_disk(sqlite_address: RecordsAddress) -> None:
    """As PostgreSQL does by its own default."""
    with opened(sqlite_address) as records:

        def pragmas(tx: Connection) -> list[object]:
            asked = ("journal_mode", "synchronous", "foreign_keys")
            return [tx.exec_driver_sql(f"PRAGMA {one}").scalar_one() for one in asked]

        full = 2
        assert records.read_now(pragmas) == ["wal", full, 1]
