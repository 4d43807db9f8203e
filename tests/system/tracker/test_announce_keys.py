"""Keys that are good for one upload: as good as the passkey there, refused and noted everywhere else."""

import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from holdfast.catalogue.store import announce_keys, members, uploads
from holdfast.tracker.model import Limits
from holdfast.wire.announce import Code
from tests.catalogue.ground import Ground
from tests.clocks import StillClock
from tests.servers import RunningServer
from tests.system.running import running
from tests.system.tracker.ground import ANN, EVE, tracker, until
from tests.system.tracker.house import House

OTHER = b"-TR4000-000000000002"


@pytest.fixture
def clock() -> StillClock:
    """The tracker and the live store have clocks of their own."""
    return StillClock(float(int(time.time())))


@pytest.fixture
def house(ground: Ground, live_server: RunningServer) -> Iterator[House]:
    with tracker(live_server) as door:
        yield House(ground, door)


def suspicions(house: House) -> list[dict[bytes, bytes]]:
    entries = house.door.server.ask("XRANGE", "t:x:suspicions", "-", "+")
    return [dict(zip(said[::2], said[1::2], strict=True)) for _, said in entries]


def test_a_key_is_good_for_its_upload_alone_and_its_use_elsewhere_is_noted_once(house: House) -> None:
    key = house.change(announce_keys.make, house.ann, house.film)
    book = house.change(uploads.change, house.ground.upload(house.ann, "book.epub").id, name="A book")
    other = bytes.fromhex(book.info_hash_v1 or "")
    house.until_taken(key)
    assert b"peers" in house.announce(info_hash=other)
    for _ in range(3):
        told = house.announce(key, info_hash=other, peer_id=b"-XX0000-stranger0001")
        assert told[b"failure code"] == Code.WRONG_UPLOAD
        assert b"good for another upload" in told[b"failure reason"]
    house.door.server.ask("PUBLISH", "t:pub:user", "")
    assert house.announce(key, info_hash=other)[b"failure code"] == Code.WRONG_UPLOAD
    until("it is noted", lambda: suspicions(house))
    (noted,) = suspicions(house)
    assert abs(int(noted.pop(b"at")) - time.time()) < 3600
    assert noted == {
        b"kind": b"leak",
        b"uid": str(house.ann.id).encode(),
        b"tid": str(house.film.id).encode(),
        b"pid": b"-XX0000-stranger0001".hex().encode(),
        b"ip": b"127.0.0.1",
    }
    house.door.clock.ahead += 3601
    house.announce(key, info_hash=other)
    until("it is noted again", lambda: len(suspicions(house)) == 2)


@pytest.mark.parametrize(
    ("home", "at_home", "elsewhere"),
    [
        (("198.51.100.0", "198.51.100.1"), "198.51.100.0", "203.0.113.9"),
        (("2001:db8::1", "198.51.100.1"), "2001:db8::2", "2001:db8:0:1::1"),
    ],
)
def test_one_client_too_many_with_a_key_is_a_leak_where_none_was_before(
    ground: Ground, live_server: RunningServer, home: tuple[str, ...], at_home: str, elsewhere: str
) -> None:
    with tracker(
        live_server, proxies=["127.0.0.0/8"], limits=Limits(min_interval=60, peers_per_upload=2)
    ) as door:
        house = House(ground, door)
        key = house.change(announce_keys.make, house.ann, house.film)

        def announce(number: int, host: str) -> Any:
            peer = b"-TR4000-%012d" % number
            forwarded = f"X-Forwarded-For: {host}"
            asked = {"info_hash": house.hashes[0], "peer_id": peer, "port": 7000 + number}
            return door.announce(key, forwarded, event="started", **asked)  # type: ignore[arg-type]

        for number, host in enumerate(home):
            assert b"peers" in announce(number, host)
        assert announce(7, at_home)[b"failure code"] == Code.TOO_MANY_PEERS
        assert announce(8, elsewhere)[b"failure code"] == Code.TOO_MANY_PEERS
        until("it is noted", lambda: suspicions(house))
        assert [noted[b"ip"] for noted in suspicions(house)] == [elsewhere.encode()]


