"""The doctor's visit on a real folder and machine: bounded, unbroken by what fails, and without a trace."""

import asyncio
import os
import socket
import sqlite3
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest

from holdfast.clock import SystemClock
from holdfast.doctor.model import Finding, Level
from holdfast.doctor.patient import Patient, find_patient
from holdfast.doctor.probes.thread import in_thread
from holdfast.doctor.visit import PROBES, visit
from holdfast.errors import UnavailableError
from holdfast.runfile import Run
from holdfast.settings import Address, HostPort, Settings
from holdfast.store.records.migrate import migrate
from holdfast.stores import records_of


def settings_in(folder: Path) -> Settings:
    folder.chmod(0o700)
    settings = replace(Settings(), data=folder)
    anywhere = HostPort("127.0.0.1", 0)
    web, tracker = replace(settings.web, listen=anywhere), replace(settings.tracker, listen=anywhere)
    return replace(settings, web=web, tracker=tracker)


def see(settings: Settings, *names: str) -> list[Finding]:
    probes = {name: PROBES[name] for name in names} if names else PROBES
    return asyncio.run(visit(find_patient(settings, SystemClock()), probes))


def problems(findings: list[Finding]) -> list[tuple[str, str]]:
    return [(one.about, one.what) for one in findings if one.level is Level.PROBLEM]


def test_a_folder_that_never_ran_is_well_and_stays_as_it_is(tmp_path: Path) -> None:
    data = tmp_path / "data"
    settings = replace(settings_in(tmp_path), data=data)
    findings = see(settings)
    assert not problems(findings)
    assert not data.exists()
    assert {one.about for one in findings} >= {
        "versions",
        "permissions",
        "disk",
        "records",
        "live store",
        "parts",
    }


def test_records_are_read_without_leaving_a_trace(tmp_path: Path) -> None:
    settings = settings_in(tmp_path)
    records = records_of(settings)
    migrate(records)
    asyncio.run(records.close())
    before = sorted(tmp_path.iterdir())
    (found,) = see(settings, "records")
    assert (found.level, "at schema" in found.what) == (Level.OK, True)
    assert sorted(tmp_path.iterdir()) == before


def test_records_of_a_newer_version_are_recognised(tmp_path: Path) -> None:
    settings = settings_in(tmp_path)
    records = records_of(settings)
    migrate(records)
    asyncio.run(records.close())
    with sqlite3.connect(tmp_path / "records.sqlite") as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    connection.close()
    ((about, what),) = problems(see(settings, "records"))
    assert (about, "newer Holdfast" in what) == ("records", True)


def test_a_damaged_records_file_is_a_finding(tmp_path: Path) -> None:
    (tmp_path / "records.sqlite").write_bytes(b"not a database at all" * 100)
    ((about, what),) = problems(see(settings_in(tmp_path), "records"))
    assert (about, "no records file" in what) == ("records", True)


