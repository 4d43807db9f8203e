"""Starting and stopping the whole: what a person sees, what is left behind, and who is refused."""

import os
import re
import signal
import subprocess
import time
from pathlib import Path

import httpx
import pytest

from holdfast.errors import Exit
from holdfast.runfile import RUN
from holdfast.supervise.folder import PARTS as PARTS_FILE
from tests.system.running import (
    FREE,
    PARTS,
    STOP_PROMISE,
    Running,
    alive,
    mode,
    running,
    torrent_named,
    until,
)

LINK = re.compile(r"http://\S+/welcome#\S+")


def sign_in_first(house: Running) -> None:
    found = LINK.search(house.out)
    assert found
    token = found.group().partition("#")[2]
    body = {"token": token, "name": "olga", "password": "a long enough secret"}
    answer = httpx.post(f"{house.run.here}/api/v1/session/link", json=body, trust_env=False)
    assert answer.is_success, answer.text


def test_the_table_names_every_address_once_all_parts_are_ready(house: Running) -> None:
    house.start()
    rows = dict(re.findall(r"^  ([a-z ]{3,12}?) {2,}(\S.*)$", house.out, re.MULTILINE))
    run = house.run
    assert rows == {
        "web": run.web,
        "tracker": run.tracker,
        "live store": run.live,
        "records": run.records,
        "data folder": run.data,
    }
    assert {name: state.state for name, state in house.parts.items()} == dict.fromkeys(PARTS, "ready")
    assert house.ready()
    assert b"failure reason" in house.announce("0" * 32, "0" * 40)


def test_an_address_that_a_person_has_set_is_seen_with_where_it_was_set(house: Running) -> None:
    house.data.mkdir(parents=True, mode=0o700)
    file = house.data / "holdfast.toml"
    file.write_text('[web]\npublic_url = "http://holdfast.example.org"\n')
    house.start()
    with house.door() as door:
        seen = {one["name"]: one for one in door.get("/settings")["items"]}
    assert seen["web.public_url"]["value"] == house.run.web == "http://holdfast.example.org"
    assert seen["web.public_url"]["source"].startswith(str(file))
    assert seen["tracker.public_url"]["value"] == house.run.tracker


def test_port_0_takes_free_ports_and_says_which(house: Running) -> None:
    house.start()
    ports = {int(address.rpartition(":")[2]) for address in (house.run.web, house.run.tracker)}
    assert len(ports) == 2
    assert 0 not in ports


def test_the_first_operators_link_is_shown_until_there_is_one_and_never_after(house: Running) -> None:
    house.start()
    first = LINK.search(house.out)
    assert first
    assert house.stop().code == 0
    house.start()
    second = LINK.search(house.out)
    assert second, "nobody has used the first link, so the next start offers another"
    assert first.group().partition("#")[2] != second.group().partition("#")[2]
    sign_in_first(house)
    assert house.stop().code == 0
    house.start()
    assert not LINK.search(house.out)
    assert "operator" not in house.out


def test_run_json_is_for_its_owner_alone_and_goes_with_the_system(house: Running) -> None:
    house.start()
    assert mode(house.data / RUN) == 0o600
    assert mode(house.data) == 0o700
    token = house.run.token
    assert token not in house.out + house.err
    assert all(
        token not in Path(f"/proc/{pid}/{where}").read_text()
        for pid in house.left_running
        for where in ("cmdline", "environ")
    )
    assert house.stop().code == 0
    left = {path.name for path in house.data.iterdir()}
    assert left == {"live", "lock", "parts.lock", "records.sqlite"}
    assert not (house.data / "live" / "valkey.sock").exists()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_stops_all_within_ten_seconds_and_nothing_is_left_running(
    house: Running, number: signal.Signals
) -> None:
    house.start()
    pids = house.left_running
    assert len(pids) == 1 + len(PARTS)
    assert house.stop(number).code == 0
    assert not any(map(alive, pids))
    assert house.cli("member", "list").code == Exit.UNAVAILABLE


