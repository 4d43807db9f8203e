"""One parent for one data folder, whatever the last one left in it."""

import json
import os
import signal
from pathlib import Path

import psutil
import pytest

from holdfast.errors import UnavailableError
from holdfast.runfile import read_run, write_run
from tests.system.supervise.world import House, is_gone, marked, part, until


def test_a_running_house_is_found_through_its_folder(house: House) -> None:
    house.up([part("tame")])
    assert read_run(house.data).pid == house.parent.pid
    house.kill_parent()
    with pytest.raises(UnavailableError, match="is not running"):
        read_run(house.data)


def test_a_second_up_is_refused_with_the_address_of_the_first(house: House, tmp_path: Path) -> None:
    house.up([part("tame")])
    second = House(house.data, house.mark)
    with second:
        second.start([part("tame")])
        assert second.end() == 5
    host, port = house.place("web")
    assert (
        f"Holdfast already runs in {house.data} at http://{host}:{port} (pid {house.parent.pid})"
        in house.said
    )
    assert house.parent.poll() is None
    assert read_run(house.data).pid == house.parent.pid


def test_a_start_over_everything_that_a_power_cut_leaves(house: House) -> None:
    house.up([house.live, part("tame", after=["live"])])
    run = read_run(house.data)
    processes = marked(house.mark)
    for process in processes:
        process.suspend()
    for process in processes:
        process.kill()
    house.wait_until_empty()
    assert (house.data / "live.sock").exists()
    write_run(house.data, run)
    half = (house.data / "run.json").read_bytes()[:50]
    for name in ("run.json", "run.json.new", "parts.json", "parts.json.new"):
        (house.data / name).write_bytes(half)
    (house.data / "lock").write_text(f"{os.getpid()}\n")
    house.up([house.live, part("tame", after=["live"])])
    assert read_run(house.data).pid == house.parent.pid


def test_a_new_parent_waits_for_the_parts_of_a_killed_one(house: House) -> None:
    house.up([part("stubborn", stop_seconds=1.0)])
    left = psutil.Process(house.pid("stubborn"))
    house.kill_parent()
    house.up([part("tame")])
    assert is_gone(left)
    assert "Waiting for the parts of an earlier run to stop" in house.said


def test_a_part_that_never_goes_is_named_with_what_to_do(house: House) -> None:
    house.up([part("tame")])
    pid = house.pid("tame")
    os.kill(pid, signal.SIGSTOP)
    house.kill_parent()
    house.start([part("tame")])
    assert house.end() == 5
    assert f"are still stopping in {house.data}: tame (pid {pid}); try again in a moment" in house.said
    assert f"kill -9 {pid}" in house.said
    os.kill(pid, signal.SIGKILL)
    house.up([part("tame")])


def test_the_state_of_the_parts_can_be_read_by_others(house: House) -> None:
    house.up([part("tame")])
    states = json.loads((house.data / "parts.json").read_text())
    assert [(state["name"], state["state"], state["restarts"]) for state in states] == [("tame", "ready", 0)]
    assert (house.data / "parts.json").stat().st_mode & 0o777 == 0o600
    assert psutil.pid_exists(states[0]["pid"])


def test_the_parent_imports_nothing_that_weighs(house: House) -> None:
    house.up([part("tame")])
    maps = Path(f"/proc/{house.parent.pid}/maps").read_text()
    for heavy in ("uvloop", "hiredis", "msgspec", "sqlalchemy"):
        assert heavy not in maps
    assert until(lambda: psutil.Process(house.parent.pid).memory_info().rss, "its memory") < 30 * 2**20
