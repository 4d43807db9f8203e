"""Backups of a system in use, and what comes up from them."""

import threading
from pathlib import Path

from holdfast.backup.copies import copy_append_only
from holdfast.errors import Exit
from tests.servers import embedded_valkey
from tests.system.running import command, running, torrent_named


def ignore(done: int, total: int) -> None:
    """No bar to move."""


def test_a_backup_made_in_use_comes_up_with_everything_that_was_answered_before(tmp_path: Path) -> None:
    with running() as system:
        with system.door() as door:
            door.post("/members", {"name": "marisol"})
            kind = "application/x-bittorrent"
            upload = door.send("/uploads", torrent_named("logbooks"), kind, by="marisol", category="General")
            passkey = door.get("/members/marisol/passkey")["passkey"]
        told = system.cli("backup", tmp_path / "backup")
        assert told.code == Exit.OK, told.err
        system.cli("member", "add", "too_late")
        again = system.cli("backup", tmp_path / "backup")
        assert (again.code, "there already" in again.sentence) == (Exit.CONFLICT, True)
    told = command("--data", tmp_path / "data", "restore", tmp_path / "backup")
    assert told.code == Exit.OK, told.err
    with running(tmp_path / "data") as restored:
        assert [one["name"] for one in restored.cli("member", "list", "--json").json] == ["marisol"]
        assert [one["id"] for one in restored.cli("upload", "list", "--json").json] == [upload["id"]]
        assert restored.live_uploads() == {upload["info_hash_v1"]: upload["id"]}
        assert b"failure" not in restored.announce(passkey, upload["info_hash_v1"])[:9]
        assert restored.cli("doctor").code == Exit.OK


def test_a_restore_into_a_running_system_is_refused(tmp_path: Path) -> None:
    with running() as system:
        assert system.cli("backup", tmp_path / "backup").code == Exit.OK
        told = system.cli("restore", tmp_path / "backup")
        assert (told.code, system.run.web in told.sentence) == (Exit.CONFLICT, True)


def test_the_append_only_file_is_copied_while_it_is_written_and_rewritten(tmp_path: Path) -> None:
    """Every copy comes up with an unbroken beginning of what was written."""
    enough = threading.Event()

    def write() -> None:
        number = 0
        while not enough.is_set():
            number += 1
            server.ask("MSET", *(word for at in range(50) for word in (f"k{number * 50 + at}", "x" * 200)))
            server.ask("SET", "last", number)
            if number % 40 == 0:
                server.ask("BGREWRITEAOF")

    with embedded_valkey() as server:
        writer = threading.Thread(target=write)
        writer.start()
        try:
            for number in range(8):
                copy_append_only(
                    server.folder / "live/appendonlydir", tmp_path / f"{number}/live/appendonlydir", ignore
                )
        finally:
            enough.set()
            writer.join()
    for number in range(8):
        with embedded_valkey(tmp_path / str(number)) as copy:
            last = int(copy.ask("GET", "last") or 0)
            keys = copy.ask("DBSIZE")
            assert keys in (last * 50 + 1, last * 50 + 51, last * 50 + bool(last))
