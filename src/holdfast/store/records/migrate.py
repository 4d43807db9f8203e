"""Bringing the records to the schema that this version of Holdfast works with, and never back."""

from pathlib import Path

from sqlalchemy import Connection, inspect, text

from holdfast.errors import SettingsError
from holdfast.store.records.engine import Records

HEAD = "0005"
"""The newest revision in `migrations/versions`; known here so that most starts need not load Alembic."""

LOCK = 0x686F6C64  # "hold": the advisory lock under which PostgreSQL lets one process migrate at a time
SCRIPTS = Path(__file__).parent / "migrations"


def migrate(records: Records) -> str | None:
    """Bring the records up to date; returns the revision they came from when there was anything to do.

    Several processes may call this at once: one does the work, the others wait and find it done.
    """
    if records.read_now(revision) == HEAD:
        return None
    return records.write_now(_upgrade)


def revision(tx: Connection) -> str | None:
    """The revision that the records are at; None when they are still empty."""
    if not inspect(tx).has_table("alembic_version"):
        return None
    return tx.execute(text("SELECT version_num FROM alembic_version")).scalar_one_or_none()


def _upgrade(tx: Connection) -> str | None:
    from alembic import command  # noqa: PLC0415 - slow to import, and needed only when there is work
    from alembic.config import Config  # noqa: PLC0415
    from alembic.script import ScriptDirectory  # noqa: PLC0415

    if tx.dialect.name == "postgresql":
        tx.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": LOCK})
    found = revision(tx)
    if found == HEAD:
        return None
    config = Config()
    config.set_main_option("script_location", str(SCRIPTS))
    known = {script.revision for script in ScriptDirectory.from_config(config).walk_revisions()}
    if found is not None and found not in known:
        raise SettingsError(
            f"The records were written by a newer Holdfast (schema {found}, this one knows {HEAD}); "
            "install that version again, or restore a backup made before the upgrade."
        )
    config.attributes["connection"] = tx
    command.upgrade(config, "head")
    return found or "nothing"
