"""What a killed parent leaves behind, and what it must not."""

import json
import os
import shutil
import signal
import socket
from pathlib import Path

from holdfast.runfile import LOCK, RUN
from holdfast.supervise.folder import PARTS as PARTS_FILE
from tests.system.running import PARTS, Running, alive, torrent_named, until

TORRENT = "application/x-bittorrent"


def test_a_parent_killed_leaves_no_orphan_and_up_starts_again_over_what_it_left(house: Running) -> None:
    house.start()
    assert house.cli("member", "add", "ann").code == 0
    with house.door() as door:
        added = door.send("/uploads", torrent_named("kept"), TORRENT, by="ann", category="General")
    parts = list(house.pids.values())
    house.kill()
    until("no part outlives its parent", lambda: not any(map(alive, parts)))
    assert (house.data / RUN).exists(), "a killed parent cannot tidy up"
    assert "not running" in house.cli("member", "list").sentence
    house.start()
    assert [one["id"] for one in house.cli("upload", "list", "--json").json] == [added["id"]]
    assert house.live_uploads() == {added["info_hash_v1"]: added["id"]}


def test_a_killed_parent_and_the_next_one_meet_in_one_folder(house: Running) -> None:
    """The next one waits for the parts of the last, which may be writing still."""
    house.start()
    for _ in range(2):
        before = house.left_running
        house.kill()
        house.start()
        assert not any(map(alive, before))
        assert len(house.left_running) == 1 + len(PARTS)


def test_it_starts_over_everything_that_a_crash_can_leave_half_written(house: Running) -> None:
    house.start()
    run = (house.data / RUN).read_bytes()
    assert house.stop().code == 0
    stranger = os.getpid()
    (house.data / RUN).write_bytes(run[: len(run) // 2])
    (house.data / f"{RUN}.new").write_bytes(b"{")
    (house.data / PARTS_FILE).write_text('[{"name": "live", "pid"')
    (house.data / f"{PARTS_FILE}.new").touch(0o644)
    (house.data / LOCK).write_text(f"{stranger}\n")
    live = house.data / "live"
    (live / "valkey.pid").write_text(f"{stranger}\n")
    (live / "valkey.new").write_text("port 6379\n")
    (live / "temp-77.rdb").write_bytes(b"\0" * 100)
    with socket.socket(socket.AF_UNIX) as nobody:
        nobody.bind(str(live / "valkey.sock"))
    house.start()
    assert house.ready()
    assert json.loads((house.data / RUN).read_text())["pid"] == house.run.pid
    assert alive(stranger)


def test_a_live_store_that_was_left_running_alone_is_ended_before_the_next_one_starts(house: Running) -> None:
    """As when somebody has run it by hand in our folder."""
    import subprocess

    from holdfast.store.live.embedded import EmbeddedServer

    embedded = EmbeddedServer(house.data)
    embedded.prepare()
    by_hand = subprocess.Popen(embedded.argv(), stdout=subprocess.DEVNULL)
    try:
        until("it listens", embedded.socket_path.exists)
        house.start()
        assert by_hand.wait(10) == 0, "it was asked to end, and could write down what it knew"
        assert house.ask("PING") == b"PONG"
    finally:
        by_hand.kill()
        by_hand.wait()


def test_what_the_live_store_forgot_is_written_again_from_the_records(house: Running) -> None:
    house.start()
    assert house.cli("member", "add", "ann").code == 0
    with house.door() as door:
        added = door.send("/uploads", torrent_named("remembered"), TORRENT, by="ann", category="General")
    assert house.stop().code == 0
    shutil.rmtree(house.data / "live")
    house.start()
    wanted = {added["info_hash_v1"]: added["id"]}
    until("the live store knows again", lambda: house.live_uploads() == wanted)
    assert len(house.ask("KEYS", "t:user:*")) == 1


def test_a_part_that_is_stopped_and_never_continued_does_not_keep_the_house_from_stopping(
    house: Running,
) -> None:
    house.start()
    hung = house.signal("web", signal.SIGSTOP)
    store = house.signal("live", signal.SIGSTOP)
    assert house.stop().code == 0
    assert not alive(hung)
    assert not alive(store)
    assert not house.left_running
    assert not Path(house.data / RUN).exists()
