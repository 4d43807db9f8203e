"""The command itself: every command has help, every error an exit code, and neither waits for much."""

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from holdfast import cli, run
from holdfast.asked import Asked, asked_in
from holdfast.errors import (
    ConflictError,
    Exit,
    HoldfastError,
    InvalidError,
    NotFoundError,
    RefusedError,
    SettingsError,
    UnavailableError,
)

HEAVY = ("httpx", "rich", "sqlalchemy", "litestar", "structlog", "asyncio", "hiredis", "uvicorn", "alembic")


def called(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    """The exit code of `holdfast …` in this process."""
    monkeypatch.setattr(sys, "argv", ["holdfast", *arguments])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert ended.value.code is None or isinstance(ended.value.code, int)
    return ended.value.code or 0


def every_command() -> list[Sequence[str]]:
    groups = [(one.name or "", one.typer_instance) for one in cli.app.registered_groups if one.typer_instance]
    found: list[Sequence[str]] = [(), *((name,) for name, _ in groups)]
    for prefix, app in [("", cli.app), *groups]:
        for command in app.registered_commands:
            name = command.name or (command.callback.__name__ if command.callback else "")
            found.append([word for word in (prefix, name.replace("_", "-")) if word])
    return found


@pytest.mark.parametrize("words", every_command(), ids=" ".join)
def test_every_command_says_how_it_goes(
    words: Sequence[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert called(monkeypatch, *words, "--help") == Exit.OK
    out = capsys.readouterr().out
    assert out.startswith(f"Usage: {' '.join(['holdfast', *words])} ")
    assert len(out.splitlines()) > 4


@pytest.mark.parametrize(
    "arguments",
    [
        ["--nope"],
        ["upload", "ad"],
        ["nothing"],
        ["upload", "show"],
        ["upload", "show", "first"],
        ["upload", "show", "0"],
        ["member", "list", "--limit", "-1"],
        ["member", "list", "--limit"],
        ["upload", "add", "/no/such/path", "--by", "ann"],
        ["upload", "remove", "1"],
        ["run", "kitchen"],
        ["completion", "tcsh"],
        ["completion"],
        ["--set", "novalue", "member", "list"],
        ["--data", __file__, "member", "list"],
    ],
    ids=" ".join,
)
def test_a_wrong_command_line_is_one_sentence_and_exit_code_2(
    arguments: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert called(monkeypatch, *arguments) == Exit.USAGE
    out, err = capsys.readouterr()
    (sentence,) = err.splitlines()
    assert out == ""
    assert sentence.startswith("holdfast: ")
    assert "Value error" not in sentence


def test_nothing_at_all_is_answered_with_help(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert called(monkeypatch) == Exit.USAGE
    assert capsys.readouterr().err.startswith("Usage: holdfast ")


@pytest.mark.parametrize(
    ("kind", "code"),
    [
        (HoldfastError, Exit.FAILED),
        (InvalidError, Exit.USAGE),
        (NotFoundError, Exit.NOT_FOUND),
        (RefusedError, Exit.REFUSED),
        (ConflictError, Exit.CONFLICT),
        (UnavailableError, Exit.UNAVAILABLE),
        (SettingsError, Exit.SETTINGS),
        (RuntimeError, Exit.FAILED),
        (KeyboardInterrupt, 130),
    ],
)
def test_every_error_has_its_exit_code_and_a_traceback_only_for_who_asks(
    kind: type[BaseException],
    code: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def failing(*_: object) -> None:
        raise kind("What \x1b[31mhappened.")

    monkeypatch.setattr(cli, "settings_for", failing)
    assert called(monkeypatch, "settings", "--seen") == code
    err = capsys.readouterr().err
    assert "Traceback" not in err
    assert "\x1b" not in err
    assert len(err.splitlines()) == (0 if kind is KeyboardInterrupt else 1)
    if issubclass(kind, Exception):
        monkeypatch.setattr(sys, "argv", ["holdfast", "--debug", "settings", "--seen"])
        with pytest.raises(kind):
            cli.main()


def test_every_wrong_setting_is_told_on_a_line_of_its_own(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "holdfast.toml"
    file.write_text('community = 5\n[web]\nlistn = ":80"\n')
    assert called(monkeypatch, "--settings", str(file), "settings", "--seen") == Exit.SETTINGS
    first, second = capsys.readouterr().err.splitlines()
    assert first.startswith(f"holdfast: {file}, line 1: community must be a text")
    assert second == f"holdfast: {file}, line 3: web.listn is not a setting; did you mean web.listen?"


def test_every_part_that_can_run_is_one_that_can_be_named() -> None:
    assert {part.value for part in cli.PartName} == set(run.PARTS)


def test_help_waits_for_nothing_heavy() -> None:
    program = f"import sys, holdfast.cli; print(*sorted(set({HEAVY}) & set(sys.modules)))"
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert loaded.stdout.split() == []


@pytest.mark.parametrize(
    ("module", "spared"),
    [
        ("holdfast.tracker.part", ("sqlalchemy", "litestar", "uvicorn", "httpx")),
        ("holdfast.clerk", ("litestar", "uvicorn", "httpx", "alembic")),
        ("holdfast.web.part", ("httpx", "alembic", "typer", "rich.console")),
        ("holdfast.up", ("sqlalchemy", "litestar", "http.client", "structlog", "uvloop", "typer", "rich")),
    ],
)
def test_a_part_holds_no_library_that_it_does_not_use(module: str, spared: tuple[str, ...]) -> None:
    program = (
        "import sys; sys.modules['rich'] = None;"
        f"import {module}; print(*(name for name in {spared} if sys.modules.get(name)))"
    )
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert loaded.stdout.split() == []


def test_a_command_without_its_callback_is_a_fault_of_ours() -> None:
    class Nothing:
        @staticmethod
        def find_object(_: type[Asked]) -> None:
            return None

    with pytest.raises(LookupError):
        asked_in(Nothing())  # type: ignore[arg-type]
