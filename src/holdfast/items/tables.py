"""Every table of spread: the projects, and what became of their items once the live store need not know."""

from sqlalchemy import JSON, Boolean, Column, Double, Index, Integer, String, Table, Text

from holdfast.store.records.metadata import Id, metadata

project = Table(
    "project",
    metadata,
    Column("id", Id, primary_key=True),
    Column("slug", String(63), nullable=False, unique=True),
    Column("host", String(253), nullable=False, index=True),
    Column("title", String(128), nullable=False),
    Column("state", String(16), nullable=False, index=True),
    Column("is_default", Boolean, nullable=False, default=False),
    Column("item_type", String(32), nullable=False),
    Column("item_pattern", Text, nullable=False),
    Column("domains", JSON, nullable=False),
    Column("lease", Double, nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("minimum_version", String(64), nullable=False),
    Column("refused_versions", JSON, nullable=False),
    Column("smooth", Boolean, nullable=False),
    Column("unknown", String(16), nullable=False),
    Column("message", Text, nullable=False),
    # By which the tokens of claims are signed; whoever has it can report for anybody.
    Column("secret", String(64), nullable=False),
    Column("created", Double, nullable=False),
)
Index(
    "uq_project_default",
    project.c.is_default,
    unique=True,
    sqlite_where=project.c.is_default.is_(True),
    postgresql_where=project.c.is_default.is_(True),
)
