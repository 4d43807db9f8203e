"""In a running system the records follow the swarms, also after the clerk was killed."""

import signal
from pathlib import Path
from typing import Any

from tests.system.running import Running, running, torrent_named, until

QUICK = ("tracker.collect=10ms", "tracker.min_interval=0s")


def shown(system: Running, path: str) -> Any:
    with system.http() as client:
        return client.get(f"/api/v1{path}").json()


def test_an_announce_is_in_the_records_soon_whoever_was_killed(tmp_path: Path) -> None:
    with running(changes=QUICK) as system:
        film = tmp_path / "film.torrent"
        film.write_bytes(torrent_named("film"))
        passkey = system.cli("member", "add", "ann", "--json").json["passkey"]
        upload = system.cli("upload", "add", film, "--by", "ann", "--json").json

        def announce(left: int, downloaded: int = 0) -> None:
            answer = system.announce(passkey, upload["info_hash_v1"], left=left, downloaded=downloaded)
            assert b"failure" not in answer[:12], answer

        announce(left=100)
        until("a leecher", lambda: shown(system, "/uploads/1")["leechers"] == 1)
        clerk = system.signal("clerk", signal.SIGKILL)
        announce(left=0, downloaded=100)
        until("another clerk", lambda: system.pids.get("clerk") not in {None, clerk})
        until("a seeder", lambda: shown(system, "/uploads/1")["seeders"] == 1)
        until("the bytes", lambda: shown(system, "/members/ann")["downloaded"] == 100)
        (taken,) = shown(system, "/members/ann/torrents")["items"]
        assert (taken["seeding"], taken["leeching"], taken["complete"]) == (1, 0, True)
