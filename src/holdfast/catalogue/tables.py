"""Every table of the catalogue, in one place, as `keys.py` is for the live keys."""

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    Double,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    String,
    Table,
    Text,
    UniqueConstraint,
    text,
)

from holdfast.store.records.metadata import Id, metadata

member = Table(
    "member",
    metadata,
    Column("id", Id, primary_key=True),
    Column("name", String(64), nullable=False),
    # Names that differ in case alone would be one member to every reader; databases disagree on case.
    Column("name_key", Text, nullable=False, unique=True),
    Column("enabled", Boolean, nullable=False, default=True),
    Column("may_leech", Boolean, nullable=False, default=True),
    Column("uploaded", BigInteger, nullable=False, default=0),
    Column("downloaded", BigInteger, nullable=False, default=0),
    Column("joined", Double, nullable=False),
    Column("last_seen", Double),
    Column("email", String(254)),
    Column("preferences", JSON, nullable=False),
    # Thousandths of what was moved that are credited.
    Column("multi_up", Integer, nullable=False, server_default=text("1000")),
    Column("multi_down", Integer, nullable=False, server_default=text("1000")),
)

member_role = Table(
    "member_role",
    metadata,
    Column("member_id", ForeignKey("member.id"), primary_key=True),
    Column("role", String(16), primary_key=True),
)
Index("ix_member_role_role", member_role.c.role)

passkey = Table(
    "passkey",
    metadata,
    Column("passkey", String(32), primary_key=True),
    Column("member_id", ForeignKey("member.id"), nullable=False, index=True),
    Column("created", Double, nullable=False),
    Column("retired", Double),
)
Index(
    "uq_passkey_active",
    passkey.c.member_id,
    unique=True,
    sqlite_where=passkey.c.retired.is_(None),
    postgresql_where=passkey.c.retired.is_(None),
)

category = Table(
    "category",
    metadata,
    Column("id", Id, primary_key=True),
    Column("name", String(64), nullable=False),
    Column("name_key", Text, nullable=False, unique=True),
    Column("points", Integer, nullable=False, default=0),
    CheckConstraint("points >= 0", name="points_not_negative"),
)

upload = Table(
    "upload",
    metadata,
    Column("id", Id, primary_key=True),
    Column("name", String(255), nullable=False),
    Column("name_key", Text, nullable=False),
    Column("category_id", ForeignKey("category.id"), nullable=False, index=True),
    Column("uploader_id", ForeignKey("member.id"), index=True),
    Column("size", BigInteger, nullable=False),
    Column("piece_length", BigInteger, nullable=False),
    Column("piece_count", Integer, nullable=False),
    Column("file_count", Integer, nullable=False),
    Column("private", Boolean, nullable=False),
    Column("source", Text),
    Column("comment", Text, nullable=False, default=""),
    Column("created", Double, nullable=False, index=True),
    Column("last_action", Double, index=True),
    Column("completed", Integer, nullable=False, default=0),
    Column("seeders", Integer, nullable=False, default=0),
    Column("leechers", Integer, nullable=False, default=0),
    Column("removed_at", Double, index=True),
    Column("removed_reason", Text),
    Column("removed_by", ForeignKey("member.id")),
    Column("multi_up", Integer, nullable=False, server_default=text("1000")),
    Column("multi_down", Integer, nullable=False, server_default=text("1000")),
)

# A hybrid upload has two rows here: both hashes mean the one upload, and no hash can mean two.
info_hash = Table(
    "info_hash",
    metadata,
    # As clients announce it: 20 bytes in hex; of a v2 hash its first 20 bytes, the whole of it beside.
    Column("info_hash", String(40), primary_key=True),
    Column("version", Integer, nullable=False),
    Column("whole", String(64), nullable=False),
    Column("upload_id", ForeignKey("upload.id"), nullable=False, index=True),
    CheckConstraint("version IN (1, 2)", name="version_known"),
)

torrent = Table(
    "torrent",
    metadata,
    Column("upload_id", ForeignKey("upload.id"), primary_key=True),
    Column("torrent", LargeBinary, nullable=False),
)

