"""A backup is there whole or not at all, and goes only where there is nothing to lose."""

import asyncio
import json
from pathlib import Path

import pytest

from holdfast.backup.copies import MANIFEST
from holdfast.backup.whole import make, put_back, read
from holdfast.clock import SystemClock
from holdfast.errors import ConflictError, InvalidError, NotFoundError, UnavailableError
from holdfast.settings import Settings
from holdfast.store.records.migrate import HEAD, migrate
from holdfast.stores import records_of
from holdfast.supervise.folder import claim_folder


def ignore(done: int, total: int) -> None:
    """No bar to move."""


def say(sentence: str, **facts: object) -> None:
    """Nobody listens."""


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A data folder with a little of everything."""
    folder = tmp_path / "data"
    live = folder / "live/appendonlydir"
    live.mkdir(parents=True)
    (live / "appendonly.aof.1.base.rdb").write_text("base")
    (live / MANIFEST).write_text("file appendonly.aof.1.base.rdb seq 1 type b\n")
    (folder / "holdfast.toml").write_text('community = "Tidewater"\n')
    records = records_of(Settings(data=folder))
    migrate(records)
    asyncio.run(records.close())
    return folder


def restore(folder: Path, data: Path) -> None:
    asyncio.run(put_back(folder, data, SystemClock(), say, ignore))


def files(folder: Path) -> dict[str, bytes]:
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def test_what_was_backed_up_comes_back(data: Path, tmp_path: Path) -> None:
    made = make(data, tmp_path / "backup", SystemClock(), [], ignore)
    assert read(tmp_path / "backup") == made
    assert (made.schema, made.holds) == (HEAD, ["the records", "the live store", "the settings"])
    restore(tmp_path / "backup", tmp_path / "new")
    old, new = files(data), files(tmp_path / "new")
    assert new.keys() - old.keys() == {"lock", "parts.lock"}
    assert old.keys() <= new.keys()
    assert new["holdfast.toml"] == old["holdfast.toml"]


def test_a_backup_is_for_its_owner_alone(data: Path, tmp_path: Path) -> None:
    make(data, tmp_path / "backup", SystemClock(), [], ignore)
    assert (tmp_path / "backup").stat().st_mode & 0o777 == 0o700


def test_what_other_servers_keep_is_left_to_them(data: Path, tmp_path: Path) -> None:
    made = make(data, tmp_path / "backup", SystemClock(), ["the live store", "the records"], ignore)
    assert made.holds == ["the settings"]
    assert set(files(tmp_path / "backup")) == {"holdfast.toml", "backup.json"}


def test_an_empty_folder_is_no_backup_worth_the_name(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="nothing to back up"):
        make(tmp_path, tmp_path / "backup", SystemClock(), [], ignore)
    assert not list(tmp_path.iterdir())


def test_a_backup_that_fails_leaves_nothing(data: Path, tmp_path: Path) -> None:
    def fail(done: int, total: int) -> None:
        raise OSError(28, "No space left on device")

    with pytest.raises(UnavailableError, match="No space left"):
        make(data, tmp_path / "backup", SystemClock(), [], fail)
    assert [file.name for file in tmp_path.iterdir()] == ["data"]


def test_a_backup_never_goes_over_another(data: Path, tmp_path: Path) -> None:
    (tmp_path / "backup").mkdir()
    with pytest.raises(ConflictError, match="there already"):
        make(data, tmp_path / "backup", SystemClock(), [], ignore)


def test_a_backup_never_goes_over_data(data: Path, tmp_path: Path) -> None:
    make(data, tmp_path / "backup", SystemClock(), [], ignore)
    before = files(data)
    with pytest.raises(ConflictError, match="has data already"):
        restore(tmp_path / "backup", data)
    assert {name: content for name, content in files(data).items() if "lock" not in name} == before


def test_nothing_is_restored_under_a_running_system(data: Path, tmp_path: Path) -> None:
    make(data, tmp_path / "backup", SystemClock(), [], ignore)

    async def both() -> None:
        with await claim_folder(tmp_path / "new", SystemClock(), say):
            await put_back(tmp_path / "backup", tmp_path / "new", SystemClock(), say, ignore)

    with pytest.raises(ConflictError, match="Another Holdfast"):
        asyncio.run(both())


def test_a_damaged_backup_restores_nothing(data: Path, tmp_path: Path) -> None:
    make(data, tmp_path / "backup", SystemClock(), [], ignore)
    (tmp_path / "backup/records.sqlite").write_bytes(b"\0" * 4096)
    with pytest.raises(UnavailableError, match="another backup"):
        restore(tmp_path / "backup", tmp_path / "new")
    assert set(files(tmp_path / "new")) <= {"lock", "parts.lock"}


def test_a_folder_that_is_no_backup_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="no backup"):
        read(tmp_path)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"holdfast": 1'])
def test_a_backup_that_cannot_be_read_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "backup.json").write_text(text)
    with pytest.raises(UnavailableError, match="cannot be read"):
        read(tmp_path)


def test_a_backup_of_a_later_kind_is_refused(data: Path, tmp_path: Path) -> None:
    make(data, tmp_path / "backup", SystemClock(), [], ignore)
    about = json.loads((tmp_path / "backup/backup.json").read_text())
    (tmp_path / "backup/backup.json").write_text(json.dumps(about | {"version": 2}))
    with pytest.raises(InvalidError, match="this version cannot read"):
        read(tmp_path / "backup")
