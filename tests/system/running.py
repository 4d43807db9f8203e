"""A real `holdfast up` for tests: started as a process of its own in a folder of its own, and ended whole."""

import json
import os
import signal
import socket
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import hiredis
import httpx
import pytest

from holdfast.client import Door, Place
from holdfast.runfile import Run, read_run
from holdfast.supervise.folder import PARTS_LOCK, read_parts
from holdfast.supervise.holders import who_holds_file
from holdfast.supervise.model import PartState
from tests.wire.torrents import one_file, torrent

PATIENCE = 60.0
"""For what processes do on a busy machine; nothing is measured by it."""
STOP_PROMISE = 10.0
"""What the supervisor promises, and so the only time that is judged."""
PARTS = ("live", "clerk", "tracker", "web")
FREE = ("--web", "127.0.0.1:0", "--tracker", "127.0.0.1:0")

# The parent's rests grow to half a minute; who kills a part ten times cannot wait for them.
IMPATIENT = (
    "import sys; from holdfast.supervise import rules;"
    "rules.FIRST_REST, rules.LONGEST_REST = {first}, {longest};"
    "from holdfast.up import main; sys.exit(main())"
)


@dataclass(frozen=True)
class Answer:
    """What a command did."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        assert self.code == 0, self.err
        return json.loads(self.out)

    @property
    def sentence(self) -> str:
        """What it said of its failure, which must be one line and no traceback."""
        assert self.code != 0, self.out
        *_, last = self.err.splitlines()
        assert last.startswith("holdfast: "), self.err
        assert "Traceback" not in self.err
        return last.removeprefix("holdfast: ")


def environment(**more: str) -> dict[str, str]:
    """Ours without what a developer has set for his own Holdfast or his terminal."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("HOLDFAST_") and name not in ("COLUMNS", "NO_COLOR", "FORCE_COLOR")
    }
    return kept | more


