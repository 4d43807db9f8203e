"""The runner reads pages as people do, and lets nothing that looks like a command slip by."""

import pytest

from tests.docs.pages import PageError, matches, read


def page(*lines: str) -> str:
    return "\n".join(lines)


def test_a_console_block_is_commands_with_what_they_print() -> None:
    (scenario,) = read(page("Say:", "```console", "$ echo a", "a", "$ echo \\", "> b", "b", "```"), "x.md")
    assert [(step.line, step.command, step.prints) for step in scenario.steps] == [
        (3, "echo a", "a"),
        (5, "echo \\\nb", "b"),
    ]


def test_a_shell_block_is_one_script() -> None:
    (scenario,) = read(page("```sh", "a", "b", "```"), "x.md")
    assert [step.command for step in scenario.steps] == ["a\nb"]


def test_ctrl_c_is_a_step_of_its_own() -> None:
    (scenario,) = read(page("```console", "$ holdfast up", "Holdfast is up.", "^C", "```"), "x.md")
    assert [step.command for step in scenario.steps] == ["holdfast up", "^C"]


def test_a_block_in_a_list_is_read_without_its_indentation() -> None:
    (scenario,) = read(page("1. Do:", "   ```sh", "   ls", "   ```"), "x.md")
    assert [step.command for step in scenario.steps] == ["ls"]


def test_a_block_is_left_out_only_with_a_reason() -> None:
    (scenario,) = read(page("<!-- not run: needs the internet -->", "", "```sh", "curl", "```"), "x.md")
    assert not scenario.steps
    with pytest.raises(PageError, match="reason"):
        read(page("<!-- not run: -->", "```sh", "curl", "```"), "x.md")


def test_a_mark_counts_for_the_next_block_alone() -> None:
    text = page("<!-- not run: why -->", "```sh", "a", "```", "```sh", "b", "```")
    (scenario,) = read(text, "x.md")
    assert [step.command for step in scenario.steps] == ["b"]
    (apart,) = read(page("<!-- not run: why -->", "Some prose.", "```sh", "a", "```"), "x.md")
    assert [step.command for step in apart.steps] == ["a"]


def test_a_block_can_be_a_file() -> None:
    (scenario,) = read(page("<!-- file: data/holdfast.toml -->", "```toml", "[web]", "```"), "x.md")
    assert (scenario.blocks[0].file, scenario.blocks[0].text) == ("data/holdfast.toml", "[web]")


def test_sections_on_their_own_are_scenarios() -> None:
    text = page(
        "<!-- each section on its own -->", "## One", "<!-- a system runs -->", "```sh", "a", "```",
        "## Two", "```sh", "b", "```",
    )  # fmt: skip
    _, one, two = read(text, "x.md")
    assert (one.title, one.system, two.title, two.system) == ("x.md: One", True, "x.md: Two", False)


@pytest.mark.parametrize("language", ["", "bash", "shell", "konsole"])
def test_a_block_that_might_be_a_command_must_say_what_it_is(language: str) -> None:
    with pytest.raises(PageError, match="line 1"):
        read(page(f"```{language}", "ls", "```"), "x.md")


def test_a_block_that_is_never_closed_is_told() -> None:
    with pytest.raises(PageError, match="never closed"):
        read(page("```sh", "ls"), "x.md")


def test_an_ellipsis_stands_for_anything_in_a_line_and_alone_for_any_lines() -> None:
    assert matches("a …\n…\nz", "a b\nc\nd\nz\n")
    assert matches("a\n…\nz", "a\nz")
    assert not matches("a …\nz", "a b\nc\nz")
    assert not matches("a", "a\nb")
    assert not matches("a.c", "abc")
