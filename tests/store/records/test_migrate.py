"""Migrations: from nothing to what the tables say, once, wholly, and never back."""

import importlib
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection

from holdfast.errors import SettingsError
from holdfast.store.records import Records, metadata
from holdfast.store.records.engine import RecordsAddress
from holdfast.store.records.migrate import HEAD, SCRIPTS, migrate, revision
from tests.conftest import opened

EVERY_TABLE = (
    "holdfast.catalogue.tables",
    "holdfast.store.records.outbox",
    "holdfast.items.tables",
    "holdfast.tracker.tables",
    "holdfast.web.access.tables",
)


def scripts() -> ScriptDirectory:
    config = Config()
    config.set_main_option("script_location", str(SCRIPTS))
    return ScriptDirectory.from_config(config)


def dump(tx: Connection) -> dict[str, list[tuple[object, ...]]]:
    names = sa.inspect(tx).get_table_names()
    return {name: [tuple(row) for row in tx.execute(sa.text(f'SELECT * FROM "{name}"'))] for name in names}


def test_an_empty_database_comes_to_what_the_tables_say(empty_address: RecordsAddress) -> None:
    for module in EVERY_TABLE:
        importlib.import_module(module)

    def differences(tx: Connection) -> list[object]:
        context = MigrationContext.configure(
            tx, opts={"compare_type": True, "compare_server_default": True, "target_metadata": metadata}
        )
        return list(compare_metadata(context, metadata))

    with opened(empty_address) as records:
        assert migrate(records) == "nothing"
        assert records.read_now(differences) == []


def test_every_table_of_the_source_is_migrated() -> None:
    """A part whose tables are missing above would go unnoticed."""
    source = Path(importlib.import_module("holdfast").__path__[0])
    declaring = {
        f"holdfast.{path.relative_to(source).with_suffix('').as_posix().replace('/', '.')}"
        for path in source.rglob("*.py")
        if "store.records.metadata import" in (text := path.read_text()) and " Table(" in text
    }
    assert declaring <= set(EVERY_TABLE)


def test_constraints_have_the_same_names_on_both_databases(empty_address: RecordsAddress) -> None:
    """Or a later migration could not name what it changes."""
    with opened(empty_address) as records:
        migrate(records)

        def named(tx: Connection) -> set[str | None]:
            inspector = sa.inspect(tx)
            tables = [name for name in inspector.get_table_names() if name != "alembic_version"]
            checks = [one["name"] for name in tables for one in inspector.get_check_constraints(name)]
            keys = [one["name"] for name in tables for one in inspector.get_foreign_keys(name)]
            unique = [one["name"] for name in tables for one in inspector.get_unique_constraints(name)]
            return {*checks, *keys, *unique}

        found = records.read_now(named)
    wanted = {
        constraint.name
        for table in metadata.tables.values()
        for constraint in table.constraints
        if not isinstance(constraint, sa.PrimaryKeyConstraint)
    }
    assert found == wanted


def test_head_is_alembics_own_head() -> None:
    assert scripts().get_heads() == [HEAD]


def test_there_is_one_line_of_revisions() -> None:
    assert all(
        not script.is_merge_point and not script.is_branch_point for script in scripts().walk_revisions()
    )


def test_a_second_run_finds_nothing_to_do(empty_address: RecordsAddress) -> None:
    with opened(empty_address) as records:
        assert records.read_now(revision) is None
        assert migrate(records) == "nothing"
        before = records.read_now(dump)
        assert migrate(records) is None
        assert records.read_now(dump) == before
        assert records.read_now(revision) == HEAD


def test_a_first_upload_needs_no_preparation(records: Records) -> None:
    names = records.read_now(lambda tx: list(tx.execute(sa.text("SELECT name, name_key FROM category"))))
    assert [tuple(row) for row in names] == [("General", "general")]


def test_records_of_a_newer_version_are_refused_and_not_touched(records: Records) -> None:
    records.write_now(lambda tx: tx.execute(sa.text("UPDATE alembic_version SET version_num = '9999'")))
    before = records.read_now(dump)
    with pytest.raises(SettingsError) as refused:
        migrate(records)
    assert str(refused.value) == (
        f"The records were written by a newer Holdfast (schema 9999, this one knows {HEAD}); "
        "install that version again, or restore a backup made before the upgrade."
    )
    assert records.read_now(dump) == before


def test_a_migration_that_fails_in_the_middle_leaves_nothing(
    empty_address: RecordsAddress, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened(empty_address) as records:
        statements = 0

        @sa.event.listens_for(records.engine, "before_cursor_execute")
        def stumble(_c: object, _cursor: object, statement: str, *_: object) -> None:
            nonlocal statements
            statements += statement.lstrip().upper().startswith("CREATE")
            if statements == 12:
                raise RuntimeError("stumbled")

        with pytest.raises(RuntimeError, match="stumbled"):
            migrate(records)
        sa.event.remove(records.engine, "before_cursor_execute", stumble)
        assert records.read_now(dump) == {}
        assert migrate(records) == "nothing"
