"""Everything stops, whoever asks and however, and nothing is left behind."""

import json
import os
import pty
import signal
import subprocess
import sys
import time

import pytest

from tests.system.supervise.world import HERE, House, part, program, store_says, until


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_request_to_stop_ends_everything_cleanly(house: House, number: signal.Signals) -> None:
    house.up([house.live, part("tame", after=["live"]), part("served", sockets=["web"], after=["live"])])
    house.ask(number)
    assert house.end() == 0
    assert house.is_empty()
    assert not (house.data / "run.json").exists()
    assert not (house.data / "parts.json").exists()
    assert not (house.data / "live.sock").exists()


def test_ctrl_c_on_a_terminal_reaches_the_parent_alone(house: House) -> None:
    ours, theirs = pty.openpty()
    parent = subprocess.Popen(
        [sys.executable, str(HERE / "house.py"), str(house.data), json.dumps([part("tame")])],
        preexec_fn=lambda: os.login_tty(theirs),  # noqa: PLW1509
        pass_fds=[theirs],
    )
    os.close(theirs)
    shown = b""
    while b"ready" not in shown:
        shown += os.read(ours, 1000)
    assert os.getsid(house.pid("tame")) != os.getsid(parent.pid)
    os.write(ours, b"\x03")
    assert parent.wait() == 0
    shown += os.read(ours, 1000)
    os.close(ours)
    assert b"holdfast: Stopping; once more to hurry" in shown
    assert b"KeyboardInterrupt" not in shown
    house.wait_until_empty()


def test_parts_stop_before_the_store_they_stand_on(house: House) -> None:
    last_word = f"""
import asyncio, sys
sys.path.insert(0, {str(HERE.parents[2])!r})
from holdfast.part import run_part
from pathlib import Path
from tests.system.supervise.world import store_says
async def main(context):
    context.ready()
    await context.stopping.wait()
    await asyncio.sleep(0.2)
    print(store_says(Path({str(house.data / "live.sock")!r}), "PING"), file=sys.stderr)
sys.exit(run_part("last", main))
"""
    house.up([house.live, program(last_word, name="last", after=["live"])])
    house.ask(signal.SIGTERM)
    assert house.end() == 0
    assert "+PONG" in house.said


def test_a_part_that_does_not_hear_is_killed_in_time(house: House) -> None:
    house.up([part("stubborn", stop_seconds=0.5), part("tame")])
    house.ask(signal.SIGTERM)
    assert house.end() == 0
    assert "stubborn did not stop in time and is killed" in house.said
    assert house.is_empty()


def test_a_second_ctrl_c_hurries(house: House) -> None:
    house.up([part("tame", stop_seconds=1), part("stubborn", stop_seconds=8, after=["tame"])])
    house.ask(signal.SIGINT)
    until(lambda: "Stopping" in house.said, "the first Ctrl-C is heard")
    house.ask(signal.SIGINT)
    assert house.end() == 0
    lines = [json.loads(line) for line in house.said.splitlines()]
    hurried, killed = (
        next(line["time"] for line in lines if words in line["event"])
        for words in ("Hurrying", "stubborn did not stop in time")
    )
    assert killed - hurried < 8
    assert house.is_empty()


def test_a_part_whose_loop_hangs_says_where_and_ends_when_its_parent_is_killed(house: House) -> None:
    house.up([part("hung", stop_seconds=0.5)])
    house.kill_parent()
    house.wait_until_empty()
    assert "in hung" in house.said


def test_nothing_outlives_a_killed_parent(house: House) -> None:
    house.up([house.live, part("tame", after=["live"]), part("served", sockets=["web"], after=["live"])])
    assert store_says(house.data / "live.sock", "SET kept yes") == "+OK"
    house.kill_parent()
    house.wait_until_empty()
    house.up([house.live])
    assert store_says(house.data / "live.sock", "GET kept") == "yes"


@pytest.mark.parametrize("moment", range(12))
def test_nothing_outlives_a_parent_killed_at_any_moment_of_its_start(house: House, moment: int) -> None:
    house.start([house.live, part("tame"), part("served", sockets=["web"])])
    time.sleep(0.05 + moment * 0.025)
    house.kill_parent()
    house.wait_until_empty()
    house.up([house.live, part("tame")])


def test_a_stop_during_the_start_is_a_clean_stop(house: House) -> None:
    forever = part("tame", after=["never"])
    never = {**program("import time; time.sleep(3600)", name="never"), "probe": str(house.data / "no.sock")}
    house.start([house.live, never, forever])
    until(lambda: (state := house.state("live")) and state.state == "ready", "the store is ready")
    house.ask(signal.SIGTERM)
    assert house.end() == 0
    assert house.is_empty()
