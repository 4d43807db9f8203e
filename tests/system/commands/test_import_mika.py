"""`holdfast import mika`: a tracker's whole Redis moves in, in every layout that it was ever written in."""

import csv
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from holdfast.wire.metainfo import parse_torrent
from tests.catalogue.ground import HYBRID, metainfo, torrent
from tests.servers import RunningServer, valkey
from tests.system.running import Answer, Running

numbers = count(1)
TIB = 1 << 40


@pytest.fixture(scope="module")
def redis() -> Iterator[RunningServer]:
    with valkey() as server:
        # Whoever moves in may read and nothing else.
        server.ask("ACL", "SETUSER", "reader", "on", ">secret", "~t:*", "+@read", "+@connection")
        yield server


@pytest.fixture
def old(redis: RunningServer, tmp_path: Path) -> "Old":
    redis.ask("FLUSHALL")
    return Old(redis, tmp_path)


class Old:
    """The tracker that is left."""

    def __init__(self, server: RunningServer, folder: Path) -> None:
        self.ask = server.ask
        self.where = server.where
        self.folder = folder
        self.mark = f"mika{next(numbers)}"
        self.base = 100_000 * next(numbers)
        """From where its numbers count, so that no other test has them."""
        self.left_out = folder / "left-out.csv"

    def passkey(self, number: int) -> str:
        return f"{self.mark}key{number}"

    def member(self, number: int, *, plain: bool = False, **fields: str | int) -> None:
        user_id = self.base + number
        if plain:
            self.ask("SET", f"t:user:{self.passkey(number)}", user_id)
        else:
            self.ask("HSET", f"t:user:{self.passkey(number)}", "user_id", user_id)
        self.totals(number, username=f"{self.mark}-{number}", **fields)

    def totals(self, number: int, **fields: str | int) -> None:
        flat = [word for pair in fields.items() for word in pair]
        if flat:
            self.ask("HSET", f"t:u:{self.base + number}", "user_id", self.base + number, *flat)

    def torrent(self, number: int, *, by_number: bool = False, **fields: Any) -> str:
        """In the folder and in Redis; returns its hash."""
        name = f"{self.mark} film {number}"
        version = fields.pop("version", HYBRID)
        (self.folder / "torrents" / "deeper").mkdir(parents=True, exist_ok=True)
        (self.folder / "torrents" / "deeper" / f"{number}.torrent").write_bytes(torrent(name, version))
        return self.known(
            str((metainfo(name, version).v1_hash or b"").hex()), number, by_number=by_number, **fields
        )

    def known(self, info_hash: str, number: int, *, by_number: bool = False, **fields: Any) -> str:
        """In Redis alone."""
        told: dict[str, Any] = {
            "torrent_id": self.base + number,
            "snatches": 5,
            "info_hash": info_hash,
        } | fields
        if by_number:
            self.ask("SET", f"t:info_hash:{info_hash}", self.base + number)
        where = self.base + number if by_number else info_hash
        self.ask("HSET", f"t:t:{where}", *[word for pair in told.items() for word in pair])
        return info_hash

    def move(self, house: Running, *options: str) -> Answer:
        address = f"redis://reader:secret@127.0.0.1:{self.where}/0"
        where = ("--torrents", str(self.folder / "torrents"), "--left-out", str(self.left_out))
        (self.folder / "torrents").mkdir(exist_ok=True)
        return house.cli("import", "mika", address, *where, *options)

    def moved(self, house: Running, *options: str) -> Any:
        return self.move(house, "--json", *options).json

    def missing(self) -> list[dict[str, str]]:
        with self.left_out.open() as file:
            return list(csv.DictReader(file))


def took_part(house: Running, name: str) -> dict[int, Any]:
    """How a member stands on each upload."""
    with house.door() as door:
        return {one["upload"]["id"]: one for one in door.get(f"/members/{name}/torrents")["items"]}


def shown(house: Running, name: str) -> Any:
    return house.cli("member", "show", name, "--json").json


def test_members_come_from_every_layout_with_passkeys_totals_and_numbers(house: Running, old: Old) -> None:
    old.member(1, uploaded=TIB, downloaded=7, enabled=1, can_leech=0)
    old.member(2, plain=True, uploaded=3)
    old.totals(3, username=f"{old.mark}-3", passkey=old.passkey(3), enabled=0)
    old.member(4, passkey=old.passkey(4))
    old.ask("SET", f"t:user:{old.passkey(5)}", old.base + 5)
    old.ask("SADD", f"t:u:{old.base + 1}:active", 1)
    moved = old.moved(house, "--keep-ids")
    assert moved["members"] == {"added": 5, "known": 1, "refused": 0, "held_back": 0}
    one = shown(house, f"{old.mark}-1")
    assert (one["id"], one["uploaded"], one["downloaded"]) == (old.base + 1, TIB, 7)
    assert (one["enabled"], one["may_leech"]) == (True, False)
    assert shown(house, f"{old.mark}-2")["uploaded"] == 3
    assert shown(house, f"{old.mark}-3")["enabled"] is False
    assert shown(house, f"member-{old.base + 5}")["id"] == old.base + 5
    for number in (1, 2, 4, 5):
        assert b"not in the catalogue" in house.announce(old.passkey(number), "0" * 40)


