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


def test_the_whitelist_stands_here_too(house: Running) -> None:
    assert house.cli("tracker", "whitelist", "list").err == house.cli("whitelist", "list").err


@pytest.mark.parametrize(
    ("arguments", "code", "word"),
    [
        (["peers", "999999"], Exit.NOT_FOUND, "holdfast upload list"),
        (["torrent", "999999"], Exit.NOT_FOUND, "holdfast upload list"),
        (["peers", "many"], Exit.USAGE, "integer"),
        (["top", "--by", "beauty"], Exit.USAGE, "beauty"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_sentence(
    house: Running, arguments: list[str], code: Exit, word: str
) -> None:
    answer = house.cli("tracker", *arguments)
    assert answer.code == code, answer.err
    assert word in answer.sentence
