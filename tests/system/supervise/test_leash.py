"""Becoming a program that is told when its parent dies."""

import subprocess
import sys

from holdfast.supervise import leash


def leashed(parent: str, *argv: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-I", "-S", leash.__file__, parent, "15", *argv]
    starter = (
        f"import os, subprocess, sys; c = {command!r}; c[4] = c[4] or str(os.getpid()); subprocess.run(c)"
    )
    return subprocess.run([sys.executable, "-c", starter], capture_output=True, text=True, check=True)


def test_a_leashed_program_is_the_program_itself() -> None:
    assert leashed("", "echo", "hello").stdout == "hello\n"


def test_a_program_whose_parent_is_gone_already_is_not_started() -> None:
    assert leashed("1", "echo", "hello").stdout == ""


def test_a_program_that_is_not_there_is_told() -> None:
    assert leashed("", "/no/such").stderr == "cannot start /no/such: No such file or directory\n"
