"""The plan of the house: which parts there are, what they wait for, and what each is told."""

from pathlib import Path

import pytest

from holdfast.clock import SystemClock
from holdfast.house import explained, parts, trackers
from holdfast.launch import RUN_TOKEN_HASH
from holdfast.run import PARTS
from holdfast.store.live.embedded import EmbeddedServer
from holdfast.supervise import rules
from holdfast.supervise.model import PartFailedError

ARGUMENTS = ("--data", "x", "--set=web.listen=:1")


def test_every_part_waits_for_the_embedded_store_and_can_be_stopped_in_time(tmp_path: Path) -> None:
    specs = {spec.name: spec for spec in parts(EmbeddedServer(tmp_path), ARGUMENTS, "hash", SystemClock())}
    assert set(specs) == {"live", *PARTS}
    assert all(spec.after == ("live",) for name, spec in specs.items() if name != "live")
    assert max(rules.stop_chain(specs, name) for name in specs) <= rules.STOP_TOTAL


def test_without_an_embedded_store_nobody_waits() -> None:
    specs = parts(None, ARGUMENTS, "hash", SystemClock())
    assert {spec.name for spec in specs} == set(PARTS)
    assert not any(spec.after for spec in specs)


def test_each_part_is_given_the_same_settings_and_the_web_door_alone_the_token(tmp_path: Path) -> None:
    specs = parts(None, ARGUMENTS, "hash", SystemClock())
    assert all(spec.argv[-4:] == (spec.name, *ARGUMENTS) for spec in specs)
    assert [spec.name for spec in specs if RUN_TOKEN_HASH in spec.env] == ["web"]
    assert not any("hash" in argument for spec in specs for argument in spec.argv)
    doors = {spec.name: spec.sockets for spec in specs if spec.sockets}
    assert set(doors) == {"tracker", "web"}
    assert all(name.split(".")[0] == part for part, names in doors.items() for name in names)


def test_several_workers_of_the_tracker_each_have_a_name_and_reach_all_its_sockets() -> None:
    workers = [spec for spec in parts(None, ARGUMENTS, "hash", SystemClock(), 2) if "tracker" in spec.argv]
    assert [spec.name for spec in workers] == ["tracker-1", "tracker-2"]
    assert [spec.argv[4] for spec in workers] == ["--as=tracker-1", "--as=tracker-2"]
    doors = {"tracker-1", "tracker-1.udp", "tracker-2", "tracker-2.udp"}
    assert all(set(spec.sockets) == doors for spec in workers)
    assert trackers(0) >= 1


@pytest.mark.parametrize(
    ("sentence", "ours"),
    [
        ("Holdfast did not start: live stopped: Bad file format reading the append only file: x", True),
        ("Holdfast did not start: live stopped: No space left on device", True),
        ("Holdfast did not start: live stopped: for a reason of its own", False),
        ("Holdfast did not start: web stopped: No space left on device", False),
    ],
)
def test_the_live_stores_failure_is_told_in_our_words(tmp_path: Path, sentence: str, ours: bool) -> None:
    failure = PartFailedError(sentence, 1)
    told = explained(failure, EmbeddedServer(tmp_path))
    assert (str(told) != sentence) is ours
    assert (str(tmp_path) in str(told)) is ours
    assert told.exit == failure.exit
    assert explained(failure, None) is failure
