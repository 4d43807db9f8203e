"""`holdfast tracker` as an operator types it, on swarms that real announces fill."""

from dataclasses import dataclass
from pathlib import Path

import pytest

from holdfast.errors import Exit
from tests.system.operate.test_top import top
from tests.system.running import PATIENCE, Running, until


@dataclass(frozen=True)
class Shared:
    """An upload, and the passkey of the member who shares it."""

    id: int
    info_hash: str
    size: int
    passkey: str


@pytest.fixture
def shared(house: Running, member: str, folder: Path) -> Shared:
    made = house.cli("upload", "add", folder, "--by", member, "--json").json
    passkey = house.cli("member", "rotate", member, "--json").json["passkey"]
    return Shared(made["id"], made["info_hash_v1"], made["size"], passkey)


def test_peers_are_listed_with_what_they_have(house: Running, shared: Shared, member: str) -> None:
    nobody = house.cli("tracker", "peers", str(shared.id))
    assert (nobody.code, nobody.out, nobody.err) == (0, "", "Nobody is in this swarm.\n")
    house.announce(shared.passkey, shared.info_hash, left=shared.size // 2)
    heading, row = house.cli("tracker", "peers", str(shared.id)).out.splitlines()
    assert heading.split()[:3] == ["member", "client", "has"]
    for words in (member, "Transmission 4.0.0", "50%", "127.0.0.1:6881"):
        assert words in row
    (peer,) = house.cli("tracker", "peers", str(shared.id), "--json").json
    assert (peer["role"], peer["member"]["name"]) == ("leecher", member)


def test_a_torrent_is_shown_with_its_counts_and_live_keys(house: Running, shared: Shared) -> None:
    house.announce(shared.passkey, shared.info_hash)
    told = house.cli("tracker", "torrent", str(shared.id))
    assert "seeders     1" in told.out
    assert f"t:tpeers:{shared.info_hash}" in told.out
    found = house.cli("tracker", "torrent", str(shared.id), "--json").json
    assert (found["swarm"]["seeders"], found["swarm"]["announces"]) == (1, 1)
    for one in found["keys"]:
        assert house.ask("TYPE", one["key"]).decode() == one["kind"]
        if one["kind"] == "string":
            assert house.ask("GET", one["key"]) == one["value"].encode()


def test_top_shows_the_busiest_swarms(house: Running, shared: Shared) -> None:
    house.announce(shared.passkey, shared.info_hash, left=1)
    told = house.cli("tracker", "top", "--once", "--json").json
    assert [one["counts"]["leechers"] for one in told["busiest"] if one["upload"]["id"] == shared.id] == [1]
    assert all(worker["resident_bytes"] > 1 << 20 for worker in told["workers"])
    assert "announces" in house.cli("tracker", "top", "--once", "--by", "seeders").out
    with top(house.data, "tracker", "top", "--interval", "0.3") as terminal:
        until("rates", lambda: "a second" in terminal.picture)
        assert "leechers" in terminal.picture
        terminal.press(b"q")
        assert terminal.process.wait(PATIENCE) == Exit.OK


def test_silent_peers_are_looked_for_at_once(house: Running, shared: Shared) -> None:
    house.announce(shared.passkey, shared.info_hash)
    reaped = house.cli("tracker", "reap")
    assert (reaped.code, reaped.out) == (0, "")
    assert "0 peers had fallen silent" in reaped.err
    assert house.cli("audit", "--action", "tracker.reap", "--json").json


def test_the_indexes_are_made_anew(house: Running, shared: Shared) -> None:
    house.announce(shared.passkey, shared.info_hash)
    house.ask("ZADD", "t:i:seeders", 77, shared.id)
    assert "1 place in the indexes mended" in house.cli("tracker", "rebuild-indexes").err
    assert house.ask("ZSCORE", "t:i:seeders", shared.id) == b"1"
    assert "The indexes were right." in house.cli("tracker", "rebuild-indexes").err


def test_the_workers_tell_which_clients_announce(house: Running, shared: Shared) -> None:
    house.announce(shared.passkey, shared.info_hash)

    def clients() -> list[str]:
        told = house.cli("tracker", "top", "--once", "--json").json
        return [one["name"] for one in told["clients"]]

    until("the next heartbeat", lambda: "Transmission" in clients())


def test_a_member_is_shown_with_what_he_took_and_owes(house: Running, shared: Shared, member: str) -> None:
    nothing = house.cli("tracker", "member", member)
    assert "has taken part in no such upload yet" in nothing.err
    house.announce(shared.passkey, shared.info_hash, left=shared.size)
    house.announce(shared.passkey, shared.info_hash, downloaded=60 << 20)

    def owed() -> list[dict[str, int]]:
        found = house.cli("tracker", "member", member, "--state", "owing", "--json").json["torrents"]
        return list(found)

    (taken,) = until("the records follow", owed)
    assert (taken["upload"]["id"], taken["hnr_at_risk"]) == (shared.id, True)
    assert "60.0 MiB" in house.cli("tracker", "member", member).out

    freed = house.cli("tracker", "exempt", member, str(shared.id), "--reason", "His disk died.")
    assert "nothing any more" in freed.err
    assert owed() == []
    assert "exempt" in house.cli("tracker", "member", member).out
    house.cli("tracker", "exempt", member, str(shared.id), "--reason", "It did not.", "--undo")
    assert len(owed()) == 1


def test_reports_are_listed_and_settled(house: Running, shared: Shared, member: str) -> None:
    assert house.cli("tracker", "reports").err == "Nothing looks wrong.\n"
    number = house.cli("member", "show", member, "--json").json["id"]
    seen = ("uid", number, "tid", shared.id, "pid", "2d", "up", 9 << 40, "down", 0, "seconds", 1024)
    house.ask("XADD", "t:x:suspicions", "*", "kind", "speed", *seen, "at", 1_800_000_000)
    (report,) = until("the clerk reads it", lambda: house.cli("tracker", "reports", "--json").json)
    assert "9.0 GiB/s" in house.cli("tracker", "reports").out
    done = house.cli("tracker", "settle", str(report["id"]), "mistake", "--note", "A clock that jumped.")
    assert "is settled" in done.err
    assert "mistake: A clock that jumped." in house.cli("tracker", "reports", "--settled").out
    assert house.cli("tracker", "settle", "99999", "unclear", "--note", "x").code == Exit.NOT_FOUND


def test_the_whitelist_stands_here_too(house: Running) -> None:
    assert house.cli("tracker", "whitelist", "list").err == house.cli("whitelist", "list").err


@pytest.mark.parametrize(
    ("arguments", "code", "word"),
    [
        (["peers", "999999"], Exit.NOT_FOUND, "holdfast upload list"),
        (["torrent", "999999"], Exit.NOT_FOUND, "holdfast upload list"),
        (["peers", "many"], Exit.USAGE, "integer"),
        (["top", "--by", "beauty"], Exit.USAGE, "beauty"),
        (["member", "nobody"], Exit.NOT_FOUND, "holdfast member list"),
        (["exempt", "nobody", "1", "--reason", "x"], Exit.NOT_FOUND, "nobody"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_sentence(
    house: Running, arguments: list[str], code: Exit, word: str
) -> None:
    answer = house.cli("tracker", *arguments)
    assert answer.code == code, answer.err
    assert word in answer.sentence