def test_the_program_that_has_our_port_is_named(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        settings = settings_in(tmp_path)
        place = HostPort("127.0.0.1", other.getsockname()[1])
        settings = replace(settings, web=replace(settings.web, listen=place))
        ((about, what),) = problems(see(settings, "ports"))
        assert (about, f"(pid {os.getpid()})" in what) == ("web port", True)


def test_a_port_that_another_has_is_no_problem_of_a_system_that_runs_elsewhere(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        settings = settings_in(tmp_path)
        place = HostPort("127.0.0.1", other.getsockname()[1])
        settings = replace(settings, web=replace(settings.web, listen=place))
        run = Run(1, 1.0, "http://w", "http://t", "embedded", "SQLite", str(tmp_path), "hf_x")
        patient = Patient(settings, SystemClock(), running=True, run=run)
        found, _ = asyncio.run(visit(patient, {"ports": PROBES["ports"]}))
    assert (found.level, found.about) == (Level.HINT, "web port")
    assert f"(pid {os.getpid()})" in found.what
    assert "the running system listens elsewhere" in found.what


def test_looking_at_a_port_never_listens_on_it(tmp_path: Path) -> None:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        place = HostPort(*held.getsockname())
    settings = settings_in(tmp_path)
    settings = replace(settings, web=replace(settings.web, listen=place))
    assert not problems(see(settings, "ports"))
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(place).close()


def test_a_name_that_no_machine_has_is_a_finding(tmp_path: Path) -> None:
    settings = settings_in(tmp_path)
    settings = replace(settings, web=replace(settings.web, listen=HostPort("nowhere.invalid", 80)))
    ((about, _),) = problems(see(settings, "ports"))
    assert about == "web port"


def test_a_folder_that_others_can_enter_is_a_problem(tmp_path: Path) -> None:
    settings = settings_in(tmp_path)
    tmp_path.chmod(0o755)
    ((about, what),) = problems(see(settings, "permissions"))
    assert (about, "mode 0755" in what) == ("permissions", True)


@pytest.mark.parametrize(("by", "way"), [(0.0, ""), (3600.0, "forward by"), (-3600.0, "back by")])
def test_a_clock_that_jumped_since_the_start_is_told(tmp_path: Path, by: float, way: str) -> None:
    """This process stands for the parent: when it was really started, no clock can unsay."""
    started = time.time() - (time.clock_gettime(time.CLOCK_BOOTTIME) - _birth()) - by
    run = Run(os.getpid(), started, "http://w", "http://t", "embedded", "SQLite", str(tmp_path), "hf_x")
    patient = Patient(settings_in(tmp_path), SystemClock(), running=True, run=run)
    findings = asyncio.run(visit(patient, {"clock": PROBES["clock"]}))
    jumps = [one.what for one in findings if "jumped" in one.what]
    assert len(jumps) == bool(way)
    assert all(f"{way} 3600 s" in what or f"{way} 3599 s" in what for what in jumps)


def _birth() -> float:
    ticks = int(Path(f"/proc/{os.getpid()}/stat").read_text().rpartition(")")[2].split()[19])
    return ticks / os.sysconf("SC_CLK_TCK")


def test_what_the_settings_warn_of_is_passed_on(tmp_path: Path) -> None:
    settings = replace(settings_in(tmp_path), findings=("x.toml holds a secret; run chmod 600 x.toml.",))
    (found,) = asyncio.run(visit(find_patient(settings, SystemClock()), {}))
    assert found == Finding(Level.HINT, "settings", "x.toml holds a secret.", "Run chmod 600 x.toml.")


def test_a_probe_that_hangs_crashes_or_gives_up_is_a_finding_each(tmp_path: Path) -> None:
    async def hangs(patient: Patient) -> list[Finding]:
        await asyncio.sleep(3600)
        return []

    async def crashes(patient: Patient) -> list[Finding]:
        raise ZeroDivisionError("division by zero")

    async def gives_up(patient: Patient) -> list[Finding]:
        raise UnavailableError("The live store is away; start it.")

    probes = {"a": hangs, "b": crashes, "c": gives_up}
    findings = asyncio.run(visit(find_patient(settings_in(tmp_path), SystemClock()), probes, seconds=0.01))
    assert problems(findings) == [
        ("a", "There was no answer within 0 s."),
        ("b", "Could not be looked at: ZeroDivisionError: division by zero"),
        ("c", "The live store is away."),
    ]
    assert findings[2].mend == "Start it."


def test_a_look_that_never_returns_does_not_keep_the_doctor(tmp_path: Path) -> None:
    forever = threading.Event()

    async def stuck(patient: Patient) -> list[Finding]:
        await in_thread(forever.wait)
        return []

    findings = asyncio.run(
        visit(find_patient(settings_in(tmp_path), SystemClock()), {"disk": stuck}, seconds=0.01)
    )
    assert [about for about, _ in problems(findings)] == ["disk"]
    forever.set()


def test_stores_that_are_away_are_findings(tmp_path: Path) -> None:

    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))  # bound, not listening: whoever connects is refused
        port = held.getsockname()[1]
        settings = settings_in(tmp_path)
        settings = replace(
            settings,
            live=replace(settings.live, address=Address(f"redis://127.0.0.1:{port}"), wait=0.05),
            records=replace(
                settings.records, address=Address(f"postgresql://u:secret@127.0.0.1:{port}/x"), wait=0.05
            ),
        )
        findings = see(settings, "live store", "records")
    assert [about for about, _ in problems(findings)] == ["live store", "records"]
    assert "secret" not in str(findings)
