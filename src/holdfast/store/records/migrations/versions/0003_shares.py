"""Shares of what is credited: of members, of uploads and for a time; and keys good for one upload alone."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"

ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    for table in ("member", "upload"):
        for name in ("multi_up", "multi_down"):
            op.add_column(
                table, sa.Column(name, sa.Integer(), server_default=sa.text("1000"), nullable=False)
            )
    _freeleech()
    _announce_key()


def _freeleech() -> None:
    op.create_table(
        "freeleech",
        sa.Column("id", ID, nullable=False),
        sa.Column("starts", sa.Double(), nullable=False),
        sa.Column("ends", sa.Double(), nullable=False),
        sa.Column("multi_up", sa.Integer(), nullable=False),
        sa.Column("multi_down", sa.Integer(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("retired", sa.Double(), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_freeleech"),
    )


def _announce_key() -> None:
    op.create_table(
        "announce_key",
        sa.Column("announce_key", sa.String(length=32), nullable=False),
        sa.Column("passkey", sa.String(length=32), nullable=False),
        sa.Column("upload_id", ID, nullable=False),
        sa.Column("created", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["passkey"], ["passkey.passkey"], name="fk_announce_key_passkey"),
        sa.ForeignKeyConstraint(["upload_id"], ["upload.id"], name="fk_announce_key_upload_id"),
        sa.PrimaryKeyConstraint("announce_key", name="pk_announce_key"),
        sa.UniqueConstraint("passkey", "upload_id", name="uq_announce_key_passkey_upload_id"),
    )
    op.create_index("ix_announce_key_upload_id", "announce_key", ["upload_id"], unique=False)
