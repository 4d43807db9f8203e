"""What the doctor found, for people and for programs."""

import asyncio
import os
from dataclasses import replace
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from holdfast.asked import Asked
from holdfast.clock import SystemClock
from holdfast.doctor.model import Finding, Level, problem
from holdfast.doctor.patient import find_patient
from holdfast.doctor.visit import visit
from holdfast.errors import Exit, SettingsError
from holdfast.launch import settings_for
from holdfast.settings import Settings
from holdfast.terminal import print_json, printable

STYLES = {Level.OK: "green", Level.HINT: "yellow", Level.PROBLEM: "bold red"}


def report(asked: Asked, *, as_json: bool) -> Exit:
    """Visits, prints, and answers the exit code."""
    settings, refused = _settings(asked)
    found = [*refused, *asyncio.run(visit(find_patient(settings, SystemClock())))]
    count = {level: sum(one.level is level for one in found) for level in Level}
    if as_json:
        findings = [
            {"level": one.level.value, "about": one.about, "what": one.what, "mend": one.mend}
            for one in found
        ]
        print_json({"problems": count[Level.PROBLEM], "hints": count[Level.HINT], "findings": findings})
    else:
        _show(found, count)
    return Exit.FINDINGS if count[Level.PROBLEM] else Exit.OK


def _settings(asked: Asked) -> tuple[Settings, list[Finding]]:
    """The settings in force; when they are refused, the defaults, so that the rest can be looked at."""
    try:
        return settings_for(asked.data, asked.settings, asked.changes), []
    except SettingsError as error:
        data = asked.data or Path(os.environ.get("HOLDFAST_DATA") or Settings.data)
        mend = "Mend the settings; until then the defaults are looked at, and Holdfast does not start."
        found = [problem("settings", line, mend) for line in str(error).splitlines()]
        return replace(Settings(), data=data), found


def _show(found: list[Finding], count: dict[Level, int]) -> None:
    console = Console(highlight=False)
    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True, style="bold")
    table.add_column(overflow="fold")
    for one in found:
        words = Text(printable(one.what))
        if one.mend:
            words.append(f"\n→ {printable(one.mend)}", style="dim")
        table.add_row(Text(one.level.value, style=STYLES[one.level]), one.about, words)
    console.print(table)
    console.print(
        f"\n{_counted(count[Level.PROBLEM], 'problem').capitalize()}, {_counted(count[Level.HINT], 'hint')}."
    )


def _counted(number: int, what: str) -> str:
    return f"{number or 'no'} {what}{'' if number == 1 else 's'}"
