"""Every command that the documentation shows is run as a reader would, against a real system."""

import re
import shutil
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.docs.pages import PageError, Scenario, Step, scenarios
from tests.docs.shell import ROOT, Shell, StepError, environment
from tests.docs.stand_ins import STAND_INS
from tests.servers import free_port

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
LISTEN = {"127.0.0.1:8080": "HOLDFAST_WEB_LISTEN", "127.0.0.1:6969": "HOLDFAST_TRACKER_LISTEN"}
"""The addresses that `holdfast up` has by default, and so the pages too."""
EXAMPLES = (*LISTEN, "127.0.0.1:8081", "127.0.0.1:6970")
FOREIGN = ("curl",)
UP = Step(0, "holdfast up")


def everything() -> list[Any]:
    """Every scenario of every page, or the reason why a page cannot be read."""
    found: list[Any] = []
    for page in PAGES:
        try:
            found += [pytest.param(scenario, id=scenario.title) for scenario in scenarios(page)]
        except PageError as error:
            found.append(pytest.param(error, id=page.name))
    return found


@pytest.mark.parametrize("scenario", everything())
def test_what_the_page_says_is_what_happens(scenario: Scenario | PageError, tmp_path: Path) -> None:
    if isinstance(scenario, PageError):
        pytest.fail(str(scenario), pytrace=False)
    for program in FOREIGN:
        if re.search(rf"^\$? ?{program} ", scenario.text, re.MULTILINE) and shutil.which(program) is None:
            pytest.skip(f"NOT TESTED: {scenario.title} needs {program}, which is not installed")
    names = {example: f"127.0.0.1:{free_port()}" for example in EXAMPLES}
    with ExitStack() as stack:
        for name, start in STAND_INS.items():
            if name in scenario.text:
                names |= stack.enter_context(start())
        listen = {variable: names[example] for example, variable in LISTEN.items()}
        shell = stack.enter_context(Shell(tmp_path, environment(tmp_path, listen), names))
        if scenario.system:
            shell.run(UP)
        trouble = _follow(scenario, shell)
    if trouble is not None:
        pytest.fail(trouble, pytrace=False)


def _follow(scenario: Scenario, shell: Shell) -> str | None:
    """Do as the page says, up to the first thing that goes otherwise."""
    for block in scenario.blocks:
        if block.file is not None:
            shell.write(block.file, block.text)
        for step in block.steps:
            try:
                shell.run(step)
            except StepError as error:
                return f"{scenario.title}, line {step.line}: {error}"
    return None
