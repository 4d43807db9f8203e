"""libtorrent's clients fetch from one another, by every version, protocol and family; the books are right."""

from pathlib import Path

import libtorrent
import pytest

from tests.system.running import until
from tests.system.tracker.clients.conftest import Start
from tests.system.tracker.clients.ground import SLOWLY, Community, Entry, contents, something
from tests.system.tracker.clients.libtorrents import half
from tests.system.tracker.ground import need_ipv6

LOOPBACK = {"IPv4": "127.0.0.1", "IPv6": "[::1]"}


@pytest.mark.parametrize("family", LOOPBACK)
@pytest.mark.parametrize("scheme", ["http", "udp"])
@pytest.mark.parametrize("version", ["v1", "v2", "hybrid"])
def test_a_folder_goes_from_hand_to_hand(
    community: Community, tmp_path: Path, start: Start, version: str, scheme: str, family: str
) -> None:
    """Each time a client begins it has a new peer id."""
    if family == "IPv6":
        need_ipv6()
    how = {"scheme": scheme, "host": LOOPBACK[family]}
    ann, bob, cid = community.members(3)
    folder = something(tmp_path / ann.name / "folder")
    upload = community.upload(folder, ann, version)

    anns = start(upload, ann, **how)
    community.until_swarm(upload, 1, 0)
    bobs = start(upload, bob, change=half, **how)
    until("bob has half of it", lambda: bobs.has_what_it_wants)
    bobs.stop()
    first = bobs.moved()
    anns.announce()
    community.assert_booked(upload, Entry(ann, [anns.moved()], active=True), Entry(bob, [first], whole=False))

    again = start(upload, bob, **how)
    community.until_swarm(upload, 2, 0)
    anns.stop()
    community.assert_booked(
        upload, Entry(ann, [anns.moved()]), Entry(bob, [first, again.moved()], active=True, snatched=True)
    )

    cids = start(upload, cid, **how)
    community.until_swarm(upload, 2, 0)
    again.stop()
    cids.stop()
    community.until_swarm(upload, 0, 0)
    community.assert_booked(
        upload,
        Entry(ann, [anns.moved()]),
        Entry(bob, [first, again.moved()], snatched=True),
        Entry(cid, [cids.moved()], snatched=True),
    )
    for taker in (bob, cid):
        assert contents(tmp_path / taker.name / "folder") == contents(folder)
    assert [one.trouble for one in (anns, bobs, again, cids)] == [[]] * 4


def test_who_pauses_in_the_middle_of_a_piece_goes_on_under_the_same_peer_id(
    community: Community, tmp_path: Path, start: Start
) -> None:
    """libtorrent counts from zero again when it goes on."""
    ann, bob = community.members(2)
    folder = something(tmp_path / ann.name / "folder")
    upload = community.upload(folder, ann)
    # Would ann's client connect by itself, bob's could be done before it has heard that it may tell so.
    anns = start(upload, ann, min_reconnect_time=3600)
    community.until_swarm(upload, 1, 0)
    anns.limit(SLOWLY)
    bobs = start(upload, bob)
    until("bob has some of it", lambda: bobs.share() > 0.1)
    bobs.stop()
    assert bobs.share() < 1
    first = bobs.moved()
    community.assert_booked(upload, Entry(ann, [(0, 0)], active=True), Entry(bob, [first], whole=False))
    anns.limit(0)
    bobs.handle.resume()
    community.until_swarm(upload, 2, 0)
    bobs.stop()
    anns.stop()
    second = bobs.moved()
    both = (first[0] + second[0], first[1] + second[1])
    community.assert_booked(upload, Entry(ann, [anns.moved()]), Entry(bob, [both], snatched=True))
    assert contents(tmp_path / bob.name / "folder") == contents(folder)


def test_a_torrent_names_the_tracker_over_udp_first_and_over_http_for_who_cannot_do_that(
    community: Community, tmp_path: Path
) -> None:
    ann = community.member()
    upload = community.upload(something(tmp_path / "folder"), ann)
    with community.house.door() as door:
        passkey = door.get(f"/members/{ann.name}/passkey")["passkey"]
    read = libtorrent.load_torrent_buffer(community.torrent(upload, ann))
    place = community.house.run.tracker.removeprefix("http")
    named = [f"{scheme}{place}/{passkey}/announce" for scheme in ("udp", "http")]
    assert list(zip(read.trackers, read.tracker_tiers, strict=True)) == [(named[0], 0), (named[1], 1)]
