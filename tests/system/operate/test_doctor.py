"""The doctor's visit to a running system, to what is left of a killed one, and to stores on other servers."""

import json
import os
import signal
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from holdfast.errors import Exit
from tests.docs.stand_ins import cluster, database, live_server, sentinels
from tests.servers import debian_redis
from tests.system.running import FREE, Answer, command, fill, running, small_disk, until


def doctor(
    data: Path, *options: str, env: dict[str, str] | None = None
) -> tuple[Answer, list[dict[str, Any]]]:
    told = command("--data", data, *options, "doctor", "--json", env=env)
    return told, json.loads(told.out)["findings"]


def problems(findings: list[dict[str, Any]]) -> list[str]:
    return [f"{one['about']}: {one['what']}" for one in findings if one["level"] == "problem"]


def test_a_running_system_is_well() -> None:
    with running() as system:
        told, findings = doctor(system.data)
    assert not problems(findings)
    assert told.code == Exit.OK
    said = {one["about"]: one["what"] for one in findings if one["level"] == "ok"}
    assert said["parts"] == "Running: live, clerk, tracker, web."
    assert "kept in an append-only file" in said["live store"]
    assert "at schema" in said["records"]
    assert said["web door"] == "It answers, and has everything it needs."


def test_a_web_door_that_hangs_is_a_problem() -> None:
    with running() as system:
        web = system.signal("web", signal.SIGSTOP)
        told, findings = doctor(system.data)
        os.kill(web, signal.SIGCONT)
    assert any(problem.startswith("web door: The web door at") for problem in problems(findings))
    assert told.code == Exit.FINDINGS


def test_a_live_store_that_hangs_is_a_problem_and_not_a_wait() -> None:
    with running() as system:
        live = system.signal("live", signal.SIGSTOP)
        told, findings = doctor(system.data)
        os.kill(live, signal.SIGCONT)
    assert any(problem.startswith("live store") for problem in problems(findings))
    assert told.code == Exit.FINDINGS


def test_what_a_killed_parent_leaves_is_a_hint() -> None:
    with running() as system:
        system.kill()
        until("its parts have ended", lambda: not system.left_running)
        told, findings = doctor(system.data, *unused())
    assert "Holdfast was killed and could not tidy up." in [one["what"] for one in findings]
    assert told.code == Exit.OK


def test_a_full_disk_is_a_problem(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", "300m") as disk:
        assert not problems(doctor(disk, *unused())[1])
        fill(disk)
        _, findings = doctor(disk, *unused())
    assert problems(findings) == ["disk: Only 0 MiB are free on the disk of the data folder."]


def test_a_read_only_disk_is_a_problem(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", "300m", read_only=True) as disk:
        _, findings = doctor(disk, *unused())
    assert problems(findings) == [f"permissions: The disk of {disk} is mounted read-only."]


def test_a_live_store_with_the_wrong_flags_is_a_problem_each(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir(mode=0o700)
    with debian_redis("--maxmemory", "100mb", "--maxmemory-policy", "allkeys-lru") as server:
        told, findings = doctor(tmp_path / "data", f"--set=live.address={server.address}", *unused())
    found = " ".join(problems(findings))
    assert "allkeys-lru" in found
    assert "notify-keyspace-events" in found
    assert told.code == Exit.FINDINGS


def test_stores_on_other_servers_are_looked_at_the_same_way(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir(mode=0o700)
    with ExitStack() as stack:
        (place,) = stack.enter_context(live_server()).values()
        (base,) = stack.enter_context(database()).values()
        options = (
            f"--set=live.address=redis://{place}",
            f"--set=records.address=postgresql://holdfast:secret@{base}/holdfast",
            *unused(),
        )
        _, findings = doctor(tmp_path / "data", *options)
        assert not problems(findings)
        said = [one["what"] for one in findings]
        assert any(
            "PostgreSQL at postgresql://holdfast:***@" in what and "holds nothing yet" in what
            for what in said
        )
        assert "The clock of PostgreSQL agrees with this machine's." in said
        assert "The clock of the live store agrees with this machine's." in said
        command("--data", tmp_path / "data", *options, "migrate")
        _, findings = doctor(tmp_path / "data", *options)
        assert any("answers, at schema" in one["what"] for one in findings if one["about"] == "records")
    told, findings = doctor(tmp_path / "data", *options)
    assert [problem.partition(":")[0] for problem in problems(findings)] == ["records", "live store"]
    assert told.code == Exit.FINDINGS


@pytest.mark.parametrize("kind", ["sentinel", "cluster"])
def test_groups_of_servers_are_looked_at_one_by_one(tmp_path: Path, kind: str) -> None:
    (tmp_path / "data").mkdir(mode=0o700)
    with sentinels() if kind == "sentinel" else cluster() as names:
        places = ",".join(names.values())
        address = f"redis+{kind}://{places}" + ("/holdfast" if kind == "sentinel" else "")
        _, findings = doctor(
            tmp_path / "data", f"--set=live.address={address}", "--set=live.layout=tagged", *unused()
        )
    told = [one for one in findings if one["about"] == "live store"]
    primaries = {one["what"].split(" keeps ")[0] for one in told if "keeps no append-only" in one["what"]}
    if kind == "sentinel":
        assert len(primaries) == 1
    assert all("notify-keyspace-events" in problem for problem in problems(findings))
    assert len(problems(findings)) == (1 if kind == "sentinel" else 3)


def test_refused_settings_are_a_problem_and_the_rest_is_looked_at(tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir(mode=0o700)
    (data / "holdfast.toml").write_text('comunity = "Tidewater"\n[web]\nlisten = 7\n')
    told, findings = doctor(data)
    assert len([problem for problem in problems(findings) if problem.startswith("settings")]) == 2
    assert any("did you mean community?" in problem for problem in problems(findings))
    assert {one["about"] for one in findings} >= {"versions", "disk", "permissions"}
    assert told.code == Exit.FINDINGS


def test_secrets_that_others_can_read_are_a_hint(tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir(mode=0o700)
    file = data / "holdfast.toml"
    file.write_text('[notices.webhook]\nurl = "https://example.org/?token=abc"\n')
    file.chmod(0o644)
    told, findings = doctor(data, *unused())
    (found,) = [one for one in findings if one["about"] == "settings"]
    assert (found["level"], "chmod 600" in found["mend"]) == ("hint", True)
    assert "abc" not in told.out


def test_people_get_a_line_for_each_finding_and_how_to_mend_it(tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir(mode=0o755)
    told = command("--data", data, *unused(), "doctor", env={"COLUMNS": "200"})
    assert told.code == Exit.FINDINGS
    assert f"→ Run: chmod 700 {data}" in told.out
    assert "1 problem, " in told.out


def unused() -> tuple[str, ...]:
    """Ports that no other program can have."""
    return tuple(
        f"--set={option[2:]}.listen={place}" for option, place in zip(FREE[::2], FREE[1::2], strict=True)
    )
