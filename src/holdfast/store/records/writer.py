"""Group commit for SQLite: writes that wait together share one transaction and one trip to the disk."""

import asyncio
import contextvars
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import DBAPIError

from holdfast.store.records.faults import explained, is_fault_of_the_database

T = TypeVar("T")
LARGEST_GROUP = 128


@dataclass(eq=False)
class _Waiting(Generic[T]):
    work: Callable[[Connection], T]
    answer: asyncio.Future[T]
    context: contextvars.Context
    outcome: Callable[[], None] = field(init=False)


class GroupWriter:
    """SQLite has one writer at a time; this one takes all who wait along in one transaction.

    Each piece of work runs behind a savepoint of its own, so one that fails takes nobody with it;
    nobody is answered before the shared commit is on disk.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="records-writer")
        self._waiting: list[_Waiting[Any]] = []
        self._running: asyncio.Task[None] | None = None

    async def write(self, work: Callable[[Connection], T]) -> T:
        answer: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._waiting.append(_Waiting(work, answer, contextvars.copy_context()))
        if self._running is None:
            self._running = asyncio.create_task(self._drain(), name="records-writer")
        return await answer

    async def _drain(self) -> None:
        try:
            while self._waiting:
                group, self._waiting = self._waiting[:LARGEST_GROUP], self._waiting[LARGEST_GROUP:]
                await self._commit(group)
        finally:
            self._running = None

    async def _commit(self, group: list[_Waiting[Any]]) -> None:
        loop = asyncio.get_running_loop()
        try:
            await loop.run_in_executor(self._thread, self._transaction, group)
        except Exception as error:  # noqa: BLE001 - every waiting caller is told, none is lost
            for waiting in group:
                if not waiting.answer.done():
                    waiting.answer.set_exception(error)
        else:
            for waiting in group:
                if not waiting.answer.done():
                    waiting.outcome()

    def _transaction(self, group: list[_Waiting[Any]]) -> None:
        with explained(self._engine), self._engine.connect().execution_options(writes=True) as tx, tx.begin():
            for waiting in group:
                self._run_one(tx, waiting)

    def _run_one(self, tx: Connection, waiting: _Waiting[Any]) -> None:
        savepoint = tx.begin_nested()
        try:
            result = waiting.context.run(waiting.work, tx)
        except Exception as error:  # handed to the one caller whose work failed
            if isinstance(error, DBAPIError) and is_fault_of_the_database(error):
                raise  # the database itself gave up, so the whole group must hear of it
            savepoint.rollback()
            # A future refuses to carry a StopIteration, and would leave all who wait without an answer.
            failure = RuntimeError(repr(error)) if isinstance(error, StopIteration) else error
            waiting.outcome = lambda: waiting.answer.set_exception(failure)
        else:
            savepoint.commit()
            waiting.outcome = lambda: waiting.answer.set_result(result)

    async def close(self) -> None:
        if self._running is not None:
            await self._running
        await asyncio.to_thread(self._thread.shutdown)
