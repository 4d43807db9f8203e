"""Projects that are cut into items for volunteers, and what became of the items."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"

ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    _project()
    _item_done()
    _item_story()
    _log_piece()
    _volunteer_day()
    _drain()


def _project() -> None:
    op.create_table(
        "project",
        sa.Column("id", ID, nullable=False),
        sa.Column("slug", sa.String(length=63), nullable=False),
        sa.Column("host", sa.String(length=253), nullable=False),
        sa.Column("title", sa.String(length=128), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("is_default", sa.Boolean(), nullable=False),
        sa.Column("item_type", sa.String(length=32), nullable=False),
        sa.Column("item_pattern", sa.Text(), nullable=False),
        sa.Column("domains", sa.JSON(), nullable=False),
        sa.Column("lease", sa.Double(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("minimum_version", sa.String(length=64), nullable=False),
        sa.Column("refused_versions", sa.JSON(), nullable=False),
        sa.Column("smooth", sa.Boolean(), nullable=False),
        sa.Column("unknown", sa.String(length=16), nullable=False),
        sa.Column("message", sa.Text(), nullable=False),
        sa.Column("secret", sa.String(length=64), nullable=False),
        sa.Column("created", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_project"),
        sa.UniqueConstraint("slug", name="uq_project_slug"),
    )
    op.create_index("ix_project_host", "project", ["host"])
    op.create_index("ix_project_state", "project", ["state"])
    op.create_index(
        "uq_project_default",
        "project",
        ["is_default"],
        unique=True,
        sqlite_where=sa.text("is_default IS 1"),
        postgresql_where=sa.text("is_default IS true"),
    )


def _item_done() -> None:
    op.create_table(
        "item_done",
        sa.Column("project_id", ID, nullable=False),
        sa.Column("item", sa.Text(), nullable=False),
        sa.Column("line", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name="fk_item_done_project_id"),
        sa.PrimaryKeyConstraint("project_id", "item", name="pk_item_done"),
        sqlite_with_rowid=False,
    )


def _item_story() -> None:
    op.create_table(
        "item_story",
        sa.Column("id", ID, nullable=False),
        sa.Column("project_id", ID, nullable=False),
        sa.Column("item", sa.Text(), nullable=False),
        sa.Column("at", sa.Double(), nullable=False),
        sa.Column("what", sa.String(length=16), nullable=False),
        sa.Column("name", sa.String(length=30), nullable=False),
        sa.Column("address", sa.String(length=64), nullable=False),
        sa.Column("why", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name="fk_item_story_project_id"),
        sa.PrimaryKeyConstraint("id", name="pk_item_story"),
    )
    op.create_index("ix_item_story_item", "item_story", ["project_id", "item"])


def _log_piece() -> None:
    op.create_table(
        "log_piece",
        sa.Column("project_id", ID, nullable=False),
        sa.Column("first", sa.BigInteger(), nullable=False),
        sa.Column("lines", sa.Integer(), nullable=False),
        sa.Column("file", sa.String(length=255), nullable=False),
        sa.Column("start", sa.BigInteger(), nullable=False),
        sa.Column("end", sa.BigInteger(), nullable=False),
        sa.Column("since", sa.Double(), nullable=False),
        sa.Column("until", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name="fk_log_piece_project_id"),
        sa.PrimaryKeyConstraint("project_id", "first", name="pk_log_piece"),
    )
    op.create_index("ix_log_piece_file", "log_piece", ["file"])


def _volunteer_day() -> None:
    op.create_table(
        "volunteer_day",
        sa.Column("project_id", ID, nullable=False),
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("name", sa.String(length=30), nullable=False),
        sa.Column("items", sa.BigInteger(), nullable=False),
        sa.Column("bytes", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name="fk_volunteer_day_project_id"),
        sa.PrimaryKeyConstraint("project_id", "day", "name", name="pk_volunteer_day"),
    )
    op.create_index("ix_volunteer_day_name", "volunteer_day", ["name"])


def _drain() -> None:
    op.create_table(
        "drain",
        sa.Column("project_id", ID, nullable=False),
        sa.Column("list", sa.String(length=16), nullable=False),
        sa.Column("lines", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name="fk_drain_project_id"),
        sa.PrimaryKeyConstraint("project_id", "list", name="pk_drain"),
    )
