"""Every table of the tracker: what the records know of swarms, and what was last seen in the live store."""

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    Double,
    ForeignKey,
    Index,
    Integer,
    String,
    Table,
    Text,
)

from holdfast.store.records.metadata import Id, metadata

# A member on an upload, whatever clients he had and however often the live store forgot.
participation = Table(
    "participation",
    metadata,
    Column("member_id", ForeignKey("member.id"), primary_key=True),
    Column("upload_id", ForeignKey("upload.id"), primary_key=True, index=True),
    Column("seeding", Integer, nullable=False, default=0),
    Column("leeching", Integer, nullable=False, default=0),
    Column("complete", Boolean, nullable=False, default=False),
    Column("snatched", Double),
    Column("time", BigInteger, nullable=False, default=0),
    Column("uploaded", BigInteger, nullable=False, default=0),
    Column("downloaded", BigInteger, nullable=False, default=0),
    Column("hnr", Double),
    Column("exempt", Boolean, nullable=False, default=False),
    # Whether the live store has been told of the line above.
    Column("exempt_told", Boolean, nullable=False, default=True),
    Column("first_seen", Double, nullable=False),
    Column("last_change", Double, nullable=False),
)
Index(
    "ix_participation_untold",
    participation.c.member_id,
    sqlite_where=participation.c.exempt_told.is_(False),
    postgresql_where=participation.c.exempt_told.is_(False),
)

# What each mark stood for when it was last brought over. `version` grows with every change, so that whoever
# read the live store before another wrote notices.
live_seen = Table(
    "live_seen",
    metadata,
    Column("thing", String(48), primary_key=True),
    Column("version", Integer, nullable=False, default=0),
    Column("born", String(64), nullable=False, default=""),
    Column("uploaded", BigInteger, nullable=False, default=0),
    Column("downloaded", BigInteger, nullable=False, default=0),
    Column("time", BigInteger, nullable=False, default=0),
    Column("hnr", Boolean, nullable=False, default=False),
)

# What moved in an upload's swarm since the window was opened.
swarm_window = Table(
    "swarm_window",
    metadata,
    Column("upload_id", ForeignKey("upload.id"), primary_key=True),
    Column("since", Double, nullable=False, index=True),
    Column("uploaded", BigInteger, nullable=False, default=0),
    Column("downloaded", BigInteger, nullable=False, default=0),
)

# What each member uploaded there in that window.
swarm_share = Table(
    "swarm_share",
    metadata,
    Column("upload_id", ForeignKey("upload.id"), primary_key=True),
    Column("member_id", ForeignKey("member.id"), primary_key=True),
    Column("uploaded", BigInteger, nullable=False, default=0),
)

report = Table(
    "report",
    metadata,
    Column("id", Id, primary_key=True),
    Column("kind", String(16), nullable=False),
    # Kind, member and upload in one: there is one open report about them.
    Column("about", String(64), nullable=False),
    Column("member_id", ForeignKey("member.id"), index=True),
    Column("upload_id", ForeignKey("upload.id"), index=True),
    Column("first", Double, nullable=False),
    Column("last", Double, nullable=False),
    Column("times", Integer, nullable=False, default=1),
    Column("worst", BigInteger, nullable=False),
    Column("details", JSON, nullable=False),
    Column("settled", Double),
    Column("settled_by", ForeignKey("member.id")),
    Column("verdict", String(32)),
    Column("note", Text),
)
Index(
    "uq_report_open",
    report.c.about,
    unique=True,
    sqlite_where=report.c.settled.is_(None),
    postgresql_where=report.c.settled.is_(None),
)

# What the records are fed from: up to where each feed was read, when last, and since when without a gap.
feed = Table(
    "feed",
    metadata,
    Column("name", String(32), primary_key=True),
    Column("position", String(64), nullable=False, default=""),
    Column("last_heard", Double, nullable=False),
    Column("whole_since", Double, nullable=False),
)
