"""What operators decide in the records is what trackers do with the next announces, without a restart."""

import time
from collections.abc import Iterator

import pytest

from holdfast.catalogue.store import freeleech, members, uploads
from holdfast.wire.announce import Code
from tests.catalogue.ground import HYBRID, Ground
from tests.clocks import StillClock
from tests.servers import RunningServer
from tests.system.tracker.ground import tracker, until
from tests.system.tracker.house import House


@pytest.fixture
def clock() -> StillClock:
    """The tracker and the live store have clocks of their own."""
    return StillClock(float(int(time.time())))


@pytest.fixture
def house(ground: Ground, live_server: RunningServer) -> Iterator[House]:
    with tracker(live_server) as door:
        one = House(ground, door)
        one.announce()
        assert one.credited() == (1000, 1000)
        yield one


def test_a_member_is_credited_by_his_new_shares(house: House) -> None:
    house.change(members.change, "ann", multi_up=1.5, multi_down=0.25, reason="a founder")
    house.until_credited(1500, 250)
    house.change(members.change, "ann", multi_up=1.0, multi_down=1.0, reason="no more")
    house.until_credited(1000, 1000)


def test_an_upload_may_be_free_and_all_shares_are_multiplied(house: House) -> None:
    house.change(uploads.change, house.film.id, multi_down=0.0, reason="large")
    house.until_credited(1000, 0)
    house.change(members.change, "ann", multi_up=0.5, reason="a robot")
    house.change(uploads.change, house.film.id, multi_up=3.0, multi_down=1.0, reason="rare")
    house.until_credited(1500, 1000)


def test_an_upload_may_be_free_before_anybody_announces_it(house: House) -> None:
    house.film = house.ground.upload(house.ann, "new.mkv", HYBRID)
    house.change(uploads.change, house.film.id, multi_down=0.0, reason="new")
    house.announce(peer_id=b"-TR4000-000000000002", left=5000, event="started")
    before = house.totals()
    assert b"peers" in house.announce(peer_id=b"-TR4000-000000000002", left=4000, downloaded=5000)
    assert house.totals() == before


def test_a_freeleech_begins_and_ends_by_the_clock_alone(house: House) -> None:
    now = house.ground.clock.now()
    house.change(
        freeleech.add, starts=now + 100, ends=now + 200, multi_up=2.0, multi_down=0.0, reason="New year"
    )
    house.change(
        freeleech.add, starts=now + 150, ends=now + 250, multi_up=0.5, multi_down=1.0, reason="Odd week"
    )
    until("it is planned", lambda: len(house.door.register.windows) == 2)
    assert house.credited() == (1000, 1000)
    for ahead, wanted in ((120, (2000, 0)), (170, (1000, 0)), (220, (500, 1000)), (270, (1000, 1000))):
        house.door.clock.ahead = ahead
        assert house.credited() == wanted


def test_a_freeleech_that_is_ended_is_over_at_once(house: House) -> None:
    now = house.ground.clock.now()
    begun = house.change(
        freeleech.add, starts=now, ends=now + 9000, multi_up=1.0, multi_down=0.0, reason="New year"
    )
    house.until_credited(1000, 0)
    house.change(freeleech.end, begun.id)
    house.until_credited(1000, 1000)


def test_a_removed_upload_is_refused_with_its_reason_by_both_its_hashes(house: House) -> None:
    house.change(uploads.remove, house.film.id, "It was a fake.")
    for info_hash in house.hashes:
        told = house.until_refused(Code.UNKNOWN_TORRENT, info_hash=info_hash)
        assert told[b"failure reason"] == b"It was a fake."


def test_a_live_store_that_forgot_everything_is_told_it_all_again(house: House) -> None:
    now = house.ground.clock.now()
    gone = house.ground.upload(house.ann, "fake.mkv")
    house.change(uploads.remove, gone.id, "It was a fake.")
    house.change(members.change, "ann", multi_up=1.5, reason="a founder")
    house.change(uploads.change, house.film.id, multi_up=3.0, reason="rare")
    house.change(freeleech.add, starts=now, ends=now + 9000, multi_up=2.0, multi_down=0.0, reason="New year")
    house.until_credited(9000, 0)
    house.door.server.ask("FLUSHALL")
    house.follow("rebuild")
    house.until_credited(9000, 0)
    told = house.announce(info_hash=bytes.fromhex(gone.info_hash_v1 or ""))
    assert told[b"failure reason"] == b"It was a fake."


def test_times_of_freeleech_that_nobody_can_read_are_passed_over(house: House) -> None:
    now = int(time.time())
    told = {
        "1": "soon later 1 0",
        "2": f"{now} {now + 9000} 1",
        "3": f"{now - 9} {now + 9000} 0.5 0.5",
        "4": "",
        "5": f"0 {'9' * 5000} 0 0",
    }
    for name, written in told.items():
        house.door.server.ask("HSET", "t:x:windows", name, written)
    house.door.server.ask("PUBLISH", "t:pub:windows", "")
    house.until_credited(500, 500)
    house.door.server.ask("SET", "t:whitelist", "nonsense")
    house.door.server.ask("DEL", "t:x:windows")
    house.door.server.ask("PUBLISH", "t:pub:windows", "")
    house.until_credited(1000, 1000)
