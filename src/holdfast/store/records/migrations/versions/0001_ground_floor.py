"""The ground floor: members, uploads, points, notices, the audit, the outbox, and the ways to sign in."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    _category()
    _member()
    _outbox()
    _whitelist()
    _audit()
    _member_role()
    _notice()
    _one_time_link()
    _passkey()
    _password()
    _session()
    _token()
    _upload()
    _delivery()
    _info_hash()
    _points()
    _torrent()
    _upload_file()
    # So that a first upload needs no preparation.
    op.execute("INSERT INTO category (name, name_key, points) VALUES ('General', 'general', 10)")


def _category() -> None:
    op.create_table(
        "category",
        sa.Column("id", ID, nullable=False),
        sa.Column("name", sa.String(length=64), nullable=False),
        sa.Column("name_key", sa.Text(), nullable=False),
        sa.Column("points", sa.Integer(), nullable=False),
        sa.CheckConstraint("points >= 0", name="ck_category_points_not_negative"),
        sa.PrimaryKeyConstraint("id", name="pk_category"),
        sa.UniqueConstraint("name_key", name="uq_category_name_key"),
    )


def _member() -> None:
    op.create_table(
        "member",
        sa.Column("id", ID, nullable=False),
        sa.Column("name", sa.String(length=64), nullable=False),
        sa.Column("name_key", sa.Text(), nullable=False),
        sa.Column("enabled", sa.Boolean(), nullable=False),
        sa.Column("may_leech", sa.Boolean(), nullable=False),
        sa.Column("uploaded", sa.BigInteger(), nullable=False),
        sa.Column("downloaded", sa.BigInteger(), nullable=False),
        sa.Column("joined", sa.Double(), nullable=False),
        sa.Column("last_seen", sa.Double(), nullable=True),
        sa.Column("email", sa.String(length=254), nullable=True),
        sa.Column("preferences", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_member"),
        sa.UniqueConstraint("name_key", name="uq_member_name_key"),
    )


def _outbox() -> None:
    op.create_table(
        "outbox",
        sa.Column("id", ID, nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("created", sa.Double(), nullable=False),
        sa.Column("request_id", sa.String(length=64), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_outbox"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_outbox_kind_key", "outbox", ["kind", "key"], unique=False)


def _whitelist() -> None:
    op.create_table(
        "whitelist",
        sa.Column("prefix", sa.String(length=20), nullable=False),
        sa.Column("name", sa.String(length=128), nullable=False),
        sa.Column("retired", sa.Double(), nullable=True),
        sa.PrimaryKeyConstraint("prefix", name="pk_whitelist"),
    )


def _audit() -> None:
    op.create_table(
        "audit",
        sa.Column("id", ID, nullable=False),
        sa.Column("at", sa.Double(), nullable=False),
        sa.Column("actor_id", ID, nullable=True),
        sa.Column("actor_name", sa.String(length=64), nullable=False),
        sa.Column("door", sa.String(length=8), nullable=False),
        sa.Column("address", sa.String(length=64), nullable=True),
        sa.Column("action", sa.String(length=64), nullable=False),
        sa.Column("target_kind", sa.String(length=16), nullable=False),
        sa.Column("target_id", sa.String(length=64), nullable=False),
        sa.Column("target_name", sa.Text(), nullable=False),
        sa.Column("before", sa.JSON(), nullable=True),
        sa.Column("after", sa.JSON(), nullable=True),
        sa.Column("request_id", sa.String(length=64), nullable=False),
        sa.ForeignKeyConstraint(["actor_id"], ["member.id"], name="fk_audit_actor_id"),
        sa.PrimaryKeyConstraint("id", name="pk_audit"),
    )
    op.create_index("ix_audit_action", "audit", ["action"], unique=False)
    op.create_index("ix_audit_actor_id_id", "audit", ["actor_id", "id"], unique=False)
    op.create_index("ix_audit_at", "audit", ["at"], unique=False)
    op.create_index("ix_audit_target", "audit", ["target_kind", "target_id", "id"], unique=False)


def _member_role() -> None:
    op.create_table(
        "member_role",
        sa.Column("member_id", ID, nullable=False),
        sa.Column("role", sa.String(length=16), nullable=False),
        sa.ForeignKeyConstraint(["member_id"], ["member.id"], name="fk_member_role_member_id"),
        sa.PrimaryKeyConstraint("member_id", "role", name="pk_member_role"),
    )
    op.create_index("ix_member_role_role", "member_role", ["role"], unique=False)


def _notice() -> None:
    op.create_table(
        "notice",
        sa.Column("id", ID, nullable=False),
        sa.Column("member_id", ID, nullable=False),
        sa.Column("kind", sa.String(length=64), nullable=False),
        sa.Column("role", sa.String(length=16), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("created", sa.Double(), nullable=False),
        sa.Column("read_at", sa.Double(), nullable=True),
        sa.Column("on_page", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(["member_id"], ["member.id"], name="fk_notice_member_id"),
        sa.PrimaryKeyConstraint("id", name="pk_notice"),
    )
    op.create_index("ix_notice_created", "notice", ["created"], unique=False)
    op.create_index("ix_notice_member_id_id", "notice", ["member_id", "id"], unique=False)


def _one_time_link() -> None:
    op.create_table(
        "one_time_link",
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("purpose", sa.String(length=16), nullable=False),
        sa.Column("member_id", ID, nullable=True),
        sa.Column("created", sa.Double(), nullable=False),
        sa.Column("expires", sa.Double(), nullable=False),
        sa.Column("used_at", sa.Double(), nullable=True),
        sa.ForeignKeyConstraint(["member_id"], ["member.id"], name="fk_one_time_link_member_id"),
        sa.PrimaryKeyConstraint("digest", name="pk_one_time_link"),
    )
    op.create_index("ix_one_time_link_expires", "one_time_link", ["expires"], unique=False)
    op.create_index("ix_one_time_link_member_id", "one_time_link", ["member_id"], unique=False)


def _passkey() -> None:
    op.create_table(
        "passkey",
        sa.Column("passkey", sa.String(length=32), nullable=False),
        sa.Column("member_id", ID, nullable=False),
        sa.Column("created", sa.Double(), nullable=False),
        sa.Column("retired", sa.Double(), nullable=True),
        sa.ForeignKeyConstraint(["member_id"], ["member.id"], name="fk_passkey_member_id"),
        sa.PrimaryKeyConstraint("passkey", name="pk_passkey"),
    )
    op.create_index("ix_passkey_member_id", "passkey", ["member_id"], unique=False)
    op.create_index(
        "uq_passkey_active",
        "passkey",
        ["member_id"],
        unique=True,
        sqlite_where=sa.text("retired IS NULL"),
        postgresql_where=sa.text("retired IS NULL"),
    )


def _password() -> None:
    op.create_table(
        "password",
        sa.Column("member_id", ID, nullable=False),
        sa.Column("password", sa.Text(), nullable=False),
        sa.Column("changed", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["member_id"], ["member.id"], name="fk_password_member_id"),
        sa.PrimaryKeyConstraint("member_id", name="pk_password"),
    )


def _session() -> None:
    op.create_table(
        "session",
        sa.Column("id", ID, nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("member_id", ID, nullable=False),
        sa.Column("created", sa.Double(), nullable=False),
        sa.Column("last_used", sa.Double(), nullable=False),
        sa.Column("expires", sa.Double(), nullable=False),
        sa.Column("address", sa.String(length=64), nullable=True),
        sa.Column("agent", sa.String(length=200), nullable=False),
        sa.ForeignKeyConstraint(["member_id"], ["member.id"], name="fk_session_member_id"),
        sa.PrimaryKeyConstraint("id", name="pk_session"),
        sa.UniqueConstraint("digest", name="uq_session_digest"),
    )
    op.create_index("ix_session_expires", "session", ["expires"], unique=False)
    op.create_index("ix_session_member_id_id", "session", ["member_id", "id"], unique=False)


def _token() -> None:
    op.create_table(
        "token",
        sa.Column("id", ID, nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("member_id", ID, nullable=False),
        sa.Column("name", sa.String(length=64), nullable=False),
        sa.Column("scopes", sa.JSON(), nullable=False),
        sa.Column("created", sa.Double(), nullable=False),
        sa.Column("last_used", sa.Double(), nullable=True),
        sa.Column("expires", sa.Double(), nullable=True),
        sa.ForeignKeyConstraint(["member_id"], ["member.id"], name="fk_token_member_id"),
        sa.PrimaryKeyConstraint("id", name="pk_token"),
        sa.UniqueConstraint("digest", name="uq_token_digest"),
    )
    op.create_index("ix_token_member_id_id", "token", ["member_id", "id"], unique=False)


def _upload() -> None:
    op.create_table(
        "upload",
        sa.Column("id", ID, nullable=False),
        sa.Column("name", sa.String(length=255), nullable=False),
        sa.Column("name_key", sa.Text(), nullable=False),
        sa.Column("category_id", ID, nullable=False),
        sa.Column("uploader_id", ID, nullable=True),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("piece_length", sa.BigInteger(), nullable=False),
        sa.Column("piece_count", sa.Integer(), nullable=False),
        sa.Column("file_count", sa.Integer(), nullable=False),
        sa.Column("private", sa.Boolean(), nullable=False),
        sa.Column("source", sa.Text(), nullable=True),
        sa.Column("comment", sa.Text(), nullable=False),
        sa.Column("created", sa.Double(), nullable=False),
        sa.Column("last_action", sa.Double(), nullable=True),
        sa.Column("completed", sa.Integer(), nullable=False),
        sa.Column("seeders", sa.Integer(), nullable=False),
        sa.Column("leechers", sa.Integer(), nullable=False),
        sa.Column("removed_at", sa.Double(), nullable=True),
        sa.Column("removed_reason", sa.Text(), nullable=True),
        sa.Column("removed_by", ID, nullable=True),
        sa.ForeignKeyConstraint(["category_id"], ["category.id"], name="fk_upload_category_id"),
        sa.ForeignKeyConstraint(["removed_by"], ["member.id"], name="fk_upload_removed_by"),
        sa.ForeignKeyConstraint(["uploader_id"], ["member.id"], name="fk_upload_uploader_id"),
        sa.PrimaryKeyConstraint("id", name="pk_upload"),
    )
    op.create_index("ix_upload_category_id", "upload", ["category_id"], unique=False)
    op.create_index("ix_upload_created", "upload", ["created"], unique=False)
    op.create_index("ix_upload_last_action", "upload", ["last_action"], unique=False)
    op.create_index("ix_upload_removed_at", "upload", ["removed_at"], unique=False)
    op.create_index("ix_upload_uploader_id", "upload", ["uploader_id"], unique=False)


def _delivery() -> None:
    op.create_table(
        "delivery",
        sa.Column("notice_id", ID, nullable=False),
        sa.Column("sink", sa.String(length=16), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("next_at", sa.Double(), nullable=False),
        sa.Column("error", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["notice_id"], ["notice.id"], name="fk_delivery_notice_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("notice_id", "sink", name="pk_delivery"),
    )
    op.create_index("ix_delivery_due", "delivery", ["state", "next_at"], unique=False)


def _info_hash() -> None:
    op.create_table(
        "info_hash",
        sa.Column("info_hash", sa.String(length=40), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("whole", sa.String(length=64), nullable=False),
        sa.Column("upload_id", ID, nullable=False),
        sa.CheckConstraint("version IN (1, 2)", name="ck_info_hash_version_known"),
        sa.ForeignKeyConstraint(["upload_id"], ["upload.id"], name="fk_info_hash_upload_id"),
        sa.PrimaryKeyConstraint("info_hash", name="pk_info_hash"),
    )
    op.create_index("ix_info_hash_upload_id", "info_hash", ["upload_id"], unique=False)


def _points() -> None:
    op.create_table(
        "points",
        sa.Column("id", ID, nullable=False),
        sa.Column("member_id", ID, nullable=False),
        sa.Column("at", sa.Double(), nullable=False),
        sa.Column("amount", sa.BigInteger(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("upload_id", ID, nullable=True),
        sa.Column("by_id", ID, nullable=True),
        sa.CheckConstraint("amount <> 0", name="ck_points_amount_not_zero"),
        sa.ForeignKeyConstraint(["by_id"], ["member.id"], name="fk_points_by_id"),
        sa.ForeignKeyConstraint(["member_id"], ["member.id"], name="fk_points_member_id"),
        sa.ForeignKeyConstraint(["upload_id"], ["upload.id"], name="fk_points_upload_id"),
        sa.PrimaryKeyConstraint("id", name="pk_points"),
    )
    op.create_index("ix_points_member_id_id", "points", ["member_id", "id"], unique=False)
    op.create_index("ix_points_upload_id", "points", ["upload_id"], unique=False)


def _torrent() -> None:
    op.create_table(
        "torrent",
        sa.Column("upload_id", ID, nullable=False),
        sa.Column("torrent", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["upload_id"], ["upload.id"], name="fk_torrent_upload_id"),
        sa.PrimaryKeyConstraint("upload_id", name="pk_torrent"),
    )


def _upload_file() -> None:
    op.create_table(
        "upload_file",
        sa.Column("upload_id", ID, nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["upload_id"], ["upload.id"], name="fk_upload_file_upload_id"),
        sa.PrimaryKeyConstraint("upload_id", "position", name="pk_upload_file"),
    )
