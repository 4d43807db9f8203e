"""A tracker that cannot serve says so everywhere, and serves again without anybody's doing."""

import os
import signal
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from holdfast.wire.bencode import decode
from tests.system.running import PATIENCE, Running, running, until
from tests.system.tracker.ground import ANN, UPLOAD

REST = 6.0
"""Seconds that the store is away once it was killed."""


@pytest.fixture(scope="module")
def house() -> Iterator[Running]:
    changes = ("tracker.workers=2", "tracker.min_interval=0 s", "live.wait=200 ms")
    with running(rests=(REST, REST), changes=changes) as one:
        one.ask("HSET", f"t:user:{ANN}", "user_id", 1)
        one.ask("SET", f"t:info_hash:{UPLOAD.hex()}", 7)
        assert one.ask("WAITAOF", 1, 0, 10_000)[0] == 1
        yield one


def announced(house: Running) -> Any:
    return decode(house.announce(ANN, UPLOAD.hex()))


def checks(house: Running) -> dict[str, str]:
    """What is not as it should be."""
    said = httpx.get(f"{house.run.here}/health/ready", timeout=PATIENCE, trust_env=False).json()
    return {check["name"]: check["detail"] for check in said["checks"] if not check["ok"]}


def assert_serves(house: Running) -> None:
    until("announces are served", lambda: b"peers" in announced(house))
    until("all is ready", house.ready)
    assert checks(house) == {}


def test_a_store_that_is_killed_under_announces_turns_readiness_red_until_it_is_back(house: Running) -> None:
    assert_serves(house)
    workers = {name: pid for name, pid in house.pids.items() if name.startswith("tracker")}
    house.signal("live", signal.SIGKILL)
    until("announces are put off", lambda: announced(house).get(b"retry in") == 1)
    until("readiness is red", lambda: not house.ready())
    assert "come again later" in until("the tracker is named", lambda: checks(house).get("tracker", ""))
    assert_serves(house)
    assert {name: pid for name, pid in house.pids.items() if name.startswith("tracker")} == workers


def test_while_the_store_hangs_status_says_so_and_afterwards_nothing(house: Running) -> None:
    assert_serves(house)
    pid = house.signal("live", signal.SIGSTOP)
    try:
        assert announced(house)[b"retry in"] == 1
        assert not house.ready()
        assert set(checks(house)) >= {"live", "tracker"}
        shown = house.cli("status")
        assert "away" in shown.out + shown.err
    finally:
        os.kill(pid, signal.SIGCONT)
    assert_serves(house)
    until("no alarm is left", lambda: "alarm:" not in house.cli("status").err)


def test_without_any_worker_readiness_is_red_and_with_one_it_is_not(house: Running) -> None:
    house.signal("tracker-1", signal.SIGKILL)
    until("it rests", lambda: house.parts["tracker-1"].state == "resting")
    assert "tracker" not in checks(house)
    house.signal("tracker-2", signal.SIGKILL)
    until("both rest", lambda: house.parts["tracker-2"].state == "resting")
    assert "tracker-2 is resting" in checks(house)["tracker"]
    assert_serves(house)
