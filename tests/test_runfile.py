"""run.json: whole or absent, for its owner alone, and believed only while its parent lives."""

import errno
import fcntl
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.errors import HoldfastError, RefusedError, UnavailableError
from holdfast.runfile import Run, folder_error, read_run, remove_run, write_run


@pytest.fixture
def running(tmp_path: Path) -> Iterator[Path]:
    """A data folder whose parent lives."""
    lock = os.open(tmp_path / "lock", os.O_RDWR | os.O_CREAT)
    fcntl.flock(lock, fcntl.LOCK_EX)
    yield tmp_path
    os.close(lock)


def a_run(data: Path) -> Run:
    return Run(
        pid=os.getpid(),
        started=1795000000.5,
        web="http://127.0.0.1:8080",
        tracker="http://127.0.0.1:6969",
        live="embedded",
        records="sqlite:///holdfast.sqlite",
        data=str(data),
        token="hf_secret",
    )


def test_what_is_written_is_read(running: Path) -> None:
    write_run(running, a_run(running))
    assert read_run(running) == a_run(running)


def test_a_run_does_not_show_its_token(tmp_path: Path) -> None:
    assert "hf_secret" not in repr(a_run(tmp_path))


def test_the_file_is_for_its_owner_alone_whatever_was_there_before(running: Path) -> None:
    for name in ("run.json", "run.json.new"):
        (running / name).write_text("old")
        (running / name).chmod(0o666)
    old_mask = os.umask(0)
    try:
        write_run(running, a_run(running))
    finally:
        os.umask(old_mask)
    assert (running / "run.json").stat().st_mode & 0o777 == 0o600
    assert not (running / "run.json.new").exists()


def test_a_planted_link_is_not_followed(running: Path) -> None:
    (running / "run.json.new").symlink_to(running / "elsewhere")
    write_run(running, a_run(running))
    assert not (running / "elsewhere").exists()


def test_no_run_says_how_to_start_one(tmp_path: Path) -> None:
    for data in (tmp_path, tmp_path / "none"):
        with pytest.raises(UnavailableError) as refusal:
            read_run(data)
        assert str(refusal.value) == (
            f"Holdfast is not running in {data}; start it with `holdfast up --data {data}`"
        )


def test_a_run_whose_parent_is_gone_is_no_run_even_if_its_pid_lives(tmp_path: Path) -> None:
    write_run(tmp_path, a_run(tmp_path))
    (tmp_path / "lock").touch()
    with pytest.raises(UnavailableError, match="is not running"):
        read_run(tmp_path)


def test_a_half_written_run_is_told_as_damaged(running: Path) -> None:
    write_run(running, a_run(running))
    whole = (running / "run.json").read_bytes().rstrip()
    for length in range(len(whole)):
        (running / "run.json").write_bytes(whole[:length])
        with pytest.raises(UnavailableError, match=r"run\.json is damaged"):
            read_run(running)


@given(
    st.dictionaries(
        st.sampled_from(list(Run.__annotations__)), st.none() | st.integers() | st.text() | st.booleans()
    )
)
def test_a_run_with_any_other_values_is_read_or_refused_in_a_sentence(
    tmp_path_factory: pytest.TempPathFactory, values: dict[str, Any]
) -> None:
    data = tmp_path_factory.mktemp("data")
    with (data / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        known = {name: getattr(a_run(data), name) for name in Run.__annotations__}
        (data / "run.json").write_text(json.dumps({**known, **values}))
        try:
            run = read_run(data)
        except UnavailableError:
            return
    assert all(isinstance(getattr(run, name), str) for name in ("web", "tracker", "token", "data"))


def test_a_file_of_another_version_is_refused_by_name(running: Path) -> None:
    (running / "run.json").write_text('{"version": 2}')
    with pytest.raises(UnavailableError, match="another version of Holdfast"):
        read_run(running)


def test_a_full_disk_is_told_and_leaves_what_was_there(
    running: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_run(running, a_run(running))
    real_open = os.open
    monkeypatch.setattr(os, "open", lambda path, *rest: real_open("/dev/full", os.O_WRONLY))
    with pytest.raises(UnavailableError, match="its disk is full; free some space"):
        write_run(running, a_run(running / "other"))
    monkeypatch.undo()
    assert read_run(running) == a_run(running)


@pytest.mark.parametrize(
    ("number", "kind", "words"),
    [
        (errno.EROFS, RefusedError, "mounted read-only"),
        (errno.EIO, HoldfastError, "Input/output error"),
    ],
)
def test_faults_of_the_file_system_become_sentences(number: int, kind: type, words: str) -> None:
    error = folder_error(Path("data"), OSError(number, os.strerror(number)))
    assert type(error) is kind
    assert words in str(error)


def test_a_removed_run_is_gone_and_may_be_removed_again(running: Path) -> None:
    write_run(running, a_run(running))
    remove_run(running)
    remove_run(running)
    assert [path.name for path in running.iterdir()] == ["lock"]
