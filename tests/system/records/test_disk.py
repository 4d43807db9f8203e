"""Disks that are full, read-only or damaged: a sentence that says what to do, and nothing changed."""

import asyncio
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
import sqlalchemy as sa

from holdfast.errors import UnavailableError
from holdfast.store.records import Records
from holdfast.store.records.engine import RecordsAddress, records_address, still_there
from tests.conftest import opened
from tests.processes import NOBODY, Other
from tests.store.records.rows import adding, kept
from tests.system.records.work import try_both

LONG = "x" * 100_000


@contextmanager
def small_disk(size: str) -> Iterator[Path]:
    """A disk of that size; the test is skipped, loudly, where we may not mount one."""
    with TemporaryDirectory(prefix="hf-disk-") as folder:
        mount = ["mount", "-t", "tmpfs", "-o", f"size={size},mode=755", "tmpfs", folder]
        if os.geteuid() != 0 or subprocess.run(mount, check=False, capture_output=True).returncode:
            pytest.skip("NOT TESTED: only root can mount a small disk, and some containers forbid even that")
        try:
            yield Path(folder)
        finally:
            subprocess.run(["umount", "--lazy", folder], check=True)


def fill(records: Records, write: str) -> str:
    """Write until that fails; returns the sentence."""
    for n in range(1_000):
        work = adding(f"{LONG} {n}")
        try:
            if write == "write":
                asyncio.run(records.write(work))
            else:
                records.write_now(work)
        except UnavailableError as error:
            return str(error)
    raise AssertionError("it was never full")


@pytest.mark.parametrize("write", ["write", "write_now"])
def test_a_full_disk_changes_nothing_and_all_goes_on_when_there_is_space(
    migrated_sqlite: Path, write: str
) -> None:
    with small_disk("2m") as disk:
        shutil.copy(migrated_sqlite, disk / "records.sqlite")
        with opened(records_address("sqlite", disk)) as records:
            records.write_now(adding("before"))
            (disk / "filler").write_bytes(bytes(700_000))
            said = fill(records, write)
            assert str(disk / "records.sqlite") in said
            assert "is full, so nothing was changed; free some space and try again." in said
            before = kept(records)
            assert before[0] == "before"
            with pytest.raises(UnavailableError, match="full"):
                asyncio.run(records.write(adding(LONG)))
            assert kept(records) == before
            (disk / "filler").unlink()
            assert asyncio.run(records.write(adding(LONG))) == LONG
            assert kept(records) == [*before, LONG]


def test_a_full_database_says_the_same_where_no_disk_can_be_mounted(sqlite_address: RecordsAddress) -> None:
    with opened(sqlite_address) as records:

        @sa.event.listens_for(records.engine, "begin")
        def limit(tx: sa.Connection) -> None:
            tx.exec_driver_sql(f"PRAGMA max_page_count = {pages}")

        pages = 200
        assert "is full, so nothing was changed" in fill(records, "write")
        before = kept(records)
        pages = 1_000_000
        records.write_now(adding("afterwards"))
        assert kept(records) == [*before, "afterwards"]


def test_on_a_full_disk_nobody_of_a_group_is_told_that_all_went_well(migrated_sqlite: Path) -> None:
    with small_disk("2m") as disk:
        shutil.copy(migrated_sqlite, disk / "records.sqlite")
        with opened(records_address("sqlite", disk)) as records:
            (disk / "filler").write_bytes(bytes(1_000_000))

            async def at_once() -> list[object]:
                works = [adding(f"{LONG} {n}") for n in range(30)]
                return await asyncio.gather(*map(records.write, works), return_exceptions=True)

            answers = asyncio.run(at_once())
            assert {answer for answer in answers if isinstance(answer, str)} == set(kept(records))
            assert any(isinstance(answer, UnavailableError) for answer in answers)


def test_a_disk_that_turned_read_only_is_named(migrated_sqlite: Path) -> None:
    with small_disk("8m") as disk:
        shutil.copy(migrated_sqlite, disk / "records.sqlite")
        with opened(records_address("sqlite", disk)) as records:
            records.write_now(adding("before"))
        subprocess.run(["mount", "-o", "remount,ro", disk], check=True)
        with opened(records_address("sqlite", disk)) as records, pytest.raises(UnavailableError) as told:
            records.write_now(adding("film"))
        assert "read-only" in str(told.value) or "cannot be opened" in str(told.value)
        assert str(disk) in str(told.value)


@pytest.mark.skipif(os.geteuid() != 0, reason="NOT TESTED: only root can act as somebody without rights")
@pytest.mark.parametrize(("folder", "file"), [(0o755, 0o644), (0o755, 0o600), (0o700, 0o644)])
def test_somebody_without_rights_is_told_which_right_is_missing(
    migrated_sqlite: Path, folder: int, file: int
) -> None:
    with TemporaryDirectory(prefix="hf-") as name:
        data = Path(name)
        shutil.copy(migrated_sqlite, data / "records.sqlite")
        (data / "records.sqlite").chmod(file)
        data.chmod(folder)
        read, written = Other(try_both, records_address("sqlite", data), uid=NOBODY).result()
        for said in (read, written):
            assert "read-only" in said or "cannot be opened" in said, said
            assert "the user that runs Holdfast" in said
            assert name in said
        with opened(records_address("sqlite", data)) as records:
            assert kept(records) == []


def test_a_file_that_is_no_database_is_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "records.sqlite"
    file.write_text("Dear diary, " * 1000)
    before = file.read_bytes()
    with opened(records_address("sqlite", tmp_path)) as records:
        for said in (still_there(records), _told(records)):
            assert said == f"The file at {file} is no records file; move it away or restore the last backup."
    assert file.read_bytes() == before


def test_a_damaged_database_asks_for_its_backup(sqlite_address: RecordsAddress) -> None:
    file = Path(str(sqlite_address.url.database))
    with opened(sqlite_address) as records:
        for n in range(50):
            records.write_now(adding(f"{n} {LONG[:5000]}"))
    content = bytearray(file.read_bytes())
    for page in range(1, len(content) // 4096):
        content[page * 4096 : page * 4096 + 200] = b"\xff" * 200
    file.write_bytes(content)
    with opened(sqlite_address) as records:
        assert _told(records) == (
            f"The records at {file} are damaged; stop Holdfast and restore the last backup."
        )


def _told(records: Records) -> str:
    with pytest.raises(UnavailableError) as told:
        asyncio.run(records.write(adding("film")))
    return str(told.value)
