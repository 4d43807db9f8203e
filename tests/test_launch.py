"""How a process of Holdfast learns its settings, and hands them on to another."""

import argparse
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.errors import InvalidError, SettingsError
from holdfast.launch import NOT_SETTINGS, add_arguments, arguments_for, settings_for


def read(arguments: tuple[str, ...]) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    return parser.parse_args(arguments)


@given(
    data=st.text(st.characters(exclude_characters="\0"), min_size=1).filter(
        lambda text: text not in ("", ".")
    ),
    changes=st.lists(st.text(st.characters(exclude_characters="\0"))),
)
def test_another_process_reads_the_very_same_wishes(data: str, changes: list[str]) -> None:
    folder = Path("/x", data.strip("/") or "x")
    asked = read(arguments_for(folder, None, changes))
    assert (asked.data, asked.settings, asked.changes) == (folder, None, changes)


def test_a_settings_file_is_named_to_the_other_process_too(tmp_path: Path) -> None:
    file = tmp_path / "h.toml"
    assert read(arguments_for(tmp_path, file, ())).settings == file


def test_the_command_line_wins_over_the_environment_and_that_over_the_file(tmp_path: Path) -> None:
    (tmp_path / "holdfast.toml").write_text('community = "file"\n[web]\nlisten = "127.0.0.1:1"\n')
    environ = {"HOLDFAST_COMMUNITY": "environment"}
    assert settings_for(tmp_path, None, (), {}).community == "file"
    assert settings_for(tmp_path, None, (), environ).community == "environment"
    assert settings_for(tmp_path, None, ("community=line",), environ).community == "line"
    assert settings_for(tmp_path, None, ("community=line",), environ).web.listen.port == 1


def test_what_a_parent_hands_down_is_no_setting(tmp_path: Path) -> None:
    assert settings_for(tmp_path, None, (), dict.fromkeys(NOT_SETTINGS, "x")).data == tmp_path


def test_a_variable_that_is_no_setting_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="HOLDFAST_WEB_LISTEN"):
        settings_for(tmp_path, None, (), {"HOLDFAST_WEB_LISTTEN": "x"})


def test_a_change_without_a_value_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidError, match="--set NAME=VALUE"):
        settings_for(tmp_path, None, ("web.listen",), {})
