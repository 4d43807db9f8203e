"""Records carried from one database to another arrive whole, or not at all."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa
from sqlalchemy import Connection, MetaData

from holdfast.backup.move import move
from holdfast.catalogue import tables
from holdfast.errors import ConflictError
from holdfast.store.records import Records
from holdfast.store.records.engine import RecordsAddress, records_address
from holdfast.store.records.migrate import migrate
from tests.conftest import opened


@pytest.fixture
def source(tmp_path: Path) -> Iterator[Records]:
    folder = tmp_path / "source"
    folder.mkdir()
    with opened(records_address("sqlite", folder)) as records:
        migrate(records)
        records.write_now(_fill)
        yield records


def _fill(tx: Connection) -> None:
    """Rows of every kind of value: names, truth, large numbers, fractions, JSON, bytes."""
    of_members = {"enabled": True, "may_leech": False, "uploaded": 5_000_000_000, "joined": 1.5}
    tx.execute(
        sa.insert(tables.member),
        [
            {
                "name": f"Küste{number}",
                "name_key": f"küste{number}",
                "preferences": {"page": True},
                **of_members,
            }
            for number in range(1200)
        ],
    )
    of_pieces = {"piece_length": 16384, "piece_count": 1, "file_count": 1, "private": True, "created": 2.25}
    upload = {"name": "Logbooks", "name_key": "logbooks", "category_id": 1, "uploader_id": 7, "size": 6 << 30}
    tx.execute(sa.insert(tables.upload), [{**upload, **of_pieces}])
    tx.execute(sa.insert(tables.torrent), [{"upload_id": 1, "torrent": b"\0\xff" * 1000}])


def everything(tx: Connection) -> dict[str, list[tuple[object, ...]]]:
    seen = MetaData()
    seen.reflect(tx)
    return {
        table.name: [tuple(row) for row in tx.execute(sa.select(table).order_by(*table.primary_key.columns))]
        for table in seen.sorted_tables
    }


def ignore(name: str, rows: int) -> None:
    """Nobody watches."""


def test_everything_arrives_as_it_was(source: Records, empty_address: RecordsAddress) -> None:
    told = {}
    with opened(empty_address) as target:
        move(source, target, lambda name, rows: told.update({name: rows}))
        assert target.read_now(everything) == source.read_now(everything)
        assert (told["member"], told["torrent"], told["audit"]) == (1200, 1, 0)


def test_new_rows_go_on_counting(source: Records, empty_address: RecordsAddress) -> None:
    statement = sa.text(
        "INSERT INTO category (name, name_key, points) VALUES ('Maps', 'maps', 3) RETURNING id"
    )
    with opened(empty_address) as target:
        move(source, target, ignore)
        assert target.write_now(lambda tx: tx.execute(statement).scalar_one()) == 2


def test_a_database_with_records_is_refused_and_stays_as_it_was(
    source: Records, address: RecordsAddress
) -> None:
    with opened(address) as target:
        target.write_now(_fill)
        before = target.read_now(everything)
        with pytest.raises(ConflictError, match="has records already"):
            move(source, target, ignore)
        assert target.read_now(everything) == before


def test_a_move_that_fails_half_way_leaves_an_empty_database(
    source: Records, empty_address: RecordsAddress
) -> None:
    def fail(name: str, rows: int) -> None:
        if name == "upload":
            raise KeyboardInterrupt

    with opened(empty_address) as target:
        with pytest.raises(KeyboardInterrupt):
            move(source, target, fail)
        assert not target.read_now(everything)["member"]
        move(source, target, ignore)
        assert len(target.read_now(everything)["member"]) == 1200


def test_records_are_not_moved_onto_themselves(source: Records) -> None:
    with pytest.raises(ConflictError, match="there already"):
        move(source, source, ignore)


def test_records_of_an_older_version_are_not_moved(source: Records, empty_address: RecordsAddress) -> None:
    source.write_now(lambda tx: tx.execute(sa.text("UPDATE alembic_version SET version_num = '0000'")))
    with opened(empty_address) as target, pytest.raises(ConflictError, match="holdfast migrate"):
        move(source, target, ignore)
