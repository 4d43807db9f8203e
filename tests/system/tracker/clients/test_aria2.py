"""aria2 fetches from Transmission and gives to libtorrent; the books are right to the byte.

The torrent is v1: aria2 1.36 computes a wrong hash of a hybrid, and Transmission 3 takes one for corrupt.
"""

from pathlib import Path

from tests.system.running import until
from tests.system.tracker.clients.conftest import Start
from tests.system.tracker.clients.ground import SLOWLY, Community, Entry, contents, something
from tests.system.tracker.clients.processes import Aria2, Transmission


def test_aria2_takes_from_transmission_stops_goes_on_and_gives_to_libtorrent(
    community: Community, tmp_path: Path, start: Start
) -> None:
    """aria2 keeps its peer id when it goes on, and counts from zero again."""
    ann, bob, cid = community.members(3)
    folder = something(tmp_path / ann.name / "folder")
    upload = community.upload(folder, ann, "v1")
    anns = start(upload, ann, Transmission)
    community.until_swarm(upload, 1, 0)
    anns.limit(SLOWLY)
    bobs = start(upload, bob, Aria2)
    until("bob has some of it", lambda: bobs.share() > 0.05)
    bobs.stop()
    community.until_swarm(upload, 1, 0)
    assert bobs.share() < 1
    first = bobs.moved()
    community.assert_booked(upload, Entry(ann, [(0, 0)], active=True), Entry(bob, [first], whole=False))

    anns.limit(0)
    bobs.start()
    community.until_swarm(upload, 2, 0)
    anns.stop()
    community.until_swarm(upload, 1, 0)
    cids = start(upload, cid)
    community.until_swarm(upload, 2, 0)
    cids.stop()
    given = int(bobs.field("uploadLength"))
    bobs.stop()
    community.until_swarm(upload, 0, 0)
    second = bobs.moved()
    both = (first[0] + second[0], first[1] + second[1])
    assert (given, int(bobs.field("completedLength"))) == (second[0], both[1])
    community.assert_booked(
        upload,
        Entry(ann, [anns.moved()]),
        Entry(bob, [both], snatched=True),
        Entry(cid, [cids.moved()], snatched=True),
    )
    for taker in (bob, cid):
        assert contents(tmp_path / taker.name / "folder") == contents(folder)
    assert [one.trouble for one in (anns, bobs, cids)] == [[]] * 3
