"""Transmission fetches from libtorrent and gives to aria2; the books are right to the byte.

The torrent is v1: Transmission 3 takes a hybrid for corrupt.
"""

from pathlib import Path

from tests.system.running import until
from tests.system.tracker.clients.conftest import Start
from tests.system.tracker.clients.ground import SLOWLY, Community, Entry, contents, something
from tests.system.tracker.clients.processes import Aria2, Transmission


def test_transmission_takes_from_libtorrent_stops_goes_on_and_gives_to_aria2(
    community: Community, tmp_path: Path, start: Start
) -> None:
    """Transmission takes a new peer id each time it goes on, and counts on in what it tells its user."""
    ann, bob, cid = community.members(3)
    folder = something(tmp_path / ann.name / "folder")
    upload = community.upload(folder, ann, "v1")
    anns = start(upload, ann)
    community.until_swarm(upload, 1, 0)
    anns.limit(SLOWLY)
    bobs = start(upload, bob, Transmission)
    community.until_swarm(upload, 1, 1)
    # It is the one who gives that connects, once it knows of the other.
    anns.announce()
    until("bob has some of it", lambda: bobs.share() > 0.05)
    # It goes on counting what is in the air while it tells that it stops: so nothing is.
    anns.stop()
    until("nothing is in the air", lambda: bobs.field("peersConnected") == 0)
    bobs.stop()
    community.until_swarm(upload, 0, 0)
    assert bobs.share() < 1
    given, first = anns.moved(), bobs.moved()
    community.assert_booked(upload, Entry(ann, [given]), Entry(bob, [first], whole=False))

    anns.limit(0)
    anns.handle.resume()
    bobs.start()
    community.until_swarm(upload, 1, 1)
    anns.announce()
    community.until_swarm(upload, 2, 0)
    anns.stop()
    both = (given[0] + anns.moved()[0], given[1] + anns.moved()[1])
    cids = start(upload, cid, Aria2)
    community.until_swarm(upload, 2, 0)
    bobs.stop()
    cids.stop()
    community.until_swarm(upload, 0, 0)
    assert cids.moved()[1] == int(cids.field("completedLength"))
    whole = bobs.moved()
    rest = (whole[0] - first[0], whole[1] - first[1])
    community.assert_booked(
        upload,
        Entry(ann, [both]),
        Entry(bob, [first, rest], snatched=True),
        Entry(cid, [cids.moved()], snatched=True),
    )
    for taker in (bob, cid):
        assert contents(tmp_path / taker.name / "folder") == contents(folder)
    assert [one.trouble for one in (anns, bobs, cids)] == [[]] * 3
