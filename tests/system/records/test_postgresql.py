"""PostgreSQL that goes away and comes back, and that asks us to start over."""

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
import sqlalchemy as sa
from sqlalchemy import Connection

from holdfast.catalogue.tables import category
from holdfast.errors import UnavailableError
from holdfast.store.records.engine import RecordsAddress, still_there
from tests.conftest import opened
from tests.databases import PostgreSQL
from tests.store.records.rows import adding, kept


@pytest.mark.parametrize("end", [PostgreSQL.stop, PostgreSQL.kill], ids=["stopped", "killed"])
def test_it_may_go_away_and_come_back(
    postgresql: PostgreSQL, postgresql_address: RecordsAddress, end: Callable[[PostgreSQL], None]
) -> None:
    with opened(postgresql_address) as records:
        asyncio.run(records.write(adding("before")))
        end(postgresql)
        try:
            for write in (lambda: asyncio.run(records.write(adding("lost"))), lambda: kept(records)):
                with pytest.raises(UnavailableError, match="do not answer; start PostgreSQL"):
                    write()
            assert still_there(records) is not None
        finally:
            postgresql.start()
        assert still_there(records) is None
        asyncio.run(records.write(adding("after")))
        assert kept(records) == ["before", "after"]


def test_a_write_that_it_dies_under_is_undone_and_told(
    postgresql: PostgreSQL, postgresql_address: RecordsAddress
) -> None:
    with opened(postgresql_address) as records:

        def half(tx: Connection) -> None:
            adding("half")(tx)
            postgresql.kill()
            adding("other half")(tx)

        try:
            with pytest.raises(UnavailableError, match="do not answer"):
                records.write_now(half)
        finally:
            postgresql.start()
        assert kept(records) == []


def test_a_backend_that_is_ended_in_mid_write_takes_only_that_write(
    postgresql: PostgreSQL, postgresql_address: RecordsAddress
) -> None:
    with opened(postgresql_address) as records:

        def ended(tx: Connection) -> None:
            adding("half")(tx)
            own = tx.execute(sa.text("SELECT pg_backend_pid()")).scalar_one()
            postgresql.ask(f"SELECT pg_terminate_backend({own})")
            adding("other half")(tx)

        with pytest.raises(UnavailableError, match="do not answer"):
            records.write_now(ended)
        records.write_now(adding("next"))
        assert kept(records) == ["next"]


def test_both_sides_of_a_deadlock_get_through(postgresql_address: RecordsAddress) -> None:
    with opened(postgresql_address) as records, ThreadPoolExecutor(2) as threads:
        records.write_now(adding("a"))
        records.write_now(adding("b"))
        attempts: list[str] = []
        both_hold_one = threading.Barrier(2)
        one_is_done = threading.Event()

        def raise_in_order(first: str, second: str) -> None:
            def work(tx: Connection) -> None:
                attempts.append(first)
                if attempts.count(first) > 1:
                    one_is_done.wait()
                    return raise_both(tx)
                raise_points(tx, first)
                both_hold_one.wait()
                return raise_points(tx, second)

            def raise_both(tx: Connection) -> None:
                raise_points(tx, first)
                raise_points(tx, second)

            records.write_now(work)
            one_is_done.set()

        for done in [threads.submit(raise_in_order, *order) for order in ("ab", "ba")]:
            done.result()
        assert len(attempts) == 3
        assert records.read_now(points) == {"a": 2, "b": 2}


def test_a_serialization_conflict_is_tried_again(postgresql_address: RecordsAddress) -> None:
    with opened(postgresql_address) as records:
        records.write_now(adding("a"))
        attempts = 0

        def read_then_write(tx: Connection) -> None:
            nonlocal attempts
            attempts += 1
            tx.execute(sa.text("SET TRANSACTION ISOLATION LEVEL SERIALIZABLE"))
            points(tx)
            if attempts == 1:
                records.write_now(lambda other: raise_points(other, "a"))
            raise_points(tx, "a")

        records.write_now(read_then_write)
        assert attempts == 2
        assert records.read_now(points) == {"a": 2}


def test_who_loses_again_and_again_is_told_to_try_later(postgresql_address: RecordsAddress) -> None:
    with opened(postgresql_address) as records:
        attempts = 0

        def unlucky(tx: Connection) -> None:
            nonlocal attempts
            attempts += 1
            statement = "RAISE EXCEPTION 'could not serialize access' USING ERRCODE = '40001'"
            tx.execute(sa.text(f"DO $$ BEGIN {statement}; END $$"))

        with pytest.raises(UnavailableError, match="again and again meanwhile; try again"):
            asyncio.run(records.write(unlucky))
        assert attempts == 3


def test_a_standby_that_takes_no_writes_is_named(
    postgresql: PostgreSQL, postgresql_address: RecordsAddress
) -> None:
    postgresql.ask(f"ALTER DATABASE {postgresql_address.url.database} SET default_transaction_read_only = on")
    with opened(postgresql_address) as records:
        with pytest.raises(UnavailableError, match="point Holdfast at the primary"):
            records.write_now(adding("film"))
        assert kept(records) == []


def raise_points(tx: Connection, name: str) -> None:
    worth = category.c.points + 1
    tx.execute(sa.update(category).where(category.c.name == name).values(points=worth))


def points(tx: Connection) -> dict[str, int]:
    query = sa.select(category.c.name, category.c.points).where(category.c.name != "General")
    return {row.name: row.points for row in tx.execute(query)}
