"""What other processes do to the records in these tests."""

import asyncio

import sqlalchemy as sa

from holdfast.errors import UnavailableError
from holdfast.store.records import open_records
from holdfast.store.records.engine import RecordsAddress
from holdfast.store.records.migrate import migrate
from tests.conftest import opened
from tests.processes import end_here
from tests.store.records.rows import adding, kept


def write_rows(address: RecordsAddress, mark: str, count: int) -> None:
    async def write() -> None:
        async with open_records(address) as records, asyncio.TaskGroup() as tasks:
            for n in range(count):
                tasks.create_task(records.write(adding(f"{mark} {n}")))

    asyncio.run(write())


def bring_up_to_date(address: RecordsAddress) -> str | None:
    with opened(address, wait=60.0) as records:
        return migrate(records)


def migrate_until(address: RecordsAddress, last: int) -> None:
    """Migrate, and end without a word before the statement of that number, or before the commit."""
    with opened(address) as records:
        statements = 0

        @sa.event.listens_for(records.engine, "before_cursor_execute")
        @sa.event.listens_for(records.engine, "commit")
        def count(*_: object) -> None:
            nonlocal statements
            statements += 1
            if statements == last:
                end_here()

        migrate(records)


def write_until(address: RecordsAddress, last: int) -> None:
    """Write a row in two statements, and end without a word at the step of that number."""
    with opened(address) as records:
        steps = 0

        @sa.event.listens_for(records.engine, "before_cursor_execute")
        @sa.event.listens_for(records.engine, "after_cursor_execute")
        @sa.event.listens_for(records.engine, "commit")
        def count(*_: object) -> None:
            nonlocal steps
            steps += 1
            if steps == last:
                end_here()

        def both(tx: sa.Connection) -> None:
            adding("first half")(tx)
            adding("second half")(tx)

        asyncio.run(records.write(both))


def try_both(address: RecordsAddress) -> tuple[str, str]:
    """What reading and writing say to somebody without rights."""

    def told(work: object) -> str:
        try:
            return str(work() if callable(work) else None)
        except UnavailableError as error:
            return str(error)

    with opened(address) as records:
        return told(lambda: kept(records)), told(lambda: records.write_now(adding("mine")))