def command(
    *arguments: str | Path, env: Mapping[str, str] | None = None, cwd: Path | None = None, given: str = ""
) -> Answer:
    """Run `holdfast …` to its end."""
    ended = subprocess.run(
        [sys.executable, "-m", "holdfast", *map(str, arguments)],
        env=environment(**(env or {})),
        cwd=cwd,
        input=given,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    return Answer(ended.returncode, ended.stdout, ended.stderr)


def until(what: str, condition: Callable[[], Any], patience: float = PATIENCE) -> Any:
    """Wait for what no call announces; answers what the condition found."""
    give_up = time.monotonic() + patience
    while not (found := condition()):
        assert time.monotonic() < give_up, f"waited in vain: {what}"
        time.sleep(0.02)
    return found


def alive(pid: int) -> bool:
    """Whether a process still runs; a dead one that nobody has collected does not."""
    try:
        status = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return status.rpartition(")")[2].split()[0] != "Z"


@dataclass
class Running:
    """A system that runs in `data`, or one that has run there and can be started again."""

    data: Path
    arguments: tuple[str, ...] = FREE
    env: Mapping[str, str] = field(default_factory=dict)
    rests: tuple[float, float] | None = None
    """The first and the longest rest before a part is started again; None: as people have it."""
    changes: tuple[str, ...] = ()
    """Settings, as NAME=VALUE."""
    process: subprocess.Popen[bytes] | None = None

    @property
    def folder(self) -> Path:
        return self.data.parent

    def begin(self, output: int | None = None) -> None:
        """Start it, without waiting for anything."""
        assert self.process is None
        self.folder.mkdir(exist_ok=True, parents=True)
        with self._file("out").open("wb") as out, self._file("err").open("ab") as err:
            self.process = subprocess.Popen(
                self._argv(),
                stdout=out if output is None else output,
                stderr=err,
                stdin=subprocess.DEVNULL,
                env=environment(**self.env),
                start_new_session=True,
            )

    def start(self) -> "Running":
        self.begin()
        until("Holdfast is up", self._told)
        return self

    def ended(self, patience: float = PATIENCE) -> Answer:
        """How it ended by itself, or after it was told to."""
        assert self.process is not None
        code = self.process.wait(patience)
        self.process = None
        return Answer(code, self.out, self.err)

    def stop(self, number: signal.Signals = signal.SIGTERM) -> Answer:
        assert self.process is not None
        self.process.send_signal(number)
        return self.ended(STOP_PROMISE)

    def kill(self) -> None:
        """Kill the parent alone, as the system does when memory is short."""
        assert self.process is not None
        self.process.kill()
        self.process.wait()
        self.process = None

    @property
    def out(self) -> str:
        return self._file("out").read_text()

    @property
    def err(self) -> str:
        return self._file("err").read_text()

    @property
    def log(self) -> list[dict[str, Any]]:
        """The lines that the parent and the parts wrote, as the JSON that each must be."""
        return [json.loads(line) for line in self.err.splitlines() if line.startswith("{")]

    @property
    def run(self) -> Run:
        return read_run(self.data)

    @property
    def parts(self) -> dict[str, PartState]:
        return {state.name: state for state in read_parts(self.data)}

    @property
    def pids(self) -> dict[str, int]:
        return {name: state.pid for name, state in self.parts.items() if state.pid is not None}

    @property
    def left_running(self) -> list[int]:
        """Every process that has this run's lock open: the parent and all parts, wherever they came from."""
        return [pid for pid in who_holds_file(self.data / PARTS_LOCK) if alive(pid)]

    def signal(self, part: str, number: signal.Signals) -> int:
        """Send a signal to a part as soon as it runs; answers the process that got it."""
        pid: int = until(f"{part} runs", lambda: self.pids.get(part))
        os.kill(pid, number)
        return pid

    def cli(self, *arguments: str | Path, env: Mapping[str, str] | None = None) -> Answer:
        return command("--data", self.data, *arguments, env=env)

    @contextmanager
    def door(self) -> Iterator[Door]:
        run = self.run
        door = Door(Place(run.here, run.token))
        try:
            yield door
        finally:
            door.close()

    def http(self) -> httpx.Client:
        """The web door by hand, with the operator's token."""
        run = self.run
        headers = {"Authorization": f"Bearer {run.token}"}
        return httpx.Client(base_url=run.here, headers=headers, timeout=PATIENCE, trust_env=False)

    def ready(self) -> bool:
        """What a load balancer would be told."""
        try:
            return httpx.get(f"{self.run.here}/health/ready", timeout=PATIENCE, trust_env=False).is_success
        except httpx.TransportError:
            return False

    def ask(self, *words: str | int | bytes) -> Any:
        """One command to the live store, past everything that is ours."""
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(PATIENCE)
            connection.connect(self.run.live.removeprefix("embedded, "))
            connection.sendall(hiredis.pack_command(words))  # type: ignore[arg-type]
            reader = hiredis.Reader()
            while (reply := reader.gets()) is False:
                data = connection.recv(1 << 16)
                assert data, "the live store closed the connection"
                reader.feed(data)
            return reply

    def live_uploads(self) -> dict[str, int]:
        """What the tracker knows: info hash -> number of the upload."""
        keys = sorted(self.ask("KEYS", "t:info_hash:*"))
        values = self.ask("MGET", *keys) if keys else []
        return {key.decode().rpartition(":")[2]: int(value) for key, value in zip(keys, values, strict=True)}

    def announce(self, passkey: str, info_hash: str, *, left: int = 0, downloaded: int = 0) -> bytes:
        """What the tracker tells a BitTorrent client."""
        escaped = "".join(f"%{info_hash[at : at + 2]}" for at in range(0, 40, 2))
        client = f"peer_id=-TR4000-0123456789ab&port=6881&uploaded=0&downloaded={downloaded}&left={left}"
        asked = f"{self.run.tracker}/{passkey}/announce?info_hash={escaped}&{client}"
        return httpx.get(asked, timeout=PATIENCE, trust_env=False).content

    def end(self) -> None:
        """Leave nothing behind, whatever the test did."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None
        for pid in self.left_running:
            os.kill(pid, signal.SIGKILL)
        until("all that was started has ended", lambda: not self.left_running)

    def _argv(self) -> list[str]:
        changed = [f"--set={change}" for change in self.changes]
        if self.rests is None:
            general = ["--data", str(self.data), *changed]
            return [sys.executable, "-m", "holdfast", *general, "up", *self.arguments]
        free = ["--set=web.listen=127.0.0.1:0", "--set=tracker.listen=127.0.0.1:0"]
        program = IMPATIENT.format(first=self.rests[0], longest=self.rests[1])
        return [sys.executable, "-c", program, "--data", str(self.data), *free, *changed]

    def _told(self) -> bool:
        assert self.process is not None
        assert self.process.poll() is None, f"it ended:\n{self.out}{self.err}"
        return "data folder" in self.out and self.out.endswith("\n\n")

    def _file(self, name: str) -> Path:
        return self.folder / f"{self.data.name}.{name}"


@contextmanager
def running(
    data: Path | None = None,
    *,
    arguments: Sequence[str] = FREE,
    env: Mapping[str, str] | None = None,
    rests: tuple[float, float] | None = None,
    changes: Sequence[str] = (),
    start: bool = True,
) -> Iterator[Running]:
    """A system in a folder that is removed in the end, or in `data`."""
    with TemporaryDirectory(prefix="hf-", ignore_cleanup_errors=True) as own:
        one = Running(data or Path(own, "data"), tuple(arguments), dict(env or {}), rests, tuple(changes))
        try:
            yield one.start() if start else one
        finally:
            one.end()


@contextmanager
def small_disk(place: Path, size: str, *, read_only: bool = False) -> Iterator[Path]:
    """A disk of its own at the place; the test is skipped, loudly, where nobody may mount one."""
    place.mkdir(parents=True, exist_ok=True)
    options = f"size={size},mode=0700" + (",ro" if read_only else "")
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", options, "holdfast-test", str(place)], capture_output=True, check=False
    )
    if mounted.returncode != 0:
        pytest.skip("NOT TESTED: only root where mounting is allowed can make a small disk to fill")
    try:
        yield place
    finally:
        subprocess.run(["umount", "--lazy", str(place)], check=True)


def fill(place: Path) -> Path:
    """Take all the space that is left; removing the file gives it back."""
    ballast = place / "ballast"
    with ballast.open("wb", buffering=0) as file:
        for block in (bytes(1 << 20), bytes(4096)):
            with suppress(OSError):
                while file.write(block):
                    pass
    return ballast


def torrent_named(name: str) -> bytes:
    """A small private torrent, whose hash is its name's own."""
    return torrent(one_file(name.encode(), 100, private=1))


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)
