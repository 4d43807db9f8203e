"""Data folders that cannot be used: each is refused in one sentence that says what to do."""

import sqlite3
from pathlib import Path

import pytest

from holdfast.errors import Exit
from holdfast.store.records.migrate import HEAD
from tests.system.running import FREE, Answer, Running, small_disk, torrent_named


def refused(house: Running) -> Answer:
    house.rests = (0.05, 0.1)
    house.begin()
    ended = house.ended()
    assert not house.left_running
    assert "Traceback" not in ended.err
    return ended


def test_a_data_folder_that_is_a_file(house: Running) -> None:
    house.folder.mkdir(exist_ok=True)
    house.data.write_text("a file")
    ended = house.cli("up", *FREE)
    assert ended.code == Exit.USAGE
    assert "is a file" in ended.sentence


def test_a_data_folder_below_a_file(house: Running) -> None:
    file = house.folder / "file"
    file.write_text("a file")
    below = Running(file / "data")
    ended = below.cli("up", *FREE)
    assert ended.code == Exit.USAGE
    assert "--data" in ended.sentence


def test_a_read_only_disk(house: Running) -> None:
    with small_disk(house.data, "1m", read_only=True):
        ended = house.cli("up", *FREE)
        assert ended.code == Exit.REFUSED
        assert "read-only" in ended.sentence
        assert "--data" in ended.sentence


def test_a_disk_without_any_room(house: Running) -> None:
    with small_disk(house.data, "4k"):
        ended = house.cli("up", *FREE)
        assert ended.code == Exit.UNAVAILABLE
        assert "No space left" in ended.sentence


def change_records(house: Running, statement: str) -> None:
    with sqlite3.connect(house.data / "records.sqlite") as records:
        records.execute(statement)
    records.close()


def test_a_folder_from_a_newer_version_is_left_as_it_is(house: Running) -> None:
    house.start()
    assert house.stop().code == 0
    change_records(house, "UPDATE alembic_version SET version_num = '9999'")
    before = (house.data / "records.sqlite").read_bytes()
    ended = refused(house)
    assert ended.code == Exit.SETTINGS
    assert "newer Holdfast" in ended.sentence
    assert "9999" in ended.sentence
    assert "backup" in ended.sentence
    migrated = house.cli("migrate")
    assert (migrated.code, "newer Holdfast" in migrated.sentence) == (Exit.SETTINGS, True)
    assert (house.data / "records.sqlite").read_bytes() == before
    change_records(house, f"UPDATE alembic_version SET version_num = '{HEAD}'")
    house.start()


@pytest.mark.parametrize(
    ("spoil", "word"),
    [
        (lambda file: file.write_bytes(b"no database at all" * 500), "no records file"),
        (lambda file: file.write_bytes(file.read_bytes()[:100] + b"\xff" * 8000), "damaged"),
    ],
    ids=["something else", "overwritten"],
)
def test_a_records_file_that_is(house: Running, spoil: object, word: str) -> None:
    house.start()
    assert house.stop().code == 0
    assert callable(spoil)
    spoil(house.data / "records.sqlite")
    ended = refused(house)
    assert ended.code == Exit.UNAVAILABLE
    assert word in ended.sentence
    assert "records.sqlite" in ended.sentence
    assert "backup" in ended.sentence


def append_only_file(house: Running) -> Path:
    (file,) = (house.data / "live" / "appendonlydir").glob("*.incr.aof")
    return file


def fill_live_store(house: Running) -> None:
    house.start()
    assert house.cli("member", "add", "ann").code == 0
    with house.door() as door:
        for number in range(5):
            torrent = torrent_named(f"upload {number}")
            door.send("/uploads", torrent, "application/x-bittorrent", by="ann", category="General")
    assert house.stop().code == 0


def test_an_append_only_file_cut_short_by_a_crash_is_mended_and_completed(house: Running) -> None:
    fill_live_store(house)
    file = append_only_file(house)
    file.write_bytes(file.read_bytes()[:-7])
    house.start()
    assert len(house.live_uploads()) == 5


def test_an_append_only_file_damaged_in_the_middle_is_told_in_a_sentence(house: Running) -> None:
    fill_live_store(house)
    file = append_only_file(house)
    content = bytearray(file.read_bytes())
    # Where a command begins; the steps' own source, which is in there too, has asterisks of its own.
    middle = content.index(b"\r\n*", len(content) // 2) + 2
    content[middle : middle + 4] = b"@@@@"
    file.write_bytes(content)
    ended = refused(house)
    assert "append-only file" in ended.sentence
    assert "damaged" in ended.sentence
    assert "holdfast.store.live.mend" in ended.sentence
