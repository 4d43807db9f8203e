"""Looks at the records through a connection that cannot write."""

import sqlite3
from dataclasses import replace
from pathlib import Path

import sqlalchemy as sa
from sqlalchemy import Connection, Engine, event

from holdfast.doctor import model
from holdfast.doctor.model import Finding, ok
from holdfast.doctor.patient import Patient
from holdfast.doctor.probes.thread import in_thread
from holdfast.doctor.rules import clock as clock_rules
from holdfast.doctor.rules import records as rules
from holdfast.store.records import Records, outbox
from holdfast.store.records.engine import records_address
from holdfast.store.records.migrate import HEAD, SCRIPTS, revision
from holdfast.stores import records_of

PATIENCE = 3.0


async def records(patient: Patient) -> list[Finding]:
    return await in_thread(lambda: _look(patient))


def _look(patient: Patient) -> list[Finding]:
    settings = patient.settings
    address = records_address(settings.records.address.reveal(), settings.data)
    on_sqlite = address.url.drivername == "sqlite"
    if on_sqlite and not Path(str(address.url.database)).exists():
        return [ok("records", f"{address.url.database} is not there yet; the first start makes it.")]
    opened = _read_only(Path(str(address.url.database))) if on_sqlite else _server(patient)
    try:
        # The same errors, in the same words, as the parts have.
        return opened.read_now(lambda tx: _findings(tx, patient, str(settings.records.address)))
    finally:
        opened.engine.dispose()


def _findings(tx: Connection, patient: Patient, where: str) -> list[Finding]:
    now = patient.clock.now()
    schema = revision(tx)
    waiting, since = outbox.waiting(tx) if schema is not None else (0, None)
    seen = model.Records(
        kind="SQLite" if tx.dialect.name == "sqlite" else "PostgreSQL",
        where=where if tx.dialect.name != "sqlite" else str(tx.engine.url.database or where),
        schema=schema,
        waiting=waiting,
        oldest=None if since is None else max(0.0, now - since),
        version=_version(tx),
    )
    found = list(rules.records(seen, head=HEAD, known=_known(), running=patient.running))
    if tx.dialect.name == "postgresql":
        theirs = tx.execute(sa.text("SELECT extract(epoch FROM clock_timestamp())")).scalar_one()
        found += clock_rules.apart("PostgreSQL", float(theirs) - (now + patient.clock.now()) / 2)
    return found


def _version(tx: Connection) -> tuple[int, ...]:
    if tx.dialect.name == "sqlite":
        return ()
    number = int(tx.execute(sa.text("SHOW server_version_num")).scalar_one())
    return number // 10_000, number % 10_000


def _known() -> set[str]:
    """The schemas this version can start from; read off the names of the migrations, as Alembic is slow."""
    return {file.name.split("_")[0] for file in (SCRIPTS / "versions").glob("[0-9]*_*.py")}


def _server(patient: Patient) -> Records:
    section = patient.settings.records
    opened = records_of(
        replace(patient.settings, records=replace(section, wait=min(section.wait, PATIENCE), pool=1))
    )

    @event.listens_for(opened.engine, "begin")
    def begin(connection: Connection) -> None:
        connection.exec_driver_sql("SET TRANSACTION READ ONLY")

    return opened


def _read_only(file: Path) -> Records:
    # Nobody has it open when its companions are missing; SQLite would make them, and they would be ours.
    companions = all(file.with_name(file.name + end).exists() for end in ("-wal", "-shm"))
    how = "mode=ro" if companions else "mode=ro&immutable=1"

    def connect() -> sqlite3.Connection:
        return sqlite3.connect(
            f"{file.absolute().as_uri()}?{how}", uri=True, timeout=PATIENCE, check_same_thread=False
        )

    # The path is named for the sentences that tell of trouble; the connections come from `connect`.
    engine: Engine = sa.create_engine(
        sa.URL.create("sqlite", database=str(file)), creator=connect, poolclass=sa.NullPool
    )
    return Records(engine, threads=1)
