"""A data folder belongs to one parent, and to the next one only when nothing of the last is left."""

import asyncio
import fcntl
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from holdfast.clock import Clock
from holdfast.errors import ConflictError, InvalidError, RefusedError
from holdfast.runfile import Run, is_locked, read_run, write_run
from holdfast.supervise.folder import Folder, claim_folder, read_parts
from holdfast.supervise.model import PartState


def claim(path: Path, clock: Clock, said: list[str] | None = None) -> Folder:
    def say(sentence: str, **facts: object) -> None:
        if said is not None:
            said.append(sentence)

    return asyncio.run(claim_folder(path, clock, say))


def a_run(path: Path) -> Run:
    return Run(
        4711, 1.0, "http://127.0.0.1:8080", "http://127.0.0.1:6969", "embedded", "sqlite", str(path), "s"
    )


def test_a_second_claim_is_refused_with_the_address_of_the_first(tmp_path: Path, clock: Clock) -> None:
    with claim(tmp_path, clock):
        write_run(tmp_path, a_run(tmp_path))
        with pytest.raises(ConflictError, match=r"already runs in .* at http://127.0.0.1:8080 \(pid 4711\)"):
            claim(tmp_path, clock)
    assert not is_locked(tmp_path)
    claim(tmp_path, clock).close()


def test_a_second_claim_while_the_first_is_starting_is_refused_with_its_pid(
    tmp_path: Path, clock: Clock
) -> None:
    with claim(tmp_path, clock), pytest.raises(ConflictError, match=rf"starting .*\(pid {os.getpid()}\)"):
        claim(tmp_path, clock)


def test_what_a_killed_parent_left_is_cleared_away(tmp_path: Path, clock: Clock) -> None:
    for name in ("lock", "parts.lock", "run.json.new", "parts.json.new"):
        (tmp_path / name).write_text("{half")
    write_run(tmp_path, a_run(tmp_path))
    (tmp_path / "parts.json").write_text("[{half")
    with claim(tmp_path, clock) as folder:
        assert not (tmp_path / "run.json").exists()
        folder.write_parts([PartState("web", "ready", 12, 5.0, 0)])
        assert read_parts(tmp_path) == [PartState("web", "ready", 12, 5.0, 0)]
    assert {path.name for path in tmp_path.iterdir()} == {"lock", "parts.lock"}


def test_an_unreadable_state_of_the_parts_is_no_state(tmp_path: Path) -> None:
    assert read_parts(tmp_path) == []
    (tmp_path / "parts.json").write_text('[{"name": "web"')
    assert read_parts(tmp_path) == []
    (tmp_path / "parts.json").write_text('[{"other": 1}]')
    assert read_parts(tmp_path) == []


def test_a_claim_waits_for_parts_of_an_earlier_run_and_then_names_them(tmp_path: Path, clock: Clock) -> None:
    left = os.open(tmp_path / "parts.lock", os.O_RDWR | os.O_CREAT)
    fcntl.flock(left, fcntl.LOCK_EX)
    said: list[str] = []
    started = clock.steady()
    with pytest.raises(ConflictError, match="still stopping"):
        claim(tmp_path, clock, said)
    assert clock.steady() - started >= 10
    assert said == ["Waiting for the parts of an earlier run to stop"]
    os.close(left)
    claim(tmp_path, clock).close()


def test_a_command_that_looks_is_not_taken_for_a_second_parent(tmp_path: Path, clock: Clock) -> None:
    looking = os.open(tmp_path / "lock", os.O_RDWR | os.O_CREAT)
    fcntl.flock(looking, fcntl.LOCK_SH)

    class OneLook:
        now, steady = clock.now, clock.steady

        async def sleep(self, seconds: float) -> None:
            fcntl.flock(looking, fcntl.LOCK_UN)

    claim(tmp_path, OneLook()).close()
    os.close(looking)


def test_a_claimed_folder_is_for_its_owner_alone(tmp_path: Path, clock: Clock) -> None:
    with claim(tmp_path / "new" / "data", clock):
        assert (tmp_path / "new" / "data").stat().st_mode & 0o777 == 0o700
        assert (tmp_path / "new" / "data" / "lock").stat().st_mode & 0o777 == 0o600


def test_a_data_folder_that_is_a_file_is_refused(tmp_path: Path, clock: Clock) -> None:
    (tmp_path / "file").touch()
    for path in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(InvalidError, match="is a file, or below one"):
            claim(path, clock)


@contextmanager
def an_ordinary_user() -> Iterator[None]:
    before = os.geteuid()
    if before == 0:
        os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(before)


def test_a_folder_that_may_not_be_written_is_refused(clock: Clock) -> None:
    with tempfile.TemporaryDirectory() as name:
        path = Path(name)
        path.chmod(0o555)
        with (
            an_ordinary_user(),
            pytest.raises(RefusedError, match=f"Cannot write in {name}: this user may not"),
        ):
            claim(path, clock)
        path.chmod(0o700)


def test_a_closed_folder_leaves_no_run_behind(tmp_path: Path, clock: Clock) -> None:
    with claim(tmp_path, clock):
        write_run(tmp_path, a_run(tmp_path))
        assert read_run(tmp_path) == a_run(tmp_path)
    assert not (tmp_path / "run.json").exists()