def test_the_source_is_only_read(house: Running, old: Old) -> None:
    old.member(1)
    old.torrent(1)
    before = {key: old.ask("DUMP", key) for key in old.ask("KEYS", "*")}
    assert old.move(house).code == 0, "its login may do nothing else"
    assert {key: old.ask("DUMP", key) for key in old.ask("KEYS", "*")} == before


def test_uploads_come_with_their_torrents_numbers_and_snatches(house: Running, old: Old) -> None:
    first = old.torrent(1, snatches=41)
    second = old.torrent(2, by_number=True, snatches=7)
    passkey = house.cli("member", "add", f"{old.mark}-x", "--json").json["passkey"]
    assert old.moved(house)["uploads"] == {"added": 2, "known": 0, "left_out": 0}
    for number, info_hash, snatches in ((1, first, 41), (2, second, 7)):
        found = house.cli("upload", "show", str(old.base + number), "--json").json
        assert (found["info_hash_v1"], found["completed"]) == (info_hash, snatches)
        assert (found["uploader"], found["name"]) == (None, f"{old.mark} film {number}")
        assert b"8:complete" in house.announce(passkey, info_hash)


def test_hashes_without_a_torrent_are_listed_and_not_dropped(house: Running, old: Old) -> None:
    old.torrent(1)
    old.known("ab" * 20, 2, name="lost, and “found”", snatches=9)
    old.known("CD" * 20, 3)
    old.ask("SET", f"t:info_hash:{'ef' * 20}", "nonsense")
    gone = old.torrent(5, enabled=0, reason="fake")
    moved = old.moved(house)
    assert moved["uploads"] == {"added": 1, "known": 0, "left_out": 4}
    rows = {row["info_hash"]: row for row in old.missing()}
    assert set(rows) == {"ab" * 20, "cd" * 20, "ef" * 20, gone}
    assert rows["ab" * 20] == {
        "info_hash": "ab" * 20,
        "id": str(old.base + 2),
        "name": "lost, and “found”",
        "snatches": "9",
        "why": "there is no torrent of it",
    }
    assert rows[gone]["why"] == "it was removed there"


def test_files_that_are_no_torrents_are_told_and_public_ones_left_out(house: Running, old: Old) -> None:
    info_hash = old.torrent(1)
    (old.folder / "torrents" / "broken.torrent").write_bytes(b"d4:spam")
    public = torrent(f"{old.mark} public").replace(b"7:privatei1e", b"7:privatei0e")
    (old.folder / "torrents" / "public.torrent").write_bytes(public)

    old.known(str((parse_torrent(public).v1_hash or b"").hex()), 2)
    told = old.move(house)
    assert "broken.torrent: " in told.err
    assert "1 uploads were left out" in told.err
    assert "This torrent is public" in old.missing()[0]["why"]
    assert house.cli("upload", "show", str(old.base + 1), "--json").json["info_hash_v1"] == info_hash


def test_who_took_part_in_what_comes_from_both_spellings(house: Running, old: Old) -> None:
    for number in (1, 2):
        old.member(number)
        old.torrent(10 + number)
    ann, bob, film, show = old.base + 1, old.base + 2, old.base + 11, old.base + 12
    old.ask("SADD", f"t:u:{ann}:complete", film)
    old.ask("SADD", f"t:u:{ann}:incomplete", show, old.base + 99)
    old.ask("SADD", f"t:u:hnr:{ann}", show)
    old.ask("SADD", f"t:u:complete:{bob}", film, show)
    moved = old.moved(house)
    assert (moved["participations"], moved["participations_left_out"]) == (4, 1)
    stood = took_part(house, f"{old.mark}-1")
    assert (stood[film]["complete"], stood[film]["hnr"]) == (True, None)
    assert stood[show]["complete"] is False
    assert stood[show]["hnr"] is not None
    assert set(took_part(house, f"{old.mark}-2")) == {film, show}


