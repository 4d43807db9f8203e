"""Every table of spread: the projects, and what became of their items once the live store need not know."""

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    Date,
    Double,
    ForeignKey,
    Index,
    Integer,
    String,
    Table,
    Text,
    UniqueConstraint,
    text,
)

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
    Column("description", Text, nullable=False, server_default=text("''")),
    Column("repository", Text, nullable=False, server_default=text("''")),
    Column("logo", Text, nullable=False, server_default=text("''")),
    Column("leaderboard", Text, nullable=False, server_default=text("''")),
    Column("marker_html", Text, nullable=False, server_default=text("''")),
    Column("lat_lng", String(64), nullable=False, server_default=text("''")),
    Column("deadline", Double, nullable=False, server_default=text("0")),
    Column("weight", Double, nullable=False, server_default=text("1")),
    Column("rescue", Boolean, nullable=False, server_default=text("false")),
    Column("backfeed_queue", String(64), nullable=False, server_default=text("'todo'")),
    # The SHA-256 of the key in the address to which discovered items go.
    Column("backfeed_hash", String(64)),
    Column("dictionary", JSON),
    Column("extras", JSON),
)
Index("uq_project_backfeed_hash", project.c.backfeed_hash, unique=True)
Index(
    "uq_project_default",
    project.c.is_default,
    unique=True,
    sqlite_where=project.c.is_default.is_(True),
    postgresql_where=project.c.is_default.is_(True),
)

# A finished item, and the line of the log that says by whom: exact, on disk, however many there are.
item_done = Table(
    "item_done",
    metadata,
    Column("project_id", ForeignKey("project.id"), primary_key=True),
    Column("item", Text, primary_key=True),
    Column("line", BigInteger, nullable=False),
    sqlite_with_rowid=False,
)

# What else befell an item: claims that ended without a report.
item_story = Table(
    "item_story",
    metadata,
    Column("id", Id, primary_key=True),
    Column("project_id", ForeignKey("project.id"), nullable=False),
    Column("item", Text, nullable=False),
    Column("at", Double, nullable=False),
    Column("what", String(16), nullable=False),
    Column("name", String(30), nullable=False),
    Column("address", String(64), nullable=False),
    Column("why", Text, nullable=False),
)
Index("ix_item_story_item", item_story.c.project_id, item_story.c.item)

# Where lines of a project's log lie in its compressed files; a file is whole up to the end of its last piece.
log_piece = Table(
    "log_piece",
    metadata,
    Column("project_id", ForeignKey("project.id"), primary_key=True),
    Column("first", BigInteger, primary_key=True),
    Column("lines", Integer, nullable=False),
    Column("file", String(255), nullable=False),
    Column("start", BigInteger, nullable=False),
    Column("end", BigInteger, nullable=False),
    Column("since", Double, nullable=False),
    Column("until", Double, nullable=False),
)
Index("ix_log_piece_file", log_piece.c.file)

# What volunteers did, day by day: boards of any span are sums of this.
volunteer_day = Table(
    "volunteer_day",
    metadata,
    Column("project_id", ForeignKey("project.id"), primary_key=True),
    Column("day", Date, primary_key=True),
    Column("name", String(30), primary_key=True),
    Column("items", BigInteger, nullable=False),
    Column("bytes", BigInteger, nullable=False),
)
Index("ix_volunteer_day_name", volunteer_day.c.name)

# Up to which line the records have each list.
drain = Table(
    "drain",
    metadata,
    Column("project_id", ForeignKey("project.id"), primary_key=True),
    Column("list", String(16), primary_key=True),
    Column("lines", BigInteger, nullable=False),
)

# Where volunteers bring what they fetched.
upload_target = Table(
    "upload_target",
    metadata,
    Column("id", Id, primary_key=True),
    Column("project_id", ForeignKey("project.id"), nullable=False),
    Column("url", String(2048), nullable=False),
    Column("weight", Double, nullable=False),
    Column("active", Boolean, nullable=False),
    Column("held_until", Double, nullable=False),
    Column("held_why", Text, nullable=False),
    UniqueConstraint("project_id", "url"),
)

# Who gets no items: a name, an address or a network, of one project or of all.
block = Table(
    "block",
    metadata,
    Column("id", Id, primary_key=True),
    Column("project_id", ForeignKey("project.id"), index=True),
    Column("whom", String(64), nullable=False),
    Column("reason", Text, nullable=False),
    Column("at", Double, nullable=False),
    Column("until", Double),
    Column("by", String(64), nullable=False),
)

# What warriors are told beside the projects; there is one row.
headquarters = Table(
    "headquarters",
    metadata,
    Column("id", Id, primary_key=True),
    Column("seesaw_version", String(32), nullable=False),
    Column("auto_project", String(63), nullable=False),
    Column("broadcast_message", Text, nullable=False),
)
