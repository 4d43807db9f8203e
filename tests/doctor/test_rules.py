"""What the doctor thinks of what it sees."""

from collections.abc import Iterable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.doctor.model import (
    Beat,
    Disk,
    Files,
    Finding,
    Folder,
    House,
    Kernel,
    Level,
    Part,
    Port,
    Records,
    Server,
    Versions,
)
from holdfast.doctor.rules import clock, folder, live, machine, network, parts, records

GIBIBYTE = 1 << 30
VERSIONS = Versions("1.0", (3, 11, 4), (3, 40, 1), "Linux 6.1", "9.1.2")
DISK = Disk(free=50 * GIBIBYTE, total=100 * GIBIBYTE, free_inodes=10**6, inodes=2 * 10**6)
FOLDER = Folder("/srv/h", exists=True, there="/srv/h", owned=True, mode=0o700, writable=True, read_only=False)
SERVER = Server(
    "127.0.0.1:6379", "9.1.2", "valkey", primary=True, used_memory=10, max_memory=100, policy="noeviction",
    notifications="Kx", append_only=True, persistence_error=None, replication_error=None,
)  # fmt: skip
RECORDS = Records("SQLite", "/srv/h/records.sqlite", "0002")


def worst(findings: Iterable[Finding]) -> Level:
    """The worst of them; each must say what is the matter, and unless it is well, how to mend it."""
    found = list(findings)
    assert found
    for one in found:
        assert one.what.endswith((".", ")"))
        assert bool(one.mend) is (one.level is not Level.OK)
    return max((one.level for one in found), key=list(Level).index)


def of(level: Level, findings: Iterable[Finding]) -> list[str]:
    return [one.what for one in findings if one.level is level]


def server(**changes: object) -> list[Finding]:
    return list(live.server(replace(SERVER, **changes), needed="Kx", embedded=True))  # type: ignore[arg-type]


def of_records(seen: Records, *, running: bool = True) -> list[Finding]:
    return list(records.records(seen, head="0002", known={"0001", "0002"}, running=running))


def test_all_is_well_on_a_machine_as_it_should_be() -> None:
    findings = [
        *machine.versions(VERSIONS), *machine.kernel(Kernel(1, "madvise")), *folder.disk(DISK),
        *machine.files([Files("web", 100, 65536)]), *folder.permissions(FOLDER), *clock.synchronised(True),
        *clock.jumped(0.4), *clock.apart("PostgreSQL", -0.1), *server(), *of_records(RECORDS),
        *parts.house(House(True, False, (Part("web", "ready", 0, 5.0),))),
        *network.ports(Port("web", "127.0.0.1", 8080, "free")), *parts.readiness([("live", True, "well")]),
    ]  # fmt: skip
    assert worst(findings) is Level.OK


def test_old_python_and_sqlite_are_problems_and_an_unknown_system_a_hint() -> None:
    assert worst(machine.versions(replace(VERSIONS, python=(3, 10, 9)))) is Level.PROBLEM
    assert worst(machine.versions(replace(VERSIONS, sqlite=(3, 34, 1)))) is Level.PROBLEM
    assert worst(machine.versions(replace(VERSIONS, system="Plan9 4"))) is Level.HINT


def test_what_linux_should_be_set_to_is_a_hint_each() -> None:
    assert len(of(Level.HINT, machine.kernel(Kernel(0, "always")))) == 2
    assert worst(machine.kernel(Kernel(None, None))) is Level.OK


@pytest.mark.parametrize(
    ("count", "limit", "level"),
    [
        (None, 65536, Level.OK),
        (None, 1024, Level.HINT),
        (None, 256, Level.PROBLEM),
        (900, 1024, Level.PROBLEM),
    ],
)
def test_few_open_files_are_a_hint_and_nearly_all_in_use_a_problem(
    count: int | None, limit: int, level: Level
) -> None:
    assert worst(machine.files([Files("web", count, limit)])) is level


@pytest.mark.parametrize(
    ("state", "level"),
    [
        ("any", Level.OK),
        ("free", Level.OK),
        ("unused", Level.OK),
        ("ours", Level.OK),
        ("taken", Level.PROBLEM),
        ("elsewhere", Level.HINT),
        ("denied", Level.PROBLEM),
        ("unknown host", Level.PROBLEM),
        ("no such address", Level.PROBLEM),
    ],
)
def test_a_port_is_a_problem_when_it_cannot_be_had(state: str, level: Level) -> None:
    seen = Port("web", "::1", 8080, state, "nginx (pid 7)")  # type: ignore[arg-type]
    assert worst(network.ports(seen)) is level


def test_who_has_the_port_is_named_with_a_way_out() -> None:
    (found,) = network.ports(Port("tracker", "::1", 6969, "taken", "nginx (pid 7)"))
    assert found.what == "nginx (pid 7) listens on [::1]:6969."
    assert "--tracker" in found.mend


def test_a_disk_is_a_problem_when_full_or_too_small_for_a_rewrite_and_a_hint_before() -> None:
    assert worst(folder.disk(replace(DISK, free=100 << 20))) is Level.PROBLEM
    assert worst(folder.disk(replace(DISK, free=4 * GIBIBYTE))) is Level.HINT
    assert worst(folder.disk(replace(DISK, append_only=60 * GIBIBYTE))) is Level.PROBLEM


def test_a_disk_can_run_out_of_inodes_with_space_left() -> None:
    assert worst(folder.disk(replace(DISK, free_inodes=10))) is Level.PROBLEM
    assert worst(folder.disk(replace(DISK, free_inodes=20_000))) is Level.HINT
    assert worst(folder.disk(replace(DISK, free_inodes=0, inodes=0))) is Level.OK  # it does not count them