def test_clients_come_from_one_hash_and_from_keys_of_their_own(house: Running, old: Old) -> None:
    a, b, c = f"-{old.mark[4:]}A", f"-{old.mark[4:]}B", f"-{old.mark[4:]}C"
    old.ask("HSET", "t:whitelist", a, "one client")
    old.ask("HSET", f"t:whitelist:{b}", "name", "another")
    old.ask("SET", f"t:whitelist:{c}", "a third")
    assert old.moved(house)["clients"] == 3
    listed = {one["prefix"]: one["name"] for one in house.cli("whitelist", "list", "--json").json}
    assert {a: "one client", b: "another", c: "a third"}.items() <= listed.items()
    for prefix in (a, b, c):
        house.cli("whitelist", "remove", prefix)


def test_a_second_run_changes_nothing(house: Running, old: Old) -> None:
    for number in range(1, 4):
        old.member(number)
        old.torrent(number)
        old.ask("SADD", f"t:u:{old.base + number}:complete", old.base + 1)
    old.moved(house)
    before = house.cli("audit", "--limit", "5", "--json").json
    again = old.moved(house)
    assert again["members"] == {"added": 0, "known": 3, "refused": 0, "held_back": 0}
    assert again["uploads"] == {"added": 0, "known": 3, "left_out": 0}
    assert (again["clients"], again["participations"]) == (0, 0)
    assert house.cli("audit", "--limit", "5", "--json").json == before


def test_a_dry_run_changes_nothing(house: Running, old: Old) -> None:
    old.member(1)
    old.torrent(1)
    old.ask("HSET", "t:whitelist", "-zz", "z")
    before = house.cli("audit", "--limit", "1", "--json").json
    moved = old.moved(house, "--dry-run")
    assert (moved["members"]["added"], moved["uploads"]["added"], moved["clients"]) == (1, 1, 0)
    assert house.cli("audit", "--limit", "1", "--json").json == before


def test_what_mika_got_wrong_is_told_and_does_no_harm(house: Running, old: Old) -> None:
    old.member(1, uploaded=2**64 - 17, downloaded="-3", snatches="many")
    old.member(2, passkey="newer" + old.mark)
    old.ask("SET", f"t:user:{old.mark}nobody", "no number")
    old.ask("SET", f"t:user:{old.mark}huge", "9" * 30)
    old.ask("HSET", "t:u:9999999999", "passkey", f"{old.mark}huger")
    old.ask("HSET", "t:user:odd:name", "user_id", 5)
    old.ask("LPUSH", f"t:user:{old.mark}list", 5)
    old.known("12" * 20, 1, snatches=-4)
    told = old.move(house, "--keep-ids", "--mapping", str(old.folder / "numbers.csv"))
    assert told.code == 0, told.err
    assert f"member {old.base + 1}: uploaded was 18446744073709551599, which cannot be" in told.err
    assert f"member {old.base + 2}: He has a newer passkey" in told.err
    assert old.passkey(2) not in told.err
    assert shown(house, f"{old.mark}-1")["uploaded"] == 0
    assert b"not known" in house.announce(old.passkey(2), "0" * 40)
    assert b"not in the catalogue" in house.announce(f"newer{old.mark}", "0" * 40)
    rows = (old.folder / "numbers.csv").read_text().splitlines()
    assert f"{old.base + 1},{old.base + 1},{old.mark}-1" in rows


def test_numbers_that_are_taken_lead_to_others_for_history_too(house: Running, old: Old) -> None:
    taken = house.cli("member", "add", f"{old.mark}-native", "--json").json["id"]
    old.base = 0
    old.ask("SET", f"t:user:{old.passkey(1)}", taken)
    old.ask("HSET", f"t:u:{taken}", "username", f"{old.mark}-came")
    old.ask("SADD", f"t:u:{taken}:complete", 400_000 + taken)
    old.torrent(400_000 + taken)
    old.moved(house, "--keep-ids")
    assert shown(house, f"{old.mark}-came")["id"] != taken
    assert len(took_part(house, f"{old.mark}-came")) == 1
    assert took_part(house, f"{old.mark}-native") == {}


def test_more_members_than_one_walk_of_the_keys_returns_all_come(house: Running, old: Old) -> None:
    for number in range(1300):
        old.ask("SET", f"t:user:{old.passkey(number)}", old.base + number + 1)
    assert old.moved(house)["members"]["added"] == 1300


def test_a_redis_that_is_away_is_said_in_one_sentence(house: Running, tmp_path: Path) -> None:
    left_out = str(tmp_path / "left.csv")
    told = house.cli("import", "mika", "redis://127.0.0.1:9/0", "--left-out", left_out)
    assert "127.0.0.1:9" in told.sentence
    told = house.cli("import", "mika", "nonsense", "--left-out", left_out)
    assert "it lacks a scheme" in told.sentence
