"""Reads the documentation as the runner sees it: scenarios of blocks to run, to write to files, to leave out.

What the runner must know stands in comments that readers do not see:

- `<!-- not run: REASON -->` before a block: it is left out, and the reason is required.
- `<!-- file: PATH -->` before a block: it is written to that file instead.
- `<!-- each section on its own -->` in a page: every `##` section starts in a fresh folder.
- `<!-- a system runs -->` in a page, or in such a section: Holdfast runs there before its first block.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

RUN = ("console", "sh")
SHOWN = ("css", "ini", "json", "nginx", "python", "text", "toml")
"""What a block can be beside a command; anything else may be a misspelt `sh` that would not be run."""

MARK = re.compile(r"<!--\s*(.+?)\s*-->")
FENCE = re.compile(r"(?P<indent> *)(?P<fence>`{3,})(?P<language>[\w-]*)\s*")
SECTIONS, SYSTEM = "each section on its own", "a system runs"


class PageError(Exception):
    """A page that cannot be read as meant; the message names the line."""


@dataclass(frozen=True)
class Step:
    """One command, and what the page says it prints (None: nothing is said)."""

    line: int
    command: str
    prints: str | None = None


@dataclass(frozen=True)
class Block:
    line: int
    language: str
    text: str
    file: str | None = None
    not_run: str | None = None

    @property
    def steps(self) -> list[Step]:
        if self.not_run or self.file or self.language not in RUN:
            return []
        if self.language == "sh":
            return [Step(self.line + 1, self.text)]
        return list(_prompts(self.text, self.line + 1))


@dataclass
class Scenario:
    """Blocks that are run one after the other in one folder."""

    title: str
    system: bool = False
    blocks: list[Block] = field(default_factory=list)

    @property
    def steps(self) -> list[Step]:
        return [step for block in self.blocks for step in block.steps]

    @property
    def text(self) -> str:
        """All that is run or written to files."""
        return "\n".join(block.text for block in self.blocks if block.file or block.steps)


def scenarios(page: Path) -> list[Scenario]:
    """The page's scenarios that have something to run."""
    return [scenario for scenario in read(page.read_text("utf-8"), page.name) if scenario.steps]


def read(text: str, name: str) -> list[Scenario]:
    found = [Scenario(name)]
    by_section = False
    marks: list[str] = []
    lines = iter(enumerate(text.splitlines(), start=1))
    for number, line in lines:
        if mark := MARK.fullmatch(line.strip()):
            by_section |= mark[1] == SECTIONS
            found[-1].system |= mark[1] == SYSTEM
            marks.append(mark[1])
        elif fence := FENCE.fullmatch(line):
            found[-1].blocks.append(_block(fence, number, lines, marks, name))
            marks = []
        elif line.startswith("## ") and by_section:
            found.append(Scenario(f"{name}: {line[3:].strip()}"))
            marks = []
        elif line.strip():
            marks = []
    return found


def _block(
    fence: re.Match[str], number: int, lines: Iterator[tuple[int, str]], marks: list[str], name: str
) -> Block:
    body = []
    for _, line in lines:
        if line.strip() == fence["fence"]:
            break
        body.append(line.removeprefix(fence["indent"]))
    else:
        raise PageError(f"{name}, line {number}: this block is never closed")
    if fence["language"] not in (*RUN, *SHOWN):
        raise PageError(
            f"{name}, line {number}: {fence['language'] or 'no language'} is none of {RUN + SHOWN}"
        )
    said = dict(_said(mark, number, name) for mark in marks if mark not in (SECTIONS, SYSTEM))
    return Block(number, fence["language"], "\n".join(body), said.get("file"), said.get("not run"))


def _said(mark: str, number: int, name: str) -> tuple[str, str]:
    word, colon, rest = mark.partition(":")
    if word not in ("not run", "file") or not colon or not rest.strip():
        raise PageError(f"{name}, line {number}: the comment {mark!r} means nothing, or lacks its reason")
    return word, rest.strip()


def _prompts(text: str, first: int) -> Iterator[Step]:
    """The commands after `$ ` with what they print; `> ` and a final backslash go on with a command."""
    command: list[str] = []
    prints: list[str] = []
    at = first
    for number, line in enumerate(text.splitlines(), start=first):
        if line.startswith("$ "):
            if command:
                yield _step(at, command, prints)
            command, prints, at = [line[2:]], [], number
        elif command and not prints and command[-1].endswith("\\"):
            command.append(line.removeprefix("> "))
        elif line == "^C":
            if command:
                yield _step(at, command, prints)
            command, prints, at = [line], [], number
        elif not command:
            raise PageError(f"line {number}: a console block opens with `$ ` and a command")
        else:
            prints.append(line)
    if command:
        yield _step(at, command, prints)


def _step(at: int, command: list[str], prints: list[str]) -> Step:
    return Step(at, "\n".join(command), "\n".join(prints) if any(prints) else None)


def matches(expected: str, printed: str) -> bool:
    """Whether it printed what the page says, where `…` stands for anything, and alone for any lines."""
    lines = [line.rstrip() for line in expected.strip("\n").splitlines()]
    pattern = ""
    for line in lines:
        if line.strip() == "…":
            pattern += r"(?:[^\n]*\n)*?"
        else:
            pattern += "[^\n]*?".join(re.escape(piece) for piece in line.split("…")) + r"[ ]*\n"
    return re.fullmatch(pattern, printed.strip("\n") + "\n") is not None
