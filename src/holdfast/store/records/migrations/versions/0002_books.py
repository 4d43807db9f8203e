"""The tracker's books: who took part in what, what was last seen in the live store, and reports."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"

ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    _participation()
    _live_seen()
    _swarm_window()
    _swarm_share()
    _report()
    _feed()


def _participation() -> None:
    op.create_table(
        "participation",
        sa.Column("member_id", ID, nullable=False),
        sa.Column("upload_id", ID, nullable=False),
        sa.Column("seeding", sa.Integer(), nullable=False),
        sa.Column("leeching", sa.Integer(), nullable=False),
        sa.Column("complete", sa.Boolean(), nullable=False),
        sa.Column("snatched", sa.Double(), nullable=True),
        sa.Column("time", sa.BigInteger(), nullable=False),
        sa.Column("uploaded", sa.BigInteger(), nullable=False),
        sa.Column("downloaded", sa.BigInteger(), nullable=False),
        sa.Column("hnr", sa.Double(), nullable=True),
        sa.Column("exempt", sa.Boolean(), nullable=False),
        sa.Column("exempt_told", sa.Boolean(), nullable=False),
        sa.Column("first_seen", sa.Double(), nullable=False),
        sa.Column("last_change", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["member_id"], ["member.id"], name="fk_participation_member_id"),
        sa.ForeignKeyConstraint(["upload_id"], ["upload.id"], name="fk_participation_upload_id"),
        sa.PrimaryKeyConstraint("member_id", "upload_id", name="pk_participation"),
    )
    op.create_index("ix_participation_upload_id", "participation", ["upload_id"])
    untold = sa.column("exempt_told").is_(False)
    op.create_index(
        "ix_participation_untold",
        "participation",
        ["member_id"],
        sqlite_where=untold,
        postgresql_where=untold,
    )


def _live_seen() -> None:
    op.create_table(
        "live_seen",
        sa.Column("thing", sa.String(length=48), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("born", sa.String(length=64), nullable=False),
        sa.Column("uploaded", sa.BigInteger(), nullable=False),
        sa.Column("downloaded", sa.BigInteger(), nullable=False),
        sa.Column("time", sa.BigInteger(), nullable=False),
        sa.Column("hnr", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("thing", name="pk_live_seen"),
    )


def _swarm_window() -> None:
    op.create_table(
        "swarm_window",
        sa.Column("upload_id", ID, nullable=False),
        sa.Column("since", sa.Double(), nullable=False),
        sa.Column("uploaded", sa.BigInteger(), nullable=False),
        sa.Column("downloaded", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["upload_id"], ["upload.id"], name="fk_swarm_window_upload_id"),
        sa.PrimaryKeyConstraint("upload_id", name="pk_swarm_window"),
    )
    op.create_index("ix_swarm_window_since", "swarm_window", ["since"])


def _swarm_share() -> None:
    op.create_table(
        "swarm_share",
        sa.Column("upload_id", ID, nullable=False),
        sa.Column("member_id", ID, nullable=False),
        sa.Column("uploaded", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["member_id"], ["member.id"], name="fk_swarm_share_member_id"),
        sa.ForeignKeyConstraint(["upload_id"], ["upload.id"], name="fk_swarm_share_upload_id"),
        sa.PrimaryKeyConstraint("upload_id", "member_id", name="pk_swarm_share"),
    )


def _report() -> None:
    op.create_table(
        "report",
        sa.Column("id", ID, nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("about", sa.String(length=64), nullable=False),
        sa.Column("member_id", ID, nullable=True),
        sa.Column("upload_id", ID, nullable=True),
        sa.Column("first", sa.Double(), nullable=False),
        sa.Column("last", sa.Double(), nullable=False),
        sa.Column("times", sa.Integer(), nullable=False),
        sa.Column("worst", sa.BigInteger(), nullable=False),
        sa.Column("details", sa.JSON(), nullable=False),
        sa.Column("settled", sa.Double(), nullable=True),
        sa.Column("settled_by", ID, nullable=True),
        sa.Column("verdict", sa.String(length=32), nullable=True),
        sa.Column("note", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["member_id"], ["member.id"], name="fk_report_member_id"),
        sa.ForeignKeyConstraint(["settled_by"], ["member.id"], name="fk_report_settled_by"),
        sa.ForeignKeyConstraint(["upload_id"], ["upload.id"], name="fk_report_upload_id"),
        sa.PrimaryKeyConstraint("id", name="pk_report"),
    )
    op.create_index("ix_report_member_id", "report", ["member_id"])
    op.create_index("ix_report_upload_id", "report", ["upload_id"])
    unsettled = sa.column("settled").is_(None)
    op.create_index(
        "uq_report_open",
        "report",
        ["about"],
        unique=True,
        sqlite_where=unsettled,
        postgresql_where=unsettled,
    )


def _feed() -> None:
    op.create_table(
        "feed",
        sa.Column("name", sa.String(length=32), nullable=False),
        sa.Column("position", sa.String(length=64), nullable=False),
        sa.Column("last_heard", sa.Double(), nullable=False),
        sa.Column("whole_since", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_feed"),
    )
