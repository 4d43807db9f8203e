"""Files are copied as they are at one moment, whatever their owners do meanwhile."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from holdfast.backup.copies import MANIFEST, check_records, copy_append_only, copy_records
from holdfast.errors import NotFoundError, UnavailableError


def ignore(done: int, total: int) -> None:
    """No bar to move."""


@pytest.fixture
def records(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    """A file in use, in the mode that ours are in, with two tables that always agree."""
    with closing(sqlite3.connect(tmp_path / "records.sqlite", isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = OFF")
        connection.executescript(
            "CREATE TABLE entry (amount, note); CREATE TABLE total (amount); INSERT INTO total VALUES (0);"
            "CREATE TABLE alembic_version (version_num); INSERT INTO alembic_version VALUES ('0007');"
        )
        for _ in range(200):
            add(connection, 1)
        yield connection


def add(connection: sqlite3.Connection, amount: int) -> None:
    connection.execute("BEGIN")
    connection.execute("INSERT INTO entry VALUES (?, ?)", (amount, "x" * 20_000))
    connection.execute("UPDATE total SET amount = amount + ?", (amount,))
    connection.execute("COMMIT")


def sums(file: Path) -> tuple[int, int]:
    with closing(sqlite3.connect(file)) as connection:
        entries = connection.execute("SELECT sum(amount) FROM entry").fetchone()[0]
        total = connection.execute("SELECT amount FROM total").fetchone()[0]
        return entries, total


def test_a_copy_of_records_in_use_is_one_moment_of_them(records: sqlite3.Connection, tmp_path: Path) -> None:
    steps = []

    def write_meanwhile(done: int, total: int) -> None:
        steps.append((done, total))
        add(records, 1)

    schema = copy_records(tmp_path / "records.sqlite", tmp_path / "copy", write_meanwhile)
    assert schema == "0007"
    assert sums(tmp_path / "copy") == (200, 200)
    assert len(steps) > 1
    assert steps[-1][0] == steps[-1][1]
    assert sums(tmp_path / "records.sqlite") == (200 + len(steps), 200 + len(steps))


def test_a_copy_of_records_leaves_no_trace_and_is_for_its_owner_alone(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "records.sqlite")) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("CREATE TABLE entry (amount)")
    assert copy_records(tmp_path / "records.sqlite", tmp_path / "copy", ignore) is None
    assert check_records(tmp_path / "copy") is None
    assert sorted(file.name for file in tmp_path.iterdir()) == ["copy", "records.sqlite"]
    assert (tmp_path / "copy").stat().st_mode & 0o777 == 0o600


def test_damaged_records_are_refused(records: sqlite3.Connection, tmp_path: Path) -> None:
    copy_records(tmp_path / "records.sqlite", tmp_path / "copy", ignore)
    content = bytearray((tmp_path / "copy").read_bytes())
    content[len(content) // 2 : len(content) // 2 + 4096] = b"\xff" * 4096
    (tmp_path / "copy").write_bytes(content)
    with pytest.raises(UnavailableError, match="damaged"):
        check_records(tmp_path / "copy")


def test_what_is_no_database_is_refused(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("A letter to the operator, not a database at all. " * 100)
    with pytest.raises(UnavailableError, match="cannot be read"):
        check_records(tmp_path / "text")
    with pytest.raises(NotFoundError):
        check_records(tmp_path / "nothing")


def append_only(folder: Path, base: int, *increments: int) -> None:
    """The folder as a server has it after some rewrites."""
    folder.mkdir(exist_ok=True)
    lines = [f"file appendonly.aof.{base}.base.rdb seq {base} type b"]
    lines += [f"file appendonly.aof.{number}.incr.aof seq {number} type i" for number in increments]
    lines += ["file appendonly.aof.0.incr.aof seq 0 type h"]
    for line in lines[:-1]:
        (folder / line.split()[1]).write_text(f"what {line.split()[1]} holds")
    (folder / MANIFEST).write_text("\n".join(lines) + "\n")


def test_the_files_of_the_manifest_are_copied_and_no_others(tmp_path: Path) -> None:
    append_only(tmp_path / "live", 3, 3, 4)
    (tmp_path / "live/temp-rewriteaof-99.aof").write_text("half")
    copy_append_only(tmp_path / "live", tmp_path / "copy", ignore)
    assert sorted(file.name for file in (tmp_path / "copy").iterdir()) == [
        "appendonly.aof.3.base.rdb",
        "appendonly.aof.3.incr.aof",
        "appendonly.aof.4.incr.aof",
        MANIFEST,
    ]


def test_a_rewrite_under_our_hands_makes_the_copy_start_over(tmp_path: Path) -> None:
    source = tmp_path / "live"
    append_only(source, 1, 1)
    rewrites = iter([2, 3])

    def rewrite(done: int, total: int) -> None:
        number = next(rewrites, None)
        if number is not None:
            for file in source.iterdir():
                file.unlink()
            append_only(source, number, number)

    copy_append_only(source, tmp_path / "copy", rewrite)
    assert sorted(file.name for file in (tmp_path / "copy").iterdir()) == [
        "appendonly.aof.3.base.rdb",
        "appendonly.aof.3.incr.aof",
        MANIFEST,
    ]


def test_a_file_that_grows_is_copied_as_it_was_when_it_was_opened(tmp_path: Path) -> None:
    source = tmp_path / "live"
    append_only(source, 1, 1)
    last = source / "appendonly.aof.1.incr.aof"
    before = last.read_text()

    def grow(done: int, total: int) -> None:
        with last.open("a") as file:
            file.write(" and more")

    copy_append_only(source, tmp_path / "copy", grow)
    copied = (tmp_path / "copy/appendonly.aof.1.incr.aof").read_text()
    assert copied.startswith(before)
    assert (
        copied == before + " and more"
    )  # what the base's step wrote; not what was written while it was read
