"""Parts killed, stopped and starved while members go on adding uploads: nothing is lost or doubled."""

import signal
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import count
from pathlib import Path
from time import sleep

import pytest

from holdfast.client import Door, Place
from holdfast.errors import ConflictError, HoldfastError, UnavailableError
from tests.system.running import PARTS, Running, fill, running, small_disk, torrent_named, until

TORRENT = "application/x-bittorrent"
WORTH = 3
DEATHS = 10


class Adding:
    """A client that adds one upload after the other, and tries again until each is acknowledged."""

    def __init__(self, house: Running, label: str) -> None:
        run = house.run
        self._door = Door(Place(run.here, run.token))
        self._label = label
        self._enough = threading.Event()
        self._thread = threading.Thread(target=self._work, name=label)
        self.acknowledged: dict[str, int] = {}
        self.refused: list[HoldfastError] = []

    def _work(self) -> None:
        for number in count():
            if self._enough.is_set():
                return
            name = f"{self._label} {number:04}"
            self.acknowledged[name] = self._add(name)

    def _add(self, name: str) -> int:
        while True:
            try:
                asked = {"by": "ann", "category": "Films", "name": name}
                added = self._door.send("/uploads", torrent_named(name), TORRENT, **asked)
            except ConflictError as error:
                number = error.extra["upload_id"]  # an earlier try was done, though nobody could say so
                assert isinstance(number, int)
                return number
            except HoldfastError as error:
                self.refused.append(error)
                sleep(0.02)
            else:
                return int(added["id"])

    def __enter__(self) -> "Adding":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._enough.set()
        self._thread.join()
        self._door.close()


@contextmanager
def adding(house: Running, clients: int = 3) -> Iterator[Callable[[], dict[str, int]]]:
    """Clients at work; in the end all that was acknowledged to any of them."""
    group = [Adding(house, f"client {number}") for number in range(clients)]

    def acknowledged() -> dict[str, int]:
        return {name: number for client in group for name, number in dict(client.acknowledged).items()}

    try:
        for client in group:
            client.__enter__()
        yield acknowledged
    finally:
        for client in group:
            client.__exit__()
    for client in group:
        wrong = [error for error in client.refused if not isinstance(error, UnavailableError)]
        assert not wrong, wrong


def prepare(house: Running) -> None:
    with house.door() as door:
        door.post("/members", {"name": "ann"})
        door.post("/categories", {"name": "Films", "points": WORTH})


def more_than(acknowledged: Callable[[], dict[str, int]], before: int) -> Callable[[], bool]:
    return lambda: len(acknowledged()) > before


def refused(door: Door, number: Iterator[int] = count()) -> str | None:  # noqa: B008 - new names at every call
    name = f"too much {next(number)}"
    try:
        door.send("/uploads", torrent_named(name), TORRENT, by="ann", category="Films")
    except UnavailableError as error:
        return str(error)
    return None


def everything_agrees(house: Running, acknowledged: dict[str, int]) -> None:
    """Each acknowledged upload is there once: in the list, the audit, the points and the live store."""
    until("all is ready again", house.ready)
    with house.door() as door:
        uploads = list(door.items("/uploads", 0))
        audited = [entry["target_id"] for entry in door.items("/audit", 0, action="upload.add")]
        balance = door.get("/members/ann")["points"]
        awards = [entry["upload_id"] for entry in door.items("/members/ann/points", 0)]
    names = Counter(upload["name"] for upload in uploads)
    assert set(names.values()) <= {1}
    ids = {upload["name"]: upload["id"] for upload in uploads}
    assert {name: ids.get(name) for name in acknowledged} == acknowledged
    assert sorted(map(int, audited)) == sorted(ids.values())
    assert sorted(awards) == sorted(ids.values())
    assert balance == WORTH * len(ids)
    wanted = {upload["info_hash_v1"]: upload["id"] for upload in uploads}
    until("the live store has followed", lambda: house.live_uploads() == wanted)
    passkeys = house.ask("KEYS", "t:user:*")
    assert len(passkeys) == 1


def has_new_process(house: Running, part: str, killed: int) -> bool:
    return house.pids.get(part, killed) != killed


def test_every_part_killed_ten_times_while_uploads_are_added() -> None:
    with running(rests=(0.05, 0.1)) as house:
        prepare(house)
        with adding(house) as acknowledged:
            for death in range(DEATHS):
                for part in PARTS:
                    done = len(acknowledged())
                    killed = house.signal(part, signal.SIGKILL)
                    until(f"{part} has a new process", partial(has_new_process, house, part, killed))
                    if part == PARTS[death % len(PARTS)]:
                        until("uploads are acknowledged again", more_than(acknowledged, done))
        everything_agrees(house, acknowledged())
        assert all(state.restarts >= DEATHS for state in house.parts.values())
        said = [line["event"] for line in house.log]
        assert sum("was killed by SIGKILL" in sentence for sentence in said) >= DEATHS * len(PARTS)
        assert any("is running again" in sentence for sentence in said)
        assert house.stop().code == 0


