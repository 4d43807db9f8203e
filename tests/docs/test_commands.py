"""Every command that the documentation shows is run as a reader would, against a real system."""

from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.docs.pages import Scenario, Step, scenarios
from tests.docs.shell import ROOT, Shell, environment
from tests.docs.stand_ins import STAND_INS
from tests.servers import free_port

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
EXAMPLES = {"127.0.0.1:8080": "HOLDFAST_WEB_LISTEN", "127.0.0.1:6969": "HOLDFAST_TRACKER_LISTEN"}
UP = Step(0, "holdfast up")


@pytest.mark.parametrize(
    "scenario", [pytest.param(each, id=each.title) for page in PAGES for each in scenarios(page)]
)
def test_what_the_page_says_is_what_happens(scenario: Scenario, tmp_path: Path) -> None:
    names = {example: f"127.0.0.1:{free_port()}" for example in EXAMPLES}
    listen = {variable: names[example] for example, variable in EXAMPLES.items()}
    with ExitStack() as stack:
        for name, start in STAND_INS.items():
            if name in scenario.text:
                names |= stack.enter_context(start())
        shell = stack.enter_context(Shell(tmp_path, environment(tmp_path, listen), names))
        if scenario.system:
            shell.run(UP)
        for block in scenario.blocks:
            if block.file is not None:
                shell.write(block.file, block.text)
            for step in block.steps:
                try:
                    shell.run(step)
                except AssertionError as error:
                    pytest.fail(f"{scenario.title}, line {step.line}: {error}", pytrace=False)
