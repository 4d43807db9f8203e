"""Announces are packed so that the live store can read them, answers so that nobody meets himself."""

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.tracker import records
from holdfast.tracker.model import Holder, Limits, Request, Status, Torrent
from holdfast.wire.announce import LARGEST_COUNT, NUMWANT_ABSENT, Announce, Event

LIMITS = Limits()
EP4 = bytes((10, 0, 0, 1, 26, 225))
EP6 = b"\xfd" + bytes(15) + b"\x1a\xe1"
NUMBERS = st.integers(0, 2**32 - 1)


def request(
    *,
    ep4: bytes = EP4,
    ep6: bytes = b"",
    uid: int = 1,
    tid: int = 1,
    left: int = 0,
    event: Event = Event.NONE,
    numwant: int = NUMWANT_ABSENT,
    holder_share: int = 1000,
    torrent_share: int = 1000,
) -> Request:
    asked = Announce(bytes(20), bytes(range(20)), 6881, LARGEST_COUNT, 2, left, event, numwant)
    holder = Holder(uid, True, True, holder_share, holder_share)
    return Request(asked, holder, Torrent(tid, "ab" * 20, True, "", torrent_share, torrent_share), ep4, ep6)


def tail(packed: bytes) -> tuple[int, ...]:
    return records.TAIL.unpack(packed[-records.TAIL.size :])


def answer(four: bytes = b"", six: bytes = b"", status: int = 0) -> bytes:
    return struct.pack(">BIIII", status, 3, 2, 1, len(four)) + four + six


@given(
    uid=NUMBERS,
    tid=NUMBERS,
    ends=st.sampled_from([(EP4, b""), (b"", EP6), (EP4, EP6)]),
    left=st.integers(0, 1),
)
def test_an_announce_says_its_own_length_first_and_never_needs_two_bytes_for_it(
    uid: int, tid: int, ends: tuple[bytes, bytes], left: int
) -> None:
    packed = records.pack(request(uid=uid, tid=tid, ep4=ends[0], ep6=ends[1], left=left), LIMITS, 2**31 - 1)
    assert packed[0] == len(packed)
    assert packed[1:41] == b"ab" * 20
    spot = b"%d:%b" % (tid, bytes(range(20)).hex().encode())
    assert packed[41:].startswith(bytes((len(spot),)) + spot)
    x = bytes((1 - left,)) + uid.to_bytes(4, "big") + ends[0] + ends[1]
    assert bytes((len(x),)) + x + struct.pack(">Q", LARGEST_COUNT) in packed


@pytest.mark.parametrize(
    ("event", "left", "role"),
    [(Event.NONE, 0, 1), (Event.NONE, 5, 0), (Event.PAUSED, 5, 2), (Event.PAUSED, 0, 1)],
)
def test_a_peer_that_paused_is_a_partial_seed_which_announces_as_any_other(
    event: Event, left: int, role: int
) -> None:
    packed = records.pack(request(event=event, left=left), LIMITS, 0)
    assert bytes((11, role)) + (1).to_bytes(4, "big") + EP4 in packed
    assert tail(packed)[0] == Event.NONE


@pytest.mark.parametrize(("numwant", "want"), [(NUMWANT_ABSENT, 53), (0, 0), (7, 10), (200, 103)])
def test_more_are_asked_for_than_wanted_since_some_may_be_his_own(numwant: int, want: int) -> None:
    assert tail(records.pack(request(numwant=numwant), LIMITS, 0))[2] == want


@pytest.mark.parametrize(
    ("holder", "torrent", "share"),
    [
        (1000, 1000, 1000),
        (0, 1000, 0),
        (500, 500, 250),
        (-1000, 1000, 0),
        (-5, -5, 0),
        (10**6, 10**6, 65_535),
    ],
)
def test_a_share_that_no_house_would_give_is_brought_within_bounds(
    holder: int, torrent: int, share: int
) -> None:
    packed = records.pack(request(holder_share=holder, torrent_share=torrent), LIMITS, 0)
    assert tail(packed)[4:] == (share, share)
    doubled = records.pack(request(holder_share=holder, torrent_share=torrent), LIMITS, 0, 2000, 0)
    assert tail(doubled)[4:] == (min(2 * share, 65_535), 0)


@given(
    st.lists(st.tuples(st.integers(1, 3), st.binary(min_size=6, max_size=6)), max_size=60),
    st.integers(0, 100),
)
def test_nobody_is_told_of_his_own_clients_nor_of_more_than_he_wanted(
    peers: list[tuple[int, bytes]], numwant: int
) -> None:
    four = b"".join(uid.to_bytes(4, "big") + endpoint for uid, endpoint in peers)
    read = records.unpack(answer(four), request(uid=2, numwant=numwant), LIMITS)
    others = [endpoint for uid, endpoint in peers if uid != 2]
    assert read.peers4 == b"".join(others[:numwant])
    assert (read.status, read.seeders, read.leechers, read.snatches) == (Status.OK, 3, 2, 1)


def test_both_families_are_read_each_by_its_own_width() -> None:
    owner = (9).to_bytes(4, "big")
    read = records.unpack(answer(owner + EP4, (owner + EP6) * 2), request(), LIMITS)
    assert (read.peers4, read.peers6) == (EP4, EP6 * 2)


def test_an_owner_s_number_inside_an_endpoint_hides_nobody() -> None:
    four = (9).to_bytes(4, "big") + bytes((0, 0, 0, 1, 26, 225))
    assert records.unpack(answer(four), request(uid=1), LIMITS).peers4 == four[4:]


def test_where_the_house_wants_it_neighbours_are_told_of_first_and_never_too_many() -> None:
    limits = Limits(near_first=True)
    others = [bytes((192, 168, 0, at, 26, 225)) for at in range(9)]
    provider, network, neighbour = (bytes((10, *rest, 9, 26, 225)) for rest in ((9, 9), (0, 9), (0, 0)))
    found = b"".join(bytes(4) + each for each in [*others, provider, network, neighbour])
    asked = request(uid=1, numwant=4)
    given = records.unpack(answer(found), asked, limits).peers4
    assert given == neighbour + network + provider + others[0]
    assert tail(records.pack(asked, limits, 0))[2] > 4 * 3


def test_neighbours_of_both_families_are_found() -> None:
    limits = Limits(near_first=True)
    far, near = b"\xfe" + bytes(15) + b"\x1a\xe1", b"\xfd" + bytes(14) + b"\x07\x1a\xe1"
    found = b"".join(bytes(4) + each for each in (far, near))
    given = records.unpack(answer(b"", found), request(ep4=b"", ep6=EP6), limits)
    assert given.peers6 == near + far
