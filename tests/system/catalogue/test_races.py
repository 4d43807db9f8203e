"""Two who do the same at once: one wins, the other is told, and nothing is done twice."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from holdfast.catalogue.store import categories, members, points, uploads, whitelist
from holdfast.errors import ConflictError, NotFoundError
from holdfast.store.records.engine import RecordsAddress
from holdfast.wire.metainfo import TorrentVersion
from tests.catalogue.ground import HYBRID, V1, Ground, as_member, torrent
from tests.clocks import StillClock
from tests.conftest import opened
from tests.processes import together
from tests.system.catalogue.work import add_member, add_upload, change_member, remove_upload, rotate

MANY = 20


@pytest.mark.parametrize("version", [V1, HYBRID])
def test_the_same_torrent_by_several_processes_is_one_upload(
    address: RecordsAddress, version: TorrentVersion
) -> None:
    with opened(address) as records:
        ground = Ground(records, StillClock())
        ann = ground.member("ann")
        said = together(add_upload, [(address, "ann", torrent("film.mkv", version))] * 4)
        assert sorted(word for word, _ in said) == ["added", "conflict", "conflict", "conflict"]
        assert len({number for _, number in said}) == 1
        assert ground.ask(uploads.totals)["uploads"] == 1
        assert ground.ask(points.balance, ann.id) == 10
        assert [entry.action for entry in ground.audited()] == ["upload.add", "member.add"]


def test_the_same_name_by_several_processes_is_one_member(address: RecordsAddress) -> None:
    said = together(add_member, [(address, name) for name in ("Ann", "ANN", "ann", "aNN")])
    assert sum("already" in word for word in said) == 3
    with opened(address) as records:
        assert Ground(records, StillClock()).ask(members.count) == 1


def test_the_same_removal_by_several_processes_takes_back_once(address: RecordsAddress) -> None:
    with opened(address) as records:
        ground = Ground(records, StillClock())
        ann = ground.member("ann")
        one = ground.upload(ann, "film.mkv")
        said = together(remove_upload, [(address, one.id)] * 4)
        assert said.count("removed") == 1
        assert ground.ask(points.balance, ann.id) == 0
        assert len(ground.ask(points.listing, ann.id).items) == 2


@pytest.mark.parametrize("how", [{"roles": ("member",)}, {"enabled": False}])
def test_two_operators_who_depose_each_other_do_not_both_succeed(
    address: RecordsAddress, how: dict[str, Any]
) -> None:
    with opened(address) as records:
        ground = Ground(records, StillClock())
        for _ in range(3):
            pair = []
            for name in ("ann", "bob"):
                if ground.ask(members.listing, q=name).items:
                    ground.change(members.change, name, enabled=True, roles=("operator",))
                else:
                    ground.member(name, "operator")
                pair.append(ground.ask(members.get, name))
            ann, bob = map(as_member, pair)
            said = together(change_member, [(address, ann, "bob", how), (address, bob, "ann", how)])
            assert sorted(word.partition(" is ")[2] for word in said) == [
                "",
                "the last operator; make somebody else one first.",
            ]
            assert len(ground.ask(members.operators)) == 1


@pytest.mark.parametrize("how", [{"roles": ("member",)}, {"enabled": False}])
def test_twenty_operators_who_all_step_down_at_once_leave_one(
    address: RecordsAddress, how: dict[str, Any]
) -> None:
    with opened(address, pool=MANY, wait=30.0) as records:
        ground = Ground(records, StillClock())
        everybody = [ground.member(f"operator-{n}", "operator") for n in range(MANY)]

        def step_down(number: int) -> str:
            own = everybody[number]
            try:
                ground.change_as(as_member(own), members.change, own.id, **how)
            except ConflictError:
                return "stays"
            return "gone"

        said = at_once(step_down)
        assert said.count("stays") == 1
        assert len(ground.ask(members.operators)) == 1


def test_twenty_operators_who_all_change_each_other_get_through(address: RecordsAddress) -> None:
    with opened(address, pool=MANY, wait=30.0) as records:
        ground = Ground(records, StillClock())
        everybody = [ground.member(f"operator-{n}", "operator") for n in range(MANY)]

        def change_the_next(number: int) -> None:
            own, other = everybody[number], everybody[(number + 1) % MANY]
            ground.change_as(as_member(own), members.change, other.id, may_leech=False)

        at_once(change_the_next)
        assert not any(one.may_leech for one in ground.ask(members.listing, limit=MANY).items)


def test_twenty_rotations_at_once_leave_one_active_passkey(address: RecordsAddress) -> None:
    with opened(address, pool=MANY, wait=30.0) as records:
        ground = Ground(records, StillClock())
        ann = ground.member("ann")
        given = at_once(lambda _: ground.change(members.rotate, "ann"))
        assert len(set(given)) == MANY
        held = ground.passkeys(ann)
        assert len(held) == MANY + 1
        assert list(held.values()).count(None) == 1
        assert ground.ask(members.passkey_of, ann.id) in given


def test_rotations_by_several_processes_leave_one_active_passkey(address: RecordsAddress) -> None:
    with opened(address) as records:
        ground = Ground(records, StillClock())
        ann = ground.member("ann")
        together(rotate, [(address, "ann")] * 4)
        assert list(ground.passkeys(ann).values()).count(None) == 1


def test_what_the_audit_says_was_before_is_what_the_one_before_left(address: RecordsAddress) -> None:
    with opened(address, pool=MANY, wait=30.0) as records:
        ground = Ground(records, StillClock())
        kind = ground.change(categories.add, name="Films", points=1000)
        ground.change(whitelist.put, "-TR4", "start")
        one = ground.upload(ground.member("ann"), "film.mkv", name="start")
        marker = ground.audited()[0].id

        def change(number: int) -> None:
            ground.change(categories.change, kind.id, name=None, points=number)
            ground.change(whitelist.put, "-TR4", f"client {number}")
            ground.change(uploads.change, one.id, name=f"name {number}", category=None)

        at_once(change)
        told = [entry for entry in reversed(ground.audited()) if entry.id > marker]
        left: dict[str, dict[str, Any] | None] = {
            "category": {"name": "Films", "points": 1000},
            "whitelist": {"name": "start"},
            "upload": {"name": "start"},
        }
        for entry in told:
            assert entry.before == left[entry.target_kind]
            left[entry.target_kind] = entry.after


def test_a_client_taken_off_by_two_at_once_is_taken_off_once(address: RecordsAddress) -> None:
    with opened(address, pool=MANY, wait=30.0) as records:
        ground = Ground(records, StillClock())
        ground.change(whitelist.put, "-TR4", "Transmission")

        def remove(_: int) -> bool:
            try:
                ground.change(whitelist.remove, "-TR4")
            except NotFoundError:
                return False
            return True

        assert at_once(remove).count(True) == 1
        assert [entry.action for entry in ground.audited()] == ["whitelist.remove", "whitelist.put"]


def at_once(work: Callable[[int], Any]) -> list[Any]:
    """Do it twenty times, with all threads let go at the same moment."""
    ready = threading.Barrier(MANY)

    def run(number: int) -> Any:
        ready.wait()
        return work(number)

    with ThreadPoolExecutor(MANY) as threads:
        return [done.result() for done in [threads.submit(run, n) for n in range(MANY)]]
