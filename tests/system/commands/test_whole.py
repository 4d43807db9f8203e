"""Commands about the whole: settings, audit, finding the system, parts alone, completion."""

import re
import signal
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from holdfast import __version__
from holdfast.errors import Exit
from tests.servers import free_port
from tests.system.running import PATIENCE, Running, command, environment, until


def test_without_a_running_system_a_command_says_how_to_start_one(tmp_path: Path) -> None:
    answer = command("--data", tmp_path, "member", "list")
    assert answer.code == Exit.UNAVAILABLE
    assert f"holdfast up --data {tmp_path}" in answer.sentence


def test_a_command_finds_the_system_of_the_folder_it_is_called_in(house: Running, tmp_path: Path) -> None:
    (tmp_path / "data").symlink_to(house.data)
    assert command("member", "list", cwd=tmp_path).code == 0


def test_a_command_finds_a_system_elsewhere_by_its_address_and_token(house: Running, tmp_path: Path) -> None:
    env = {"HOLDFAST_URL": house.run.web + "/", "HOLDFAST_TOKEN": house.run.token}
    assert command("member", "list", "--json", cwd=tmp_path, env=env).code == 0
    refused = command("member", "list", cwd=tmp_path, env=env | {"HOLDFAST_TOKEN": "hf_wrong"})
    assert refused.code == Exit.REFUSED
    assert "hf_wrong" not in refused.err
    away = command("member", "list", cwd=tmp_path, env=env | {"HOLDFAST_URL": "http://127.0.0.1:9"})
    assert away.code == Exit.UNAVAILABLE
    assert "127.0.0.1:9" in away.sentence


@pytest.mark.parametrize("address", ["nonsense", "http://", "ftp://127.0.0.1", "http://[::1"])
def test_an_address_that_is_none_is_refused_in_a_sentence(tmp_path: Path, address: str) -> None:
    answer = command("member", "list", cwd=tmp_path, env={"HOLDFAST_URL": address})
    assert answer.code in (Exit.UNAVAILABLE, Exit.USAGE)
    assert "This should not happen" not in answer.sentence


def test_the_audit_tells_who_changed_what_by_which_door(house: Running, member: str) -> None:
    (entry,) = house.cli("audit", "--action", "member.add", "--limit", "1", "--json").json
    assert (entry["target_name"], entry["door"]) == (member, "cli")
    heading, row, below, *_ = house.cli("audit", "--target", f"member:{entry['target_id']}").out.splitlines()
    assert heading.split() == ["when", "who", "action", "of"]
    assert member in row
    assert below.startswith("    cli 127.0.0.1")


def test_the_reader_of_a_listing_may_leave_early(house: Running, member: str) -> None:
    argv = [sys.executable, "-m", "holdfast", "--data", str(house.data), "audit", "--json"]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment()) as reading:
        assert reading.stdout
        assert reading.stderr
        reading.stdout.close()
        assert reading.stderr.read() == b""
    assert reading.returncode == 0


def test_the_sample_of_settings_is_one_that_can_be_used(tmp_path: Path) -> None:
    sample = command("settings").out
    (tmp_path / "holdfast.toml").write_text(sample)
    seen = command("--data", tmp_path, "settings", "--seen", "--json").json
    assert {one["name"] for one in seen} >= {"data", "web.listen", "live.address"}
    table = command("--data", tmp_path, "settings", "--seen").out
    assert re.search(r"^data +\S+ +command line$", table, re.MULTILINE)


def test_a_wrong_setting_is_refused_with_the_right_name(tmp_path: Path) -> None:
    (tmp_path / "holdfast.toml").write_text("[web]\nlissten = '127.0.0.1:0'\n")
    for answer in (command("--data", tmp_path, "member", "list"), command("--data", tmp_path, "up")):
        assert answer.code == Exit.SETTINGS
        assert "web.listen" in answer.sentence
        assert "line 2" in answer.sentence


def test_migrate_says_where_the_records_stand(house: Running) -> None:
    assert re.fullmatch(r"The records are at schema \d+ already\.\n", house.cli("migrate").err)


def test_version_is_one_line() -> None:
    assert command("--version").out == f"holdfast {__version__}\n"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_is_printed_for_a_shell_that_is_named(shell: str) -> None:
    printed = command("completion", shell)
    assert printed.code == 0
    assert "_HOLDFAST_COMPLETE" in printed.out


def test_bash_completes_what_was_begun() -> None:
    script = command("completion", "bash").out
    assert subprocess.run(["bash", "-n"], input=script, text=True, check=False).returncode == 0
    env = {"_HOLDFAST_COMPLETE": "complete_bash", "COMP_WORDS": "holdfast upload ca", "COMP_CWORD": "2"}
    assert command(env=env).out.split() == ["categories", "category"]


@pytest.mark.parametrize(
    ("shell", "action"), [("zsh", {}), ("fish", {"_TYPER_COMPLETE_FISH_ACTION": "get-args"})]
)
def test_zsh_and_fish_complete_too_and_say_what_a_command_does(shell: str, action: dict[str, str]) -> None:
    begun = {"_HOLDFAST_COMPLETE": f"complete_{shell}", "_TYPER_COMPLETE_ARGS": "holdfast upload ca"}
    offered = command(env=begun | action).out
    assert re.findall(r"\bcateg\w+\b", offered)[0] == "categories"
    assert "Add a category" in offered
    assert "remove" not in offered


@pytest.mark.parametrize("part", ["web", "tracker", "clerk"])
def test_each_part_runs_alone_against_shared_stores(house: Running, part: str, tmp_path: Path) -> None:
    """As on a machine of its own: the stores are shared, the address is its own."""
    port = free_port()
    log = tmp_path / "log"

    def serves() -> bool:
        assert alone.poll() is None, log.read_text()
        if part == "clerk":
            return "live keys rebuilt" in log.read_text()
        path = "/health/ready" if part == "web" else "/"
        try:
            answer = httpx.get(f"http://127.0.0.1:{port}{path}", timeout=PATIENCE, trust_env=False)
        except httpx.TransportError:
            return False
        return answer.is_success if part == "web" else b"tracker" in answer.content

    listen = [] if part == "clerk" else ["--listen", f"127.0.0.1:{port}"]
    argv = [sys.executable, "-m", "holdfast", "--data", str(house.data), "run", part, *listen]
    with log.open("wb") as file:
        alone = subprocess.Popen(argv, stderr=file, env=environment())
    try:
        until("it serves", serves)
        alone.send_signal(signal.SIGTERM)
        assert alone.wait(PATIENCE) == 0, log.read_text()
    finally:
        alone.kill()
        alone.wait()
    assert house.ready()


def test_a_part_that_is_none_is_refused_with_those_there_are(house: Running) -> None:
    answer = house.cli("run", "kitchen")
    assert answer.code == Exit.USAGE
    assert "clerk" in answer.sentence
