"""`kill -9` between any two steps of a change, then one sweep: either all of it happened or nothing."""

import asyncio
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy import Connection

from holdfast.catalogue import tables
from holdfast.catalogue.service.follow import Follower
from holdfast.catalogue.store import audit, members, uploads
from holdfast.store.live import Layout
from holdfast.store.records import outbox
from holdfast.store.records.engine import RecordsAddress
from holdfast.wire.metainfo import Metainfo, parse_torrent
from tests.catalogue.ground import HYBRID, V1, V2, Ground, torrent
from tests.processes import Other
from tests.servers import RunningServer
from tests.system.catalogue.mirrored import held, live_store, wanted
from tests.system.catalogue.work import Act, change_until

# Adding dies at each step on both databases in both layouts: more than a hundred times in all.
LEAST_KILLS = {"add": 27, "remove": 27, "rotate": 22}
VERSIONS = {
    ("sqlite", Layout.CLASSIC): HYBRID,
    ("sqlite", Layout.TAGGED): V2,
    ("postgresql", Layout.CLASSIC): V1,
    ("postgresql", Layout.TAGGED): HYBRID,
}


class Household:
    """A catalogue whose processes are killed, and the look at it afterwards."""

    def __init__(
        self, ground: Ground, address: RecordsAddress, server: RunningServer, layout: Layout
    ) -> None:
        self.ground = ground
        self._address = address
        self._live = (server.address, layout)

    def dies(self, act: Act, last: int) -> bool:
        """Whether the process was killed at that step; False: it came to the end of its work."""
        return Other(change_until, self._address, self._live, last, act).was_killed()

    def sweep(self) -> dict[str, Any]:
        """What the live store holds after one sweep, which must be the truth and nothing else."""

        async def story() -> dict[str, Any]:
            async with live_store(*self._live) as live:
                await Follower(self.ground.records, live).follow()
                found = await held(live)
                assert found == wanted(self.ground.records)
                return found

        found = asyncio.run(story())
        assert self.ground.ask(outbox.waiting) == (0, None)
        return found


@pytest.fixture
def layout() -> Layout:
    return Layout.CLASSIC


@pytest.fixture
def household(
    ground: Ground, address: RecordsAddress, live_server: RunningServer, layout: Layout
) -> Household:
    return Household(ground, address, live_server, layout)


def rows_of(tx: Connection, told: Metainfo) -> dict[str, list[Any]]:
    """Everything in the records that has to do with a torrent."""
    hashes = [found.hex() for found in told.tracker_hashes]
    named = list(tx.execute(sa.select(tables.upload.c.id).where(tables.upload.c.name == told.name)).scalars())
    hashed = tx.execute(sa.select(tables.info_hash).where(tables.info_hash.c.info_hash.in_(hashes))).all()
    of = tables.upload_file.c.upload_id.in_(named)
    files = tx.execute(sa.select(tables.upload_file.c.path, tables.upload_file.c.size).where(of)).all()
    whole = tx.execute(sa.select(tables.torrent.c.torrent).where(tables.torrent.c.upload_id.in_(named)))
    given = tx.execute(sa.select(tables.points.c.amount).where(tables.points.c.upload_id.in_(named)))
    entries = audit.listing(tx, action="upload.add", limit=10_000).items
    return {
        "upload": named,
        "hash": [(row.info_hash, row.upload_id) for row in hashed],
        "file": [tuple(row) for row in files],
        "torrent": list(whole.scalars()),
        "points": list(given.scalars()),
        "audit": [one.target_id for one in entries if one.target_name == told.name],
    }


def all_or_nothing(found: dict[str, list[Any]], live: dict[str, Any], data: bytes) -> bool:
    """Whether the upload is there; it is wholly there or not at all."""
    told = parse_torrent(data)
    announced = {f"t:info_hash:{one.hex()}" for one in told.tracker_hashes}
    if not found["upload"]:
        assert not any(found.values()), found
        assert not announced & live.keys()
        return False
    (number,) = found["upload"]
    assert sorted(found["hash"]) == sorted((one.hex(), number) for one in told.tracker_hashes)
    assert found["file"] == [("/".join(file.path), file.size) for file in told.files]
    assert found["torrent"] == [data]
    assert found["points"] == [10]
    assert found["audit"] == [str(number)]
    assert {live[name] for name in announced} == {str(number)}
    return True


@pytest.mark.parametrize("layout", Layout)
def test_an_upload_whose_adding_is_killed_anywhere_is_there_or_not(
    household: Household, database: str, layout: Layout
) -> None:
    household.ground.member("ann")
    version = VERSIONS[database, layout]
    kills, outcomes = 0, []
    while True:
        data = torrent(f"film {kills}", version)
        killed = household.dies(("add", data), kills + 1)
        live = household.sweep()
        found = household.ground.ask(rows_of, parse_torrent(data))
        outcomes.append(all_or_nothing(found, live, data))
        if not killed:
            break
        kills += 1
    assert kills >= LEAST_KILLS["add"]
    # Nothing before the commit, everything from there on.
    assert outcomes == sorted(outcomes)
    assert {True, False} == set(outcomes)
    ann = household.ground.ask(members.get, "ann")
    assert ann.points == 10 * sum(outcomes)
    assert household.ground.ask(uploads.totals)["uploads"] == sum(outcomes)


def test_a_removal_that_is_killed_anywhere_is_whole_or_never_was(household: Household) -> None:
    ground = household.ground
    ann = ground.member("ann")
    kills, outcomes = 0, []
    while True:
        one = ground.upload(ann, f"film {kills}", HYBRID)
        killed = household.dies(("remove", one.id), kills + 1)
        live = household.sweep()
        removed = ground.ask(uploads.get, one.id).removed is not None
        there = [f"t:info_hash:{str(whole)[:40]}" in live for whole in (one.info_hash_v1, one.info_hash_v2)]
        assert there == [not removed] * 2
        entries = [entry for entry in ground.audited() if entry.target_id == str(one.id)]
        assert [entry.action for entry in entries].count("upload.remove") == int(removed)
        outcomes.append(removed)
        if not killed:
            break
        kills += 1
    assert kills >= LEAST_KILLS["remove"]
    assert outcomes == sorted(outcomes)
    assert ground.ask(members.get, "ann").points == 10 * outcomes.count(False)


def test_a_rotation_that_is_killed_anywhere_leaves_one_passkey_that_works(household: Household) -> None:
    ground = household.ground
    ann = ground.member("ann")
    kills = 0
    while True:
        before = ground.ask(members.passkey_of, ann.id)
        killed = household.dies(("rotate", "ann"), kills + 1)
        live = household.sweep()
        active = ground.ask(members.passkey_of, ann.id)
        assert [name for name in live if name.startswith("t:user:")] == [f"t:user:{active}"]
        if active != before:
            assert ground.passkeys(ann)[before] is not None
        if not killed:
            assert active != before
            break
        kills += 1
    assert kills >= LEAST_KILLS["rotate"]


def test_the_same_upload_can_be_added_again_after_each_kill(household: Household) -> None:
    """What was undone stands in nobody's way."""
    household.ground.member("ann")
    data = torrent("film", HYBRID)
    for last in range(1, 100, 4):
        household.dies(("add", data), last)
        household.sweep()
        if household.ground.ask(uploads.listing).items:
            break
    assert len(household.ground.ask(uploads.listing).items) == 1
    assert household.ground.ask(members.get, "ann").points == 10
