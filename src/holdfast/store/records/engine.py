"""One way to read and write records, on SQLite and PostgreSQL alike.

Work on records is plain synchronous code that takes a connection; it runs in a worker thread, whole
transaction by whole transaction, so that one hand-over pays for all its statements.
"""

import asyncio
import contextvars
import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self, TypeVar

import sqlalchemy as sa
from sqlalchemy import Connection, Engine, event
from sqlalchemy.exc import DBAPIError

from holdfast.errors import UnavailableError
from holdfast.store.records.faults import explained
from holdfast.store.records.writer import GroupWriter

T = TypeVar("T")
Work = Callable[[Connection], T]


class Records:
    """The records of one community; `read` and `write` are the only ways in.

    A write is durable when its call returns. Work handed to `write` may be run again after a
    conflict with another process, so it must have no effect besides the connection.
    """

    def __init__(self, engine: Engine, *, threads: int) -> None:
        self.engine = engine
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix="records")
        self._writer = GroupWriter(engine) if self.kind == "sqlite" else None

    @property
    def kind(self) -> str:
        return self.engine.dialect.name

    async def read(self, work: Work[T]) -> T:
        return await self._in_thread(lambda: self.read_now(work))

    async def write(self, work: Work[T]) -> T:
        if self._writer is not None:
            return await self._writer.write(work)
        return await self._in_thread(lambda: self.write_now(work))

    def read_now(self, work: Work[T]) -> T:
        """`read` for callers that have no event loop: commands, migrations and tests."""
        with explained(self.engine), self.engine.connect() as tx:
            return work(tx)

    def write_now(self, work: Work[T]) -> T:
        """`write` for callers that have no event loop."""
        with explained(self.engine):
            for attempts_left in (2, 1, 0):
                try:
                    with self.engine.connect().execution_options(writes=True) as tx, tx.begin():
                        return work(tx)
                except DBAPIError as error:
                    if attempts_left == 0 or not _worth_repeating(error):
                        raise
        raise AssertionError("the last attempt returns or raises")

    async def _in_thread(self, call: Callable[[], T]) -> T:
        context = contextvars.copy_context()
        return await asyncio.get_running_loop().run_in_executor(self._threads, context.run, call)

    async def close(self) -> None:
        if self._writer is not None:
            await self._writer.close()
        await asyncio.to_thread(self._threads.shutdown)
        self.engine.dispose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()


def _worth_repeating(error: DBAPIError) -> bool:
    """PostgreSQL asks the client to start over after a deadlock or a serialisation conflict."""
    return getattr(error.orig, "sqlstate", None) in {"40001", "40P01"}


@dataclass(frozen=True)
class RecordsAddress:
    """Where the records live: a SQLAlchemy address whose password is never shown."""

    url: sa.URL

    def __str__(self) -> str:
        return self.url.render_as_string(hide_password=True)


def records_address(address: str, data: Path) -> RecordsAddress:
    """`sqlite` is a file in the data folder; anything else names a PostgreSQL database."""
    if address == "sqlite":
        return RecordsAddress(sa.URL.create("sqlite", database=str(data / "records.sqlite")))
    return RecordsAddress(sa.make_url(address).set(drivername="postgresql+psycopg"))


def open_records(address: RecordsAddress, *, pool: int = 5, wait: float = 10.0) -> Records:
    engine = _sqlite_engine(address.url, wait) if address.url.drivername == "sqlite" else None
    if engine is None:
        engine = sa.create_engine(
            address.url,
            pool_size=pool,
            max_overflow=0,
            pool_timeout=wait,
            pool_pre_ping=True,
            connect_args={"connect_timeout": max(1, round(wait))},
        )
    return Records(engine, threads=pool)


def _sqlite_engine(url: sa.URL, wait: float) -> Engine:
    engine = sa.create_engine(url, connect_args={"timeout": wait, "check_same_thread": False})

    @event.listens_for(engine, "connect")
    def prepare(connection: sqlite3.Connection, _record: object) -> None:
        # The driver's own transactions start too late and as readers; ours are begun below.
        connection.isolation_level = None
        for pragma in (
            "journal_mode = WAL",
            # A commit that was answered must outlive a power cut, so every commit reaches the disk.
            "synchronous = FULL",
            "foreign_keys = ON",
            "temp_store = MEMORY",
        ):
            connection.execute(f"PRAGMA {pragma}")

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        # A reader that turns writer in mid-transaction fails if another wrote meanwhile: say it at once.
        writes = connection.get_execution_options().get("writes", False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    return engine


def still_there(records: Records) -> str | None:
    """None when the records answer, else the sentence that says why not."""
    try:
        records.read_now(lambda tx: tx.execute(sa.select(sa.literal(1))).scalar_one())
    except UnavailableError as error:
        return str(error)
    return None
