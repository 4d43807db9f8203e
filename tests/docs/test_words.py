"""What the pages say in passing is true too: commands named in prose, links, settings and exit codes."""

import re
import shlex
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.core import TyperGroup, TyperOption

from holdfast.cli import app
from holdfast.launch import settings_for
from holdfast.settings import Settings
from holdfast.settings.kinds import leaves
from tests.docs.commands_page import page as commands_page
from tests.docs.pages import read
from tests.docs.shell import ROOT

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
CODE = re.compile(r"`([^`\n]+)`")
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")
FENCED = re.compile(r"^ *```.*?^ *```", re.MULTILINE | re.DOTALL)
FILES = (".json", ".md", ".py", ".sqlite", ".toml")
PLACEHOLDER = re.compile(r"[A-Z_/.:\[\]=-]+|…")


def prose(page: Path) -> str:
    return FENCED.sub("", page.read_text("utf-8"))


def said(pages: list[Path]) -> Iterator[tuple[str, str]]:
    """Every `holdfast …` in passing, with the page it is on."""
    for page in pages:
        for code in CODE.findall(prose(page)):
            words = code.removeprefix(".venv/bin/")
            if words.startswith("holdfast ") and "|" not in words:
                yield page.name, words


@pytest.mark.parametrize(("page", "words"), sorted(set(said(PAGES))))
def test_a_command_named_in_passing_exists(page: str, words: str) -> None:
    command: Any = typer.main.get_command(app)
    options = options_of(command)
    rest = iter(shlex.split(words)[1:])
    for word in rest:
        if word.startswith("-"):
            for name in word.partition("=")[0].split("/"):
                assert name in options, f"{page}: `{words}`: there is no option {name}"
            if not options[name] and "=" not in word:
                next(rest, None)
        elif isinstance(command, TyperGroup) and not PLACEHOLDER.fullmatch(word):
            assert word in command.commands, f"{page}: `{words}`: there is no command {word}"
            command = command.commands[word]
            options |= options_of(command)


def options_of(command: Any) -> dict[str, bool]:
    """The options that a command takes, each with whether it is a flag."""
    found = {"--help": True}
    for parameter in command.params:
        if isinstance(parameter, TyperOption):
            flag = bool(parameter.is_flag)
            found |= dict.fromkeys([*parameter.opts, *parameter.secondary_opts], flag)
    return found


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_link_leads_somewhere(page: Path) -> None:
    for link in LINK.findall(prose(page)):
        if "://" not in link:
            assert (page.parent / link).exists(), f"{page.name} links to {link}, which is not there"


@pytest.mark.parametrize("page", sorted((ROOT / "docs").glob("*.md")), ids=lambda page: page.name)
def test_settings_files_on_the_pages_can_be_used(page: Path, tmp_path: Path) -> None:
    for scenario in read(page.read_text("utf-8"), page.name):
        for block in scenario.blocks:
            if block.language == "toml":
                tomllib.loads(block.text)
                file = tmp_path / "holdfast.toml"
                file.write_text(block.text)
                settings_for(tmp_path, file, (), {})


def test_settings_named_in_passing_exist() -> None:
    known = {leaf.name for leaf in leaves(Settings)}
    sections = {name.partition(".")[0] for name in known if "." in name}
    for page in PAGES:
        for code in CODE.findall(prose(page)):
            match = re.match(r"(\w+(?:\.\w+)+)(?: =|$)", code)
            name = match[1].removesuffix("_file") if match else ""
            if name.partition(".")[0] in sections and not name.endswith(FILES):
                assert name in known, f"{page.name}: there is no setting {name}"


def test_the_page_of_commands_is_what_the_command_line_says() -> None:
    written = (ROOT / "docs/commands.md").read_text("utf-8")
    assert written == commands_page(), "run: python -m tests.docs.commands_page > docs/commands.md"
