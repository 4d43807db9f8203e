"""What dies is started again, behind doors that never closed."""

import os
import signal
import socket

from tests.system.supervise.world import (
    PATIENCE,
    House,
    is_gone,
    marked,
    part,
    pid_at,
    store_says,
    until,
)


def test_a_killed_part_is_started_again_and_it_is_said(house: House) -> None:
    house.up([part("tame")])
    first = house.pid("tame")
    os.kill(first, signal.SIGKILL)
    assert house.restarted("tame").pid != first
    assert "tame was killed by SIGKILL; starting it again in " in house.said
    assert "tame is running again" in house.said
    assert house.parent.poll() is None


def test_callers_of_a_part_that_restarts_wait_and_are_not_refused(house: House) -> None:
    house.up([part("served", sockets=["tracker", "tracker.udp"])])
    place = house.place("tracker")
    first = house.pid("served")
    assert pid_at(place) == first
    os.kill(first, signal.SIGSTOP)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as caller:
        caller.settimeout(PATIENCE)
        caller.connect(place)
        os.kill(first, signal.SIGKILL)
        until(lambda: (state := house.state("served")) and state.state == "resting", "its death is known")
        caller.send(b"?")
        second = pid_at(place)
        assert int(caller.recv(100)) == second
    assert second != first
    assert house.place("tracker") == place


def test_what_a_killed_part_had_started_goes_with_it(house: House) -> None:
    house.up([part("fertile")])
    sleepers = until(lambda: [one for one in marked(house.mark) if one.name() == "sleep"], "its process runs")
    os.kill(house.pid("fertile"), signal.SIGKILL)
    house.restarted("fertile")
    assert is_gone(sleepers[0])


def test_a_killed_store_comes_back_with_its_data_and_the_others_stay(house: House) -> None:
    house.up([house.live, part("tame", after=["live"])])
    assert store_says(house.data / "live.sock", "SET kept yes") == "+OK"
    tame = house.pid("tame")
    os.kill(house.pid("live"), signal.SIGKILL)
    house.restarted("live")
    assert store_says(house.data / "live.sock", "GET kept") == "yes"
    assert house.pid("tame") == tame


def test_three_deaths_before_it_was_ready_end_the_start_with_the_last_words(house: House) -> None:
    house.start([part("clumsy"), part("tame")])
    assert house.end() == 1
    assert house.said.rstrip().endswith(
        "Holdfast did not start: clumsy stopped with exit code 1 before it was ready, 3 times in a row:"
        " RuntimeError: fell over"
    )
    assert house.is_empty()


def test_a_foreign_part_that_cannot_start_is_quoted(house: House) -> None:
    live = house.live
    live["argv"] += ["--no-such-option", "1"]
    house.start([live])
    assert house.end() == 1
    assert "Holdfast did not start: live stopped with exit code 1 before it was ready, 3 times" in house.said
    assert "no-such-option" in house.said.splitlines()[-1]


def test_settings_that_a_person_must_mend_end_the_start_at_once_with_their_exit_code(house: House) -> None:
    house.start([part("misled")])
    assert house.end() == 7
    assert house.said.rstrip().endswith(
        "misled stopped with exit code 7 before it was ready:"
        " No such category; name another in holdfast.toml."
    )


def test_a_program_that_is_not_there_is_told(house: House) -> None:
    house.start([{"name": "lost", "argv": ["/no/such/program"]}])
    assert house.end() == 1
    assert "cannot start /no/such/program: No such file or directory" in house.said.splitlines()[-1]