def test_a_key_is_credited_and_refused_as_the_passkey_that_it_stands_in_for(house: House) -> None:
    key = house.change(announce_keys.make, house.ann, house.film)
    house.until_taken(key, peer_id=OTHER)
    house.change(members.change, "ann", multi_up=0.5, reason="a robot")
    until("it has followed", lambda: house.door.register.holders.get(house.passkey.encode()) is None)
    before = house.totals()
    assert b"peers" in house.announce(key, peer_id=OTHER, uploaded=1000)
    assert house.totals()[0] - before[0] == 500
    house.change(members.change, "ann", enabled=False)
    house.until_refused(Code.DISABLED, key, peer_id=OTHER)


def test_once_a_passkey_is_rotated_its_keys_are_refused_with_it(house: House) -> None:
    old = [house.passkey, house.change(announce_keys.make, house.ann, house.film)]
    for key in old:
        house.until_taken(key)
    house.change(members.rotate, "ann")
    new = [house.passkey, house.change(announce_keys.make, house.ann, house.film)]
    for key in old:
        house.until_refused(Code.UNKNOWN_PASSKEY, key)
    for key in new:
        house.until_taken(key)


def test_a_passkey_that_is_gone_takes_its_keys_along_in_the_same_step(house: House) -> None:
    """However many keys hang on it, and before any of them has been looked at."""
    key = house.change(announce_keys.make, house.ann, house.film)
    house.until_taken(key)
    house.door.server.ask("DEL", f"t:user:{house.passkey}")
    house.door.server.ask("PUBLISH", "t:pub:user", house.passkey)
    house.until_refused(Code.UNKNOWN_PASSKEY, key)


def test_who_fetches_a_torrent_does_not_make_trackers_forget_what_they_know(house: House) -> None:
    house.until_taken()
    for number in range(3):
        house.ground.member(f"member-{number}")
    house.follow()
    until("they have heard of that", lambda: not house.door.register.holders)
    house.until_taken()
    for member in house.ground.ask(members.listing).items:
        key = house.change(announce_keys.make, member, house.film)
        assert house.passkey.encode() in house.door.register.holders
    house.until_taken(key, peer_id=OTHER)
    assert house.passkey.encode() in house.door.register.holders


def test_keys_outlive_the_loss_of_the_live_store(house: House) -> None:
    key = house.change(announce_keys.make, house.ann, house.film)
    house.door.server.ask("FLUSHALL")
    house.follow("rebuild")
    house.until_taken(key)


@pytest.mark.parametrize(
    "fields",
    [
        {"passkey": "", "torrent_id": "1"},
        {"passkey": "../x", "torrent_id": "1"},
        {"passkey": EVE, "torrent_id": "1"},
        {"passkey": ANN, "torrent_id": "none"},
        {"passkey": ANN},
    ],
)
def test_a_key_that_hangs_on_nothing_is_unknown(house: House, fields: dict[str, str]) -> None:
    told = [word for pair in fields.items() for word in pair]
    house.door.server.ask("HSET", f"t:user:{EVE}", *told)
    assert house.announce(EVE)[b"failure code"] == Code.UNKNOWN_PASSKEY
    assert house.door.crashes() == 0


def test_torrents_carry_keys_where_the_house_wants_it(tmp_path: Path) -> None:
    with running(changes=["tracker.announce_keys=true"]) as house:
        assert house.cli("member", "add", "ann").code == 0
        passkey = str(house.cli("member", "rotate", "ann", "--json").json["passkey"])
        (tmp_path / "film.mkv").write_bytes(b"film" * 1000)
        added = house.cli("upload", "add", tmp_path / "film.mkv", "--by", "ann", "--json").json
        keys = []
        for name in ("one.torrent", "two.torrent"):
            fetched = house.cli("upload", "fetch", "1", "--for", "ann", "--out", tmp_path / name)
            assert fetched.code == 0, fetched.err
            found = re.search(rb"/([0-9a-f]{32})/announce", (tmp_path / name).read_bytes())
            assert found is not None
            keys.append(found[1].decode())
        assert keys[0] == keys[1] != passkey
        known = (passkey, keys[0])
        asked = added["info_hash_v1"]
        until("both are known", lambda: all(b"5:peers" in house.announce(key, asked) for key in known))
        assert house.cli("member", "rotate", "ann").code == 0
        until("both are refused", lambda: all(b"490" in house.announce(key, asked) for key in known))
        (made,) = house.cli("audit", "--action", "announce_key.add", "--json").json
        assert (made["target_name"], made["after"]) == ("film.mkv", {"member": "ann"})