@pytest.mark.parametrize(
    "changes",
    [{"mode": 0o755}, {"mode": 0o710}, {"writable": False}, {"read_only": True}, {"run_mode": 0o644}],
)
def test_a_data_folder_that_others_can_read_or_we_cannot_write_is_a_problem(
    changes: dict[str, object],
) -> None:
    assert worst(folder.permissions(replace(FOLDER, **changes))) is Level.PROBLEM  # type: ignore[arg-type]


def test_a_data_folder_of_another_user_is_a_hint_and_a_missing_one_is_well() -> None:
    assert worst(folder.permissions(replace(FOLDER, owned=False))) is Level.HINT
    away = replace(FOLDER, exists=False, there="/srv", mode=0o755, owned=False)
    assert worst(folder.permissions(away)) is Level.OK


@pytest.mark.parametrize(
    ("by", "level"), [(0.1, Level.OK), (-1.9, Level.OK), (5.0, Level.HINT), (-31.0, Level.PROBLEM)]
)
def test_clocks_may_be_a_little_apart(by: float, level: Level) -> None:
    assert worst(clock.apart("the live store", by)) is level


@given(st.floats(-1e6, 1e6))
def test_which_clock_is_ahead_is_told_the_right_way_round(by: float) -> None:
    (found,) = clock.apart("PostgreSQL", by)
    assert ("ahead of" in found.what) is (by >= clock.NOTICEABLE)
    assert (" behind " in found.what) is (by <= -clock.NOTICEABLE)


def test_a_clock_that_jumped_or_is_kept_by_nobody_is_a_hint() -> None:
    assert worst(clock.jumped(-3600.0)) is Level.HINT
    assert worst(clock.synchronised(False)) is Level.HINT
    assert worst(clock.synchronised(None)) is Level.OK


@pytest.mark.parametrize(
    "changes",
    [
        {"version": "6.2.14"},
        {"append_only": False},
        {"policy": "allkeys-lru"},
        {"notifications": ""},
        {"notifications": "Ex"},
        {"primary": False},
        {"persistence_error": "the last write to the append-only file failed"},
        {"replication_error": "1 of its replicas are not online"},
        {"used_memory": 96},
    ],
)
def test_a_live_store_that_may_lose_or_refuse_data_is_a_problem(changes: dict[str, object]) -> None:
    assert worst(server(**changes)) is Level.PROBLEM


def test_a_live_store_filling_up_is_a_hint() -> None:
    assert worst(server(used_memory=85)) is Level.HINT


@pytest.mark.parametrize(
    "changes", [{"notifications": None}, {"notifications": "KA"}, {"max_memory": 0, "policy": "x"}]
)
def test_a_live_store_is_well_when_it_reports_more_or_does_not_let_us_ask(changes: dict[str, object]) -> None:
    assert worst(server(**changes)) is Level.OK


def test_a_foreign_live_store_may_keep_its_data_its_own_way() -> None:
    seen = replace(SERVER, append_only=False)
    assert worst(live.server(seen, needed="Kx", embedded=False)) is Level.HINT


def test_records_of_a_newer_version_are_a_problem_and_older_ones_are_brought_up() -> None:
    assert worst(of_records(replace(RECORDS, schema="0003"))) is Level.PROBLEM
    assert worst(of_records(replace(RECORDS, schema="0001"), running=False)) is Level.HINT
    assert worst(of_records(replace(RECORDS, schema="0001"))) is Level.PROBLEM
    assert worst(of_records(replace(RECORDS, schema=None), running=False)) is Level.OK


def test_an_outbox_that_nobody_empties_is_a_problem_only_while_running() -> None:
    late = replace(RECORDS, waiting=3, oldest=90.0)
    assert worst(of_records(late)) is Level.PROBLEM
    assert worst(of_records(late, running=False)) is Level.OK
    assert worst(of_records(replace(late, oldest=5.0))) is Level.OK


def test_an_old_postgresql_is_a_problem() -> None:
    assert worst(of_records(replace(RECORDS, kind="PostgreSQL", version=(13, 4)))) is Level.PROBLEM


@pytest.mark.parametrize(
    ("part", "level"),
    [
        (Part("web", "ready", 0, 5.0), Level.OK),
        (Part("web", "ready", 2, 5.0), Level.HINT),
        (Part("web", "starting", 0, 5.0), Level.HINT),
        (Part("web", "starting", 0, 60.0), Level.PROBLEM),
        (Part("web", "resting", 3, 1.0), Level.PROBLEM),
    ],
)
def test_a_part_that_is_not_up_or_was_restarted_is_told(part: Part, level: Level) -> None:
    assert worst(parts.house(House(True, False, (part,)))) is level


def test_a_killed_parent_leaves_a_hint_and_a_stopped_one_nothing() -> None:
    assert worst(parts.house(House(running=False, left_over=True))) is Level.HINT
    assert worst(parts.house(House(running=False))) is Level.OK


def test_parts_of_other_versions_or_with_a_clock_ahead_are_hints() -> None:
    assert not list(parts.beats([Beat("web", "a-1", "1.0", -3.0)], version="1.0"))
    assert worst(parts.beats([Beat("web", "a-1", "0.9", -3.0)], version="1.0")) is Level.HINT
    assert worst(parts.beats([Beat("web", "a-1", "1.0", 60.0)], version="1.0")) is Level.HINT


def test_what_the_web_door_lacks_is_a_problem_each() -> None:
    checks = [
        ("live", False, "It is away."),
        ("records", True, "well"),
        ("disk", False, "Only 3 MiB are free."),
    ]
    assert len(of(Level.PROBLEM, parts.readiness(checks))) == 2
