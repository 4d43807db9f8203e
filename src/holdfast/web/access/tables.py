"""The tables of getting in. Secrets themselves are nowhere: only what is needed to know them again."""

from sqlalchemy import JSON, Column, Double, ForeignKey, Index, String, Table, Text

from holdfast.store.records.metadata import Id, metadata

session = Table(
    "session",
    metadata,
    Column("id", Id, primary_key=True),
    Column("digest", String(64), nullable=False, unique=True),
    Column("member_id", ForeignKey("member.id"), nullable=False),
    Column("created", Double, nullable=False),
    Column("last_used", Double, nullable=False),
    Column("expires", Double, nullable=False, index=True),
    Column("address", String(64)),
    Column("agent", String(200), nullable=False, default=""),
)
Index("ix_session_member_id_id", session.c.member_id, session.c.id)

token = Table(
    "token",
    metadata,
    Column("id", Id, primary_key=True),
    Column("digest", String(64), nullable=False, unique=True),
    Column("member_id", ForeignKey("member.id"), nullable=False),
    Column("name", String(64), nullable=False),
    Column("scopes", JSON, nullable=False),
    Column("created", Double, nullable=False),
    Column("last_used", Double),
    Column("expires", Double),
)
Index("ix_token_member_id_id", token.c.member_id, token.c.id)

one_time_link = Table(
    "one_time_link",
    metadata,
    Column("digest", String(64), primary_key=True),
    Column("purpose", String(16), nullable=False),
    Column("member_id", ForeignKey("member.id"), index=True),
    Column("created", Double, nullable=False),
    Column("expires", Double, nullable=False, index=True),
    Column("used_at", Double),
)

password = Table(
    "password",
    metadata,
    Column("member_id", ForeignKey("member.id"), primary_key=True),
    Column("password", Text, nullable=False),
    Column("changed", Double, nullable=False),
)
