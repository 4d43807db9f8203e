"""Several processes on the same records: nothing lost, nothing half, nothing done twice."""

from holdfast.store.records.engine import RecordsAddress
from holdfast.store.records.migrate import HEAD, migrate, revision
from tests.conftest import opened
from tests.processes import Other, together
from tests.store.records.rows import kept
from tests.store.records.test_migrate import dump
from tests.system.records.work import bring_up_to_date, migrate_until, write_rows, write_until


def test_writes_from_several_processes_are_all_kept(address: RecordsAddress) -> None:
    together(write_rows, [(address, f"process {n}", 25) for n in range(4)])
    with opened(address) as records:
        assert sorted(kept(records)) == sorted(f"process {p} {n}" for p in range(4) for n in range(25))


def test_ten_processes_at_once_migrate_once(empty_address: RecordsAddress) -> None:
    came_from = together(bring_up_to_date, [(empty_address,)] * 10)
    assert sorted(came_from, key=str) == [None] * 9 + ["nothing"]
    with opened(empty_address) as records:
        assert records.read_now(revision) == HEAD
        assert len(records.read_now(dump)["category"]) == 1


def test_a_migration_that_is_killed_leaves_nothing_half(empty_address: RecordsAddress) -> None:
    last = 1
    while Other(migrate_until, empty_address, last).was_killed():
        with opened(empty_address) as records:
            assert records.read_now(dump) == {}
        last += 5
    assert last > 40
    with opened(empty_address) as records:
        assert records.read_now(revision) == HEAD
        assert migrate(records) is None


def test_a_writer_that_is_killed_leaves_all_or_nothing(address: RecordsAddress) -> None:
    last = 1
    while Other(write_until, address, last).was_killed():
        with opened(address) as records:
            assert kept(records) in ([], ["first half", "second half"])
        last += 1
    assert last > 5
    with opened(address) as records:
        assert kept(records) == ["first half", "second half"]
