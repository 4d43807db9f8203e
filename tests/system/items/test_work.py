"""Our own volunteer client works for a running system, and for itself after a crash."""

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.system.items.volunteer import Volunteer, counts, project
from tests.system.running import PATIENCE, Running, command, environment, running, until


@pytest.fixture(scope="module")
def house() -> Iterator[Running]:
    with running() as one:
        yield one


def work(house: Running, slug: str, folder: Path, run: str, *more: str) -> str:
    ended = house.cli(
        "items", "work", slug, "--run", run, "--name", "ann", "--folder", folder, "--until-empty", *more
    )
    assert ended.code == 0, ended.err
    return ended.err


def test_a_command_is_run_for_each_item_and_what_it_finds_is_measured_and_reported(
    house: Running, tmp_path: Path
) -> None:
    project(house, "work", *[f"item{number}" for number in range(5)])
    told = work(house, "work", tmp_path, "printf %s {item} > found.txt", "--parallel", "3")
    assert "5 items done, 25 B; 0 failed." in told
    assert counts(house, "work") == {"todo": 0, "out": 0, "done": 5, "failed": 0, "added": 5}
    assert house.ask("HGET", "work:downloader_bytes", "ann") == b"25"
    found = sorted(path.read_text() for path in tmp_path.rglob("found.txt"))
    assert found == [f"item{number}" for number in range(5)], "nobody came to fetch it, so it stays"
    assert not list(tmp_path.rglob("claim.json"))


def test_an_item_whose_command_fails_is_told_with_its_last_words(house: Running, tmp_path: Path) -> None:
    project(house, "broken", "item1")
    with house.door() as door:
        door.patch("/projects/broken", {"attempts": 1})
    until("it is known", lambda: Volunteer(house, "/broken").ask("heartbeat", items=["x"]).status_code == 200)
    told = work(house, "broken", tmp_path, "echo {item} is gone; exit 3")
    assert "0 items done, 0 B; 1 failed." in told
    until("given up", lambda: counts(house, "broken")["failed"] == 1 or _again(house, tmp_path))
    assert b"is gone" in house.ask("HGET", "broken:x:failed", "item1")


def _again(house: Running, folder: Path) -> bool:
    work(house, "broken", folder, "echo {item} is gone; exit 3")
    return False


def test_an_item_s_name_is_no_part_of_the_shell(house: Running, tmp_path: Path) -> None:
    with house.door() as door:
        door.post("/projects", {"slug": "shell", "title": "shell"})
        door.patch("/projects/shell", {"state": "active", "item_pattern": ".*"})
        door.post("/projects/shell/items", {"items": ["a; touch evil", "$(touch evil)", "../../up"]})
    until("it is served", lambda: Volunteer(house, "/shell").ask("heartbeat", items=["x"]).status_code == 200)
    work(house, "shell", tmp_path, "printf %s {item} > found.txt")
    assert not list(tmp_path.rglob("evil"))
    found = sorted(path.read_text() for path in tmp_path.rglob("found.txt"))
    assert found == ["$(touch evil)", "../../up", "a; touch evil"]


def test_after_a_crash_what_was_claimed_is_done_first(house: Running, tmp_path: Path) -> None:
    project(house, "crash", "item1")
    options = ["items", "work", "crash", "--name", "ann", "--folder", str(tmp_path)]
    arguments = [sys.executable, "-m", "holdfast", "--data", str(house.data), *options]
    process = subprocess.Popen(
        [*arguments, "--run", "sleep 600 # {item}"], env=environment(), start_new_session=True
    )
    until("it is claimed", lambda: list(tmp_path.rglob("claim.json")))
    process.send_signal(signal.SIGKILL)
    process.wait(PATIENCE)
    assert counts(house, "crash")["out"] == 1
    told = work(house, "crash", tmp_path, "printf %s {item} > found.txt")
    assert "item1: begun in an earlier run" in told
    assert counts(house, "crash")["done"] == 1


def test_what_was_found_before_a_crash_is_not_looked_for_again(house: Running, tmp_path: Path) -> None:
    project(house, "ready", "item1")
    item = Volunteer(house, "/ready").ask().text
    place = tmp_path / "ready" / "anything"
    (place / "found").mkdir(parents=True)
    (place / "found" / "page").write_text("found before")
    (place / "claim.json").write_text(json.dumps({"item": item, "claim": ""}))
    (place / "ready").touch()
    told = work(house, "ready", tmp_path, "exit 1 # {item}")
    assert "1 items done, 12 B; 0 failed." in told


def test_a_command_that_does_not_name_the_item_is_refused(house: Running, tmp_path: Path) -> None:
    refused = house.cli("items", "work", "any", "--run", "true", "--name", "ann", "--folder", tmp_path)
    assert "must name the item" in refused.sentence


def test_it_works_for_any_tracker_by_its_address(house: Running, tmp_path: Path) -> None:
    project(house, "far", "item1")
    ended = command(
        "items", "work", "far", "--at", house.run.here, "--run", "echo {item} > found", "--name", "ann",
        "--folder", tmp_path, "--until-empty",
    )  # fmt: skip
    assert "1 items done, 6 B" in ended.err
