"""What volunteers' clients of every generation expect: upload targets, blocks, backfeed and headquarters."""

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"

ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    _project()
    _upload_target()
    _block()
    _headquarters()


def _project() -> None:
    none, some = sa.text("''"), sa.text("1")
    columns: list[sa.Column[Any]] = [
        *[
            sa.Column(name, sa.Text(), server_default=none, nullable=False)
            for name in ("description", "repository", "logo", "leaderboard", "marker_html")
        ],
        sa.Column("lat_lng", sa.String(length=64), server_default=none, nullable=False),
        sa.Column("deadline", sa.Double(), server_default=sa.text("0"), nullable=False),
        sa.Column("weight", sa.Double(), server_default=some, nullable=False),
        sa.Column("rescue", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("backfeed_queue", sa.String(length=64), server_default=sa.text("'todo'"), nullable=False),
        sa.Column("backfeed_hash", sa.String(length=64), nullable=True),
        sa.Column("dictionary", sa.JSON(), nullable=True),
        sa.Column("extras", sa.JSON(), nullable=True),
    ]
    for column in columns:
        op.add_column("project", column)
    op.create_index("uq_project_backfeed_hash", "project", ["backfeed_hash"], unique=True)


def _upload_target() -> None:
    op.create_table(
        "upload_target",
        sa.Column("id", ID, nullable=False),
        sa.Column("project_id", ID, nullable=False),
        sa.Column("url", sa.String(length=2048), nullable=False),
        sa.Column("weight", sa.Double(), nullable=False),
        sa.Column("active", sa.Boolean(), nullable=False),
        sa.Column("held_until", sa.Double(), nullable=False),
        sa.Column("held_why", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name="fk_upload_target_project_id"),
        sa.PrimaryKeyConstraint("id", name="pk_upload_target"),
        sa.UniqueConstraint("project_id", "url", name="uq_upload_target_project_id_url"),
    )


def _block() -> None:
    op.create_table(
        "block",
        sa.Column("id", ID, nullable=False),
        sa.Column("project_id", ID, nullable=True),
        sa.Column("whom", sa.String(length=64), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("at", sa.Double(), nullable=False),
        sa.Column("until", sa.Double(), nullable=True),
        sa.Column("by", sa.String(length=64), nullable=False),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name="fk_block_project_id"),
        sa.PrimaryKeyConstraint("id", name="pk_block"),
    )
    op.create_index("ix_block_project_id", "block", ["project_id"])


def _headquarters() -> None:
    op.create_table(
        "headquarters",
        sa.Column("id", ID, nullable=False),
        sa.Column("seesaw_version", sa.String(length=32), nullable=False),
        sa.Column("auto_project", sa.String(length=63), nullable=False),
        sa.Column("broadcast_message", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_headquarters"),
    )