def test_ctrl_c_reaches_the_parent_alone_so_that_the_live_store_is_not_the_first_to_go(
    house: Running,
) -> None:
    house.start()
    assert house.process
    os.killpg(house.process.pid, signal.SIGINT)
    ended = house.ended(STOP_PROMISE)
    assert ended.code == 0
    assert "away" not in ended.err
    assert [line["part"] for line in house.log if "Received SIGTERM" in line["event"]] == ["live"]


def test_it_stops_as_cleanly_while_it_is_still_starting(house: Running) -> None:
    for moment in (0.1, 0.5, 1.0):
        house.begin()
        time.sleep(moment)
        assert house.process
        house.process.send_signal(signal.SIGTERM)
        ended = house.ended(STOP_PROMISE)
        # Before the interpreter listens for signals, a signal ends it in the usual way.
        assert ended.code in (0, -signal.SIGTERM), ended.err
        until("nothing is left running", lambda: not house.left_running)
    house.start()


def test_a_second_up_is_refused_with_the_first_ones_address(house: Running) -> None:
    house.start()
    refused = house.cli("up", *FREE)
    assert refused.code == Exit.CONFLICT
    assert house.run.web in refused.sentence
    assert str(house.run.pid) in refused.sentence
    assert "--data" in refused.sentence
    assert house.ready(), "the first one goes on"


def test_a_port_that_is_taken_is_refused_with_the_one_who_has_it(house: Running) -> None:
    house.start()
    taken = house.run.web.removeprefix("http://")
    with running(arguments=("--web", taken, "--tracker", "127.0.0.1:0"), start=False) as other:
        other.begin()
        refused = other.ended()
        assert refused.code == Exit.CONFLICT
        assert taken in refused.sentence
        assert f"(pid {house.run.pid})" in refused.sentence
        assert "--web" in refused.sentence
        assert not other.left_running


def test_whoever_reads_only_the_first_line_of_its_output_does_not_end_it(house: Running) -> None:
    read, write = os.pipe()
    os.close(read)
    house.begin(write)
    os.close(write)
    until("run.json is there", (house.data / RUN).exists)
    until("the web door is ready", house.ready)
    assert house.stop().code == 0


@pytest.mark.parametrize("name", ["-dash/größe 🌿 '\"$(x)", "x" * 120])
def test_the_data_folder_may_have_any_name(name: str) -> None:
    with running(start=False) as outer, running(outer.data / name) as house:
        assert house.cli("member", "list", "--json").json == []
        assert house.ask("PING") == b"PONG"
        assert house.stop().code == 0
        assert not house.left_running


def test_a_data_folder_behind_a_link_is_one_and_the_same(house: Running) -> None:
    house.start()
    link = house.folder / "link"
    link.symlink_to(house.data)
    through = Running(link)
    assert through.cli("member", "list").code == 0
    assert through.cli("up", *FREE).code == Exit.CONFLICT


def test_a_folder_copied_while_stopped_starts_elsewhere_beside_the_first(house: Running) -> None:
    house.start()
    assert house.cli("member", "add", "ann").code == 0
    with house.door() as door:
        added = door.send(
            "/uploads", torrent_named("moved"), "application/x-bittorrent", by="ann", category="General"
        )
    assert house.stop().code == 0
    copy = house.folder / "copy"
    subprocess.run(["cp", "-a", house.data, copy], check=True)
    house.start()
    with running(copy) as other:
        assert other.run.web != house.run.web
        for one in (house, other):
            assert [each["id"] for each in one.cli("upload", "list", "--json").json] == [added["id"]]
            assert one.live_uploads() == {added["info_hash_v1"]: added["id"]}
        with other.door() as door:
            door.post(f"/uploads/{added['id']}/removal", {"reason": "only here"})
        assert other.live_uploads() == {}
        assert house.live_uploads() == {added["info_hash_v1"]: added["id"]}, "they share nothing"


def test_parts_json_tells_of_the_parts_and_is_for_its_owner_alone(house: Running) -> None:
    house.start()
    assert mode(house.data / PARTS_FILE) == 0o600
    assert tuple(house.parts) == PARTS
    assert set(house.pids.values()) | {house.run.pid} == set(house.left_running)
