"""Open mode: strangers share what the catalogue does not have, members are as always, and all has an end."""

import secrets
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
import uvloop

from holdfast.catalogue.keys import INFO_HASH
from holdfast.clock import SystemClock
from holdfast.store.live import open_live
from holdfast.tracker import register, strangers
from holdfast.tracker.guessing import BURST
from holdfast.tracker.model import Limits
from holdfast.tracker.service.indexes import rebuild_indexes
from holdfast.wire.announce import Code
from tests.servers import RunningServer, embedded_valkey
from tests.system.tracker.ground import ANN, BOB, UPLOAD, Tracker, announce_target, tracker, until
from tests.system.tracker.test_reaping import sweep
from tests.system.tracker.test_udp_door import Client

STRANGE = b"\xff\x00 a strange torrent"[:20]
NOTHING = bytes(20)
LIMITS = Limits(min_interval=0, most_open=60)


@pytest.fixture
def server() -> Iterator[RunningServer]:
    with embedded_valkey() as running:
        yield running


@pytest.fixture
def door(server: RunningServer) -> Iterator[Tracker]:
    with tracker(server, limits=LIMITS, is_open=True) as one:
        yield one


def peer(number: int) -> bytes:
    return Random(number).randbytes(20)


def public(door: Tracker, path: str = "/announce", **fields: Any) -> Any:
    """An announce as public clients and load testers make it: without a passkey."""
    target = announce_target("x", **({"info_hash": STRANGE} | fields)).removeprefix("/x/announce")
    return door.get(path + target)


def keys(door: Tracker) -> set[bytes]:
    """What is there beside totals, which stay."""
    return {key for key in door.server.ask("KEYS", "*") if not key.startswith((b"t:stats:", b"t:x:udp"))}


def ends(answer: Any) -> set[int]:
    """The ports of the peers that an answer tells of."""
    packed = answer[b"peers"]
    return {int.from_bytes(packed[at + 4 : at + 6], "big") for at in range(0, len(packed), 6)}


@pytest.mark.parametrize("info_hash", [STRANGE, NOTHING, b"\xff" * 20])
def test_strangers_meet_on_any_hash_at_any_port_and_nobody_meets_himself(
    door: Tracker, info_hash: bytes
) -> None:
    assert ends(public(door, info_hash=info_hash, peer_id=peer(1), port=1, left=1)) == set()
    paths = ["/announce", "/announce-tester", "/announce/token", f"/{'f' * 32}/announce", "/announce.php"]
    for number, path in enumerate(paths, start=2):
        answer = public(door, path, info_hash=info_hash, peer_id=peer(number), port=number, left=1)
        assert ends(answer) == set(range(1, number))
        assert answer[b"incomplete"] == number


def test_over_udp_strangers_need_no_path(door: Tracker) -> None:
    public(door, peer_id=peer(1), port=77, left=1)
    with Client(door) as client:
        answer = client.ask(client.announce(info_hash=STRANGE, peer_id=peer(2), left=1)[:98])
        assert answer[:4] == bytes((0, 0, 0, 1))
        assert answer[24:] == (77).to_bytes(2, "big")
        assert client.ask(client.scrape(STRANGE))[8:] == bytes(11) + bytes((2,))


def test_a_scrape_tells_of_strangers_swarms_without_a_passkey(door: Tracker) -> None:
    public(door, peer_id=peer(1), left=1)
    public(door, peer_id=peer(1), left=0, event="completed")
    public(door, peer_id=peer(1), left=0, event="completed")
    public(door, peer_id=peer(2), left=1)
    said = door.get("/scrape?info_hash=" + "".join(f"%{byte:02x}" for byte in STRANGE))
    assert said[b"files"][STRANGE] == {b"complete": 1, b"downloaded": 1, b"incomplete": 1, b"downloaders": 1}


def test_uploads_stay_the_members_who_are_accounted_as_always(door: Tracker) -> None:
    assert public(door, info_hash=UPLOAD)[b"failure code"] == Code.UNKNOWN_PASSKEY
    assert public(door, "/announce/token", info_hash=UPLOAD)[b"failure code"] == Code.UNKNOWN_PASSKEY
    door.announce(ANN, uploaded=0, left=1)
    door.announce(ANN, uploaded=700, left=1)
    assert door.server.ask("HGET", "t:u:1", "uploaded") == b"700"
    for number in range(BURST + 5):
        refused = public(door, f"/{number:032}/announce", info_hash=UPLOAD)
    assert refused[b"failure code"] == Code.TOO_FAST
    assert b"peers" in public(door, f"/{'9' * 32}/announce")


def test_a_member_among_strangers_is_one_of_them(door: Tracker) -> None:
    before = keys(door)
    for uploaded in (0, 10**15):
        answer = door.announce(ANN, info_hash=STRANGE, peer_id=peer(1), uploaded=uploaded, left=1)
        assert answer[b"incomplete"] == 1
    public(door, peer_id=peer(2), port=2, left=0)
    assert ends(door.announce(ANN, info_hash=STRANGE, peer_id=peer(1), left=0, event="completed")) == set()
    made = keys(door) - before
    assert made
    assert not any(key.startswith((b"t:u", b"t:i:", b"t:x:dirty", b"t:x:suspicions")) for key in made)


