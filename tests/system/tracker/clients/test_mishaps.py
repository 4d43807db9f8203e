"""Clients and parts of the house that die, announces that come twice, members who are refused."""

import signal
from collections.abc import Callable
from pathlib import Path

import libtorrent
import pytest

from holdfast.wire.metainfo import parse_torrent
from tests.system.running import until
from tests.system.tracker.clients.conftest import Start
from tests.system.tracker.clients.ground import SLOWLY, Community, Entry, Member, contents, something
from tests.system.tracker.clients.libtorrents import ANNOUNCED, ANSWERED, Libtorrent
from tests.system.tracker.clients.processes import Aria2, Transmission
from tests.system.tracker.ground import need_ipv6


def goes_on(client: Libtorrent) -> None:
    before = client.moved()[1]
    until("it has more of it", lambda: client.moved()[1] > before)


def is_heard(client: Libtorrent) -> None:
    before = len(client.said(ANSWERED))

    def again() -> bool:
        client.announce()
        return len(client.said(ANSWERED)) > before

    until("the tracker takes its announce", again)


def shows(client: Libtorrent | Transmission, reason: str) -> None:
    until("the reason is shown", lambda: any(reason in each for each in client.trouble))


def test_tracker_and_store_killed_during_a_transfer_cost_nobody_a_byte(
    community: Community, tmp_path: Path, start: Start
) -> None:
    house = community.house
    ann, bob = community.members(2)
    folder = something(tmp_path / ann.name / "folder", 10_000_000)
    upload = community.upload(folder, ann)
    anns = start(upload, ann)
    community.until_swarm(upload, 1, 0)
    anns.limit(SLOWLY)
    bobs = start(upload, bob)
    for part in ("tracker", "live"):
        goes_on(bobs)
        house.signal(part, signal.SIGKILL)
        for one in (anns, bobs):
            is_heard(one)
    assert bobs.share() < 1
    anns.limit(0)
    community.until_swarm(upload, 2, 0)
    bobs.stop()
    anns.stop()
    community.assert_booked(upload, Entry(ann, [anns.moved()]), Entry(bob, [bobs.moved()], snatched=True))
    assert contents(tmp_path / bob.name / "folder") == contents(folder)
    told = "".join(anns.trouble + bobs.trouble)
    assert not told or "will try again by itself" in told


def test_a_client_that_was_killed_comes_back_under_another_peer_id_in_place_of_its_ghost(
    community: Community, tmp_path: Path, start: Start
) -> None:
    """What it had told before it died stands; what it tells after is added."""
    ann, bob = community.members(2)
    folder = something(tmp_path / ann.name / "folder")
    upload = community.upload(folder, ann, "v1")
    # What moved before a client could tell that it started is nobody's: so it is the one who connects.
    anns = start(upload, ann, min_reconnect_time=3600)
    community.until_swarm(upload, 1, 0)
    anns.limit(SLOWLY)
    bobs = start(upload, bob, Aria2)
    until("it has told of some of it", lambda: bobs.moved()[1] > 0)
    bobs.kill()
    [ghost] = community.peers(upload, bob)
    told = [(int(said["uploaded"]), int(said["downloaded"])) for said in bobs.announced()]
    again = start(upload, bob, Aria2, port=bobs.port)
    until("bob is back", lambda: community.peers(upload, bob) - {ghost})
    assert len(community.peers(upload, bob)) == 1
    anns.limit(0)
    community.until_swarm(upload, 2, 0)
    again.stop()
    anns.stop()
    first = community.booked(upload, ghost)
    # The kill may have come between writing the last one down and sending it.
    assert first in told[-2:]
    community.assert_booked(
        upload, Entry(ann, [anns.moved()]), Entry(bob, [first, again.moved()], snatched=True)
    )
    assert contents(tmp_path / bob.name / "folder") == contents(folder)