def test_while_the_live_store_is_away_writes_are_answered_and_the_doors_say_what_is_missing() -> None:
    with running(rests=(0.2, 0.2), changes=["live.wait=300ms"]) as house:
        prepare(house)
        with adding(house, clients=2) as acknowledged:
            until("uploads are added", more_than(acknowledged, 5))
            (passkey,) = [key.decode().rpartition(":")[2] for key in house.ask("KEYS", "t:user:*")]
            config = house.data / "live" / "valkey.conf"
            config.rename(config.with_suffix(".away"))  # so that it cannot be started again
            house.signal("live", signal.SIGKILL)
            until("readiness turns red", lambda: not house.ready())
            before = len(acknowledged())
            until("the records take writes alone", more_than(acknowledged, before + 1))
            with house.http() as http:
                told = http.get("/health/ready")
                listing = http.get("/api/v1/uploads")
                system = http.get("/api/v1/system")
            assert told.status_code == 503
            down = {check["name"]: check["detail"] for check in told.json()["checks"] if not check["ok"]}
            assert "live" in down
            assert "live store" in down["live"].lower()
            assert listing.status_code == 200
            assert system.json()["live"]["state"] == "away"
            assert b"failure reason" in house.announce(passkey, "0" * 40)
            config.with_suffix(".away").rename(config)
            until("readiness turns green by itself", house.ready)
        everything_agrees(house, acknowledged())
        # The tracker looks for its store by itself, and may find it a moment later than the web door.
        until("announces are judged", lambda: b"not in the catalogue" in house.announce(passkey, "0" * 40))


def test_a_live_store_that_hangs_for_some_seconds_is_waited_for_and_caught_up_with(house: Running) -> None:
    house.changes = ("live.wait=300ms",)
    house.start()
    prepare(house)
    with adding(house) as acknowledged:
        until("uploads are added", more_than(acknowledged, 5))
        house.signal("live", signal.SIGSTOP)
        try:
            until("readiness turns red", lambda: not house.ready())
            before = len(acknowledged())
            until("uploads are added all the same", more_than(acknowledged, before + 2))
        finally:
            house.signal("live", signal.SIGCONT)
        until("readiness turns green", house.ready)
    everything_agrees(house, acknowledged())
    assert house.parts["live"].restarts == 0
    assert house.stop().code == 0


@pytest.mark.parametrize("where", ["data", "live"])
def test_a_full_disk_loses_nothing_and_all_goes_on_when_there_is_room_again(
    house: Running, where: str, tmp_path: Path
) -> None:
    """The records refuse when theirs is full; the live store falls behind when only its own is."""
    place = house.data if where == "data" else house.data / "live"
    with small_disk(place, "140m"):
        house.rests = (0.1, 0.3)
        house.start()
        prepare(house)
        with adding(house, clients=2) as acknowledged:
            until("uploads are added", more_than(acknowledged, 3))
            ballast = fill(place)
            until("the system says that it is not well", lambda: not house.ready(), 20)
            before = len(acknowledged())
            if where == "live":
                until("the records take uploads alone", more_than(acknowledged, before + 2))
            else:
                with house.door() as door:
                    refusal = until("an upload is refused", partial(refused, door))
                assert "is full, so nothing was changed; free some space" in refusal
            ballast.unlink()
            before = len(acknowledged())
            until("uploads are added again", more_than(acknowledged, before + 3))
        everything_agrees(house, acknowledged())
        assert house.stop().code == 0


# Loaded by every process of a system before anything else: the clock on the wall, moved by a file.
MOVED_CLOCK = """
from pathlib import Path
from holdfast.clock import SystemClock
real = SystemClock.now
SystemClock.now = lambda self: real(self) + float(Path({file!r}).read_text())
"""


def test_a_wall_clock_that_jumps_days_ahead_and_back_disturbs_nothing(house: Running, tmp_path: Path) -> None:
    file = tmp_path / "moved by"
    file.write_text("0")
    (tmp_path / "sitecustomize.py").write_text(MOVED_CLOCK.format(file=str(file)))
    house.env = {"PYTHONPATH": f"{tmp_path}:{Path('src').absolute()}"}
    house.start()
    prepare(house)
    with adding(house) as acknowledged:
        for jump in (3 * 86400.0, -5 * 86400.0, 0.0):
            draft = tmp_path / "draft"
            draft.write_text(str(jump))
            draft.replace(file)  # at once, as a half-written file would be no time at all
            before = len(acknowledged())
            until("uploads are added", more_than(acknowledged, before + 10))
            until("it is well", house.ready)
    everything_agrees(house, acknowledged())
    with house.door() as door:
        created = [upload["created"] for upload in door.items("/uploads", 0)]
    assert max(created) - min(created) > 7 * 86400, "the jumps were seen"
    assert house.stop().code == 0
