"""Projects that are cut into items for volunteers."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"

ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
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