def test_a_client_that_announces_over_both_families_counts_once_and_is_found_over_both(
    community: Community, tmp_path: Path, start: Start
) -> None:
    need_ipv6()

    def both(wanted: libtorrent.add_torrent_params) -> None:
        wanted.trackers = [wanted.trackers[0], wanted.trackers[0].replace("127.0.0.1", "[::1]")]
        wanted.tracker_tiers = [0, 1]

    ann, bob, cid = community.members(3)
    folder = something(tmp_path / ann.name / "folder")
    upload = community.upload(folder, ann)
    everywhere = {"listen_interfaces": "127.0.0.1:0,[::1]:0", "announce_to_all_tiers": True}
    anns = start(upload, ann, change=both, **everywhere)
    # A hybrid by its two hashes over two families.
    anns.answered(4)
    assert community.swarm(upload) == (1, 0)
    takers = [
        start(upload, bob),
        start(upload, cid, host="[::1]"),
    ]
    community.until_swarm(upload, 3, 0)
    for one in (*takers, anns):
        one.stop()
    community.until_swarm(upload, 0, 0)
    bobs, cids = (one.moved() for one in takers)
    community.assert_booked(
        upload,
        Entry(ann, [anns.moved()]),
        Entry(bob, [bobs], snatched=True),
        Entry(cid, [cids], snatched=True),
    )
    assert [one.trouble for one in takers] == [[], []]
    # From an address of one family it does not even try to reach the other's.
    assert all("unreachable" in each for each in anns.trouble)


def test_who_knows_a_hybrid_by_one_of_its_hashes_alone_is_in_the_swarm_with_all_others(
    community: Community, tmp_path: Path, start: Start
) -> None:
    """A magnet link names one hash alone; of a private torrent nobody tells them more."""
    ann, bob, cid = community.members(3)
    upload = community.upload(something(tmp_path / ann.name / "folder"), ann)
    anns = start(upload, ann)
    community.until_swarm(upload, 1, 0)
    known = parse_torrent(community.torrent(upload, ann))
    assert known.v1_hash
    assert known.v2_hash
    # 1220 says that a SHA-256 follows.
    bobs = start(upload, bob, magnet=f"magnet:?xt=urn:btih:{known.v1_hash.hex()}")
    community.until_swarm(upload, 1, 1)
    cids = start(upload, cid, magnet=f"magnet:?xt=urn:btmh:1220{known.v2_hash.hex()}")
    community.until_swarm(upload, 1, 2)
    anns.announce()
    for one, version, others in ((bobs, "v1", 1), (cids, "v2", 2)):
        one.answered(1)
        [announced], [answer, *_] = one.said(ANNOUNCED), one.said(ANSWERED)
        assert f"-{version}]" in announced
        assert answer.endswith(f"received peers: {others}")
    for one in (bobs, cids, anns):
        one.stop()
    community.until_swarm(upload, 0, 0)
    community.assert_booked(
        upload,
        Entry(ann, [anns.moved()]),
        Entry(bob, [(0, 0)], whole=False),
        Entry(cid, [(0, 0)], whole=False),
    )
    assert [one.trouble for one in (anns, bobs, cids)] == [[]] * 3


def remove(community: Community, member: Member, upload: int) -> str:
    reason = "It is a duplicate of upload 1."
    assert community.house.cli("upload", "remove", str(upload), "--reason", reason).code == 0
    return reason


def disable(community: Community, member: Member, upload: int) -> str:
    assert community.house.cli("member", "disable", member.name).code == 0
    return "Your membership is disabled; ask an operator."


def rotate(community: Community, member: Member, upload: int) -> str:
    assert community.house.cli("member", "rotate", member.name).code == 0
    return "This passkey is not known, or was rotated; fetch the torrent again from the upload's page."


@pytest.mark.parametrize("done", [remove, disable, rotate], ids=lambda done: done.__name__)
def test_who_is_refused_reads_why_in_his_client(
    community: Community,
    tmp_path: Path,
    start: Start,
    done: Callable[[Community, Member, int], str],
) -> None:
    """Over HTTP, that is: libtorrent leaves out what a tracker says over UDP."""
    ann = community.member()
    upload = community.upload(something(tmp_path / ann.name / "folder"), ann, "v1")
    anns, others = start(upload, ann), start(upload, ann, Transmission)
    until("both are known", lambda: len(community.peers(upload, ann)) == 2)
    reason = done(community, ann, upload)
    anns.announce()
    others.stop()
    others.start()
    for client in (anns, others):
        shows(client, reason)