upload_file = Table(
    "upload_file",
    metadata,
    Column("upload_id", ForeignKey("upload.id"), primary_key=True),
    Column("position", Integer, primary_key=True),
    Column("path", Text, nullable=False),
    Column("size", BigInteger, nullable=False),
)

# Append-only: a balance is the sum of its rows and nothing else.
points = Table(
    "points",
    metadata,
    Column("id", Id, primary_key=True),
    Column("member_id", ForeignKey("member.id"), nullable=False),
    Column("at", Double, nullable=False),
    Column("amount", BigInteger, nullable=False),
    Column("reason", Text, nullable=False),
    Column("upload_id", ForeignKey("upload.id"), index=True),
    Column("by_id", ForeignKey("member.id")),
    CheckConstraint("amount <> 0", name="amount_not_zero"),
)
Index("ix_points_member_id_id", points.c.member_id, points.c.id)

notice = Table(
    "notice",
    metadata,
    Column("id", Id, primary_key=True),
    Column("member_id", ForeignKey("member.id"), nullable=False),
    Column("kind", String(64), nullable=False),
    Column("role", String(16), nullable=False),
    Column("subject", Text, nullable=False),
    Column("body", Text, nullable=False),
    Column("created", Double, nullable=False, index=True),
    Column("read_at", Double),
    # A notice that the member does not want on the page is kept for its deliveries alone.
    Column("on_page", Boolean, nullable=False, default=True),
)
Index("ix_notice_member_id_id", notice.c.member_id, notice.c.id)

delivery = Table(
    "delivery",
    metadata,
    Column("notice_id", ForeignKey("notice.id", ondelete="CASCADE"), primary_key=True),
    Column("sink", String(16), primary_key=True),
    Column("state", String(16), nullable=False),
    Column("attempts", Integer, nullable=False, default=0),
    Column("next_at", Double, nullable=False),
    Column("error", Text),
)
Index("ix_delivery_due", delivery.c.state, delivery.c.next_at)

whitelist = Table(
    "whitelist",
    metadata,
    Column("prefix", String(20), primary_key=True),
    Column("name", String(128), nullable=False),
    # A prefix taken off the list is remembered, so that a live store restored from a backup forgets it.
    Column("retired", Double),
)

# Times in which everything is credited by other shares.
freeleech = Table(
    "freeleech",
    metadata,
    Column("id", Id, primary_key=True),
    Column("starts", Double, nullable=False),
    Column("ends", Double, nullable=False),
    Column("multi_up", Integer, nullable=False),
    Column("multi_down", Integer, nullable=False),
    Column("reason", Text, nullable=False),
    # Since when the trackers need not know of it any more.
    Column("retired", Double),
)

# What stands in for a member's passkey in the torrent of one upload, for as long as that passkey is good.
announce_key = Table(
    "announce_key",
    metadata,
    Column("announce_key", String(32), primary_key=True),
    Column("passkey", ForeignKey("passkey.passkey"), nullable=False),
    Column("upload_id", ForeignKey("upload.id"), nullable=False, index=True),
    Column("created", Double, nullable=False),
    UniqueConstraint("passkey", "upload_id"),
)

audit = Table(
    "audit",
    metadata,
    Column("id", Id, primary_key=True),
    Column("at", Double, nullable=False, index=True),
    Column("actor_id", ForeignKey("member.id")),
    Column("actor_name", String(64), nullable=False),
    Column("door", String(8), nullable=False),
    Column("address", String(64)),
    Column("action", String(64), nullable=False, index=True),
    Column("target_kind", String(16), nullable=False),
    Column("target_id", String(64), nullable=False),
    Column("target_name", Text, nullable=False, default=""),
    Column("before", JSON(none_as_null=True)),
    Column("after", JSON(none_as_null=True)),
    Column("request_id", String(64), nullable=False, default=""),
)
Index("ix_audit_target", audit.c.target_kind, audit.c.target_id, audit.c.id)
Index("ix_audit_actor_id_id", audit.c.actor_id, audit.c.id)