def test_with_the_last_peer_all_of_a_swarm_is_gone(door: Tracker) -> None:
    before, chance = keys(door), Random(5)
    here: dict[bytes, dict[bytes, bool]] = {}
    for _ in range(400):
        info_hash, peer_id = bytes([chance.randrange(5)]) * 20, peer(chance.randrange(8))
        swarm = here.setdefault(info_hash, {})
        if chance.random() < 0.4:
            swarm.pop(peer_id, None)
            answer = public(door, info_hash=info_hash, peer_id=peer_id, event="stopped")
        else:
            swarm[peer_id] = chance.random() < 0.5
            left = 0 if swarm[peer_id] else 9
            port = 1 + chance.randrange(3)
            answer = public(door, info_hash=info_hash, peer_id=peer_id, left=left, port=port, numwant=50)
        seeders = sum(swarm.values())
        assert (answer[b"complete"], answer[b"incomplete"]) == (seeders, len(swarm) - seeders)
    assert door.server.ask("GET", "t:stats:open") == b"%d" % sum(map(len, here.values()))
    for info_hash, swarm in here.items():
        for peer_id in swarm:
            public(door, info_hash=info_hash, peer_id=peer_id, event="stopped")
    assert keys(door) == before
    assert door.server.ask("GET", "t:stats:open") == b"0"
    # The house's own totals know nothing of it.
    assert door.server.ask("MGET", "t:stats:seeders", "t:stats:leechers") == [None, None]


def test_indexes_made_again_know_nothing_of_strangers(door: Tracker) -> None:
    async def rebuild() -> int:
        async with open_live(door.server.address, clock=SystemClock()) as live:
            return await rebuild_indexes(live)

    totals = ("MGET", "t:stats:seeders", "t:stats:leechers", "t:stats:open")
    public(door, peer_id=peer(1), left=0)
    door.announce(ANN, left=1)
    assert uvloop.run(rebuild()) == 0
    assert door.server.ask("ZRANGE", "t:i:seeders", 0, -1) == [b"7"]
    assert door.server.ask(*totals) == [b"0", b"1", b"1"]
    public(door, peer_id=peer(1), event="stopped")
    assert door.server.ask(*totals) == [b"0", b"1", b"0"]


def test_a_flood_of_random_hashes_fills_neither_store_nor_worker_and_passes(
    door: Tracker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(register, "MOST_STRANGE", 40)
    before = keys(door)
    answers = [public(door, info_hash=secrets.token_bytes(20), peer_id=peer(at), left=1) for at in range(200)]
    assert sum(b"peers" in answer for answer in answers) == LIMITS.most_open
    refused = [answer for answer in answers if b"peers" not in answer]
    assert {answer[b"failure code"] for answer in refused} == {Code.CROWDED}
    assert all(answer[b"retry in"] > 0 for answer in refused)
    assert len(door.register.strange) <= 40
    assert len(keys(door) - before) <= 9 * LIMITS.most_open
    # Members do not feel it.
    assert b"peers" in door.announce(ANN, left=1)
    door.announce(ANN, left=1, event="stopped")
    settled = keys(door) - {b"t:x:deadlines"}
    for key in door.server.ask("KEYS", "t:ptimeout:*"):
        door.server.ask("DEL", key)
    assert sweep(door.server, int(door.clock.now()) + LIMITS.timeout + 1, LIMITS) == LIMITS.most_open
    assert {key for key in keys(door) if b"open" in key or len(key) > 100} == set()
    assert len(keys(door)) < len(settled)
    assert b"peers" in public(door, info_hash=secrets.token_bytes(20), peer_id=peer(1))


def test_an_upload_may_come_to_a_hash_that_strangers_share(door: Tracker) -> None:
    public(door, peer_id=peer(1), port=6, left=1)
    door.upload(STRANGE, 9)
    until("it is known", lambda: b"failure code" in public(door, peer_id=peer(1), port=6, left=1))
    assert public(door, peer_id=peer(1), left=1)[b"failure code"] == Code.UNKNOWN_PASSKEY
    answer = door.announce(ANN, info_hash=STRANGE, left=1)
    assert (answer[b"incomplete"], ends(answer)) == (1, set())
    assert ends(door.announce(BOB, info_hash=STRANGE, peer_id=peer(3), left=1)) == {6881}
    for key in door.server.ask("KEYS", f"t:ptimeout:{strangers.torrent(STRANGE).torrent_id}:*"):
        door.server.ask("DEL", key)
    assert sweep(door.server, int(door.clock.now()) + LIMITS.timeout + 1, LIMITS) == 1
    assert door.announce(ANN, info_hash=STRANGE, left=1)[b"incomplete"] == 2
    assert door.server.ask("GET", INFO_HASH.name(door.layout, info_hash=STRANGE.hex())) == b"9"


def test_the_whitelist_holds_for_strangers_too(server: RunningServer) -> None:
    with tracker(server, is_open=True, require_whitelist=True) as door:
        assert public(door, peer_id=peer(1))[b"failure code"] == Code.CLIENT_DENIED


def test_closed_is_the_rule(server: RunningServer) -> None:
    with tracker(server) as door:
        assert public(door)[b"failure code"] == Code.UNKNOWN_PASSKEY
        assert door.announce(ANN, info_hash=STRANGE)[b"failure code"] == Code.UNKNOWN_TORRENT
