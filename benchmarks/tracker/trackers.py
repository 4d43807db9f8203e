"""The trackers that are measured: each is started here on a port of its own, and stopped in the end."""

import os
import shutil
import site
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

import uvloop
from benchmarks.tracker.crowd import Crowd
from tests.servers import RunningServer, embedded_valkey, free_port

from holdfast.catalogue.keys import INFO_HASH, USER, WHITELIST
from holdfast.clock import SystemClock
from holdfast.store.live import Command, Layout, open_live
from holdfast.store.live.embedded import MEBIBYTE
from holdfast.tracker.keys import TORRENT

HERE = Path(__file__).parent
SERVER_CORE, LOAD_CORE = 0, 1
START_SECONDS = 20.0
PACKAGES = os.pathsep.join([str(HERE.parents[1] / "src"), *site.getsitepackages()])
PATH, OURS = "/announce", "/{passkey}/announce"
# All is switched on but the limit on how often a client may ask, or nobody would be given peers under load.
SETTINGS = (
    "tracker.min_interval=0s",
    "tracker.download_slots=10000",
    "catalogue.require_whitelist=true",
    "logs.level=warning",
)
CLIENTS = ("-TR", "-qB", "-DE", "-lt", "-UT")
GREETING = f"GET /{{passkey}}/scrape?info_hash={'x' * 20} HTTP/1.1\r\n\r\n"
HALF_PRICE_EVERY = 10
WRITTEN_AT_ONCE = 1000
# The system gives each connection to any worker.
MEETINGS = 4


class NotHereError(Exception):
    """This tracker cannot be measured on this machine; says why."""


@dataclass
class Pace:
    """How many announces were made: the load goes on from there, so that no count ever falls."""

    asked: int = 0


@dataclass
class Tracker:
    """One that runs. `pids` are the processes whose CPU its announces cost, by what they do."""

    name: str
    port: int
    path: str = PATH
    host: str = "127.0.0.1"
    pids: dict[str, list[int]] = field(default_factory=dict)
    udp: bool = True
    pace: Pace = field(default_factory=Pace)

    def cpu(self) -> dict[str, float]:
        return {role: sum(map(cpu, pids)) for role, pids in self.pids.items()}


def cpu(pid: int) -> float:
    """Seconds that a process has worked, every thread counted, by the scheduler's own clock."""
    tasks = Path(f"/proc/{pid}/task").iterdir()
    return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks) / 1e9


def resident(pid: int) -> float:
    """MiB."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE") / MEBIBYTE


@contextmanager
def floor(program: Path) -> Iterator[Tracker]:
    port = free_port()
    with _running([str(program), str(port)], port) as pid:
        yield Tracker("C constant", port, pids={"worker": [pid]}, udp=False)


@contextmanager
def opentracker(crowd: Crowd, folder: Path) -> Iterator[Tracker]:
    program = shutil.which("opentracker")
    if program is None:
        raise NotHereError("opentracker is not installed (apt-get install opentracker)")
    port = free_port()
    folder.mkdir()
    folder.chmod(0o755)
    (folder / "whitelist").write_text("".join(f"{ih.hex()}\n" for _, ih in crowd.uploads()))
    argv = [program, "-i", "127.0.0.1", "-p", str(port), "-P", str(port), "-w", "/whitelist"]
    with _running([*argv, "-d", str(folder)], port) as pid:
        yield Tracker("opentracker", port, pids={"worker": [pid]})


@contextmanager
def javascript(folder: Path) -> Iterator[Tracker]:
    """The npm package, fetched into the folder; its scripts would build what no tracker needs."""
    if shutil.which("npm") is None:
        raise NotHereError("npm is not installed")
    fetch = [
        "npm",
        "install",
        "--ignore-scripts",
        "--no-audit",
        "--no-fund",
        "--silent",
        "bittorrent-tracker",
    ]
    folder.mkdir()
    fetched = subprocess.run([*fetch, "--prefix", str(folder)], capture_output=True, text=True, check=False)
    if fetched.returncode:
        raise NotHereError(f"npm could not fetch bittorrent-tracker: {fetched.stderr.strip()[-200:]}")
    port = free_port()
    program = str(shutil.copy(HERE / "javascript.mjs", folder))
    with _running(["node", program, str(port)], port) as pid:
        yield Tracker("bittorrent-tracker", port, pids={"worker": [pid]})


def elsewhere(url: str) -> Tracker:
    """Any other, by its announce address; what it costs there cannot be seen from here."""
    parts = urlsplit(url)
    if not parts.hostname:
        raise NotHereError(f"{url} is no address; write it as http://HOST:PORT/announce")
    host = socket.gethostbyname(parts.hostname)
    return Tracker(url, parts.port or 80, parts.path or PATH, host, udp=False)


@contextmanager
def store(folder: Path) -> Iterator[RunningServer]:
    """The live store as `holdfast up` runs it."""
    folder.mkdir()
    with embedded_valkey(folder, max_memory=4096 * MEBIBYTE) as server:
        yield server


@contextmanager
def holdfast(*crowds: Crowd, folder: Path) -> Iterator[Tracker]:
    """Ours, with a store of its own, in which the crowds are known."""
    with store(folder) as server:
        for crowd in crowds:
            register(server, crowd)
        with worker(server, folder) as tracker:
            for crowd in crowds:
                introduce(tracker, crowd)
            yield tracker


def introduce(tracker: Tracker, crowd: Crowd, workers: int = 1) -> None:
    """Each worker meets the members one by one: many strangers at once from one address would be guessers."""
    for _ in range(1 if workers == 1 else workers * MEETINGS):
        with socket.create_connection((tracker.host, tracker.port)) as connection:
            for _, passkey in crowd.members():
                connection.sendall(GREETING.format(passkey=passkey).encode())
                connection.recv(4096)


@contextmanager
def worker(
    server: RunningServer,
    folder: Path,
    workers: int = 1,
    pace: Pace | None = None,
    python: str = sys.executable,
) -> Iterator[Tracker]:
    """One or more workers that share a port, each on its core; another Python is lent our packages."""
    port = free_port()
    with ExitStack() as stack:
        pids = []
        for core in range(workers):
            sockets = stack.enter_context(_shared(port))
            handed = ",".join(f"{name}={each.fileno()}" for name, each in sockets.items())
            changes = [f"--set={change}" for change in (*SETTINGS, f"live.address={server.address}")]
            argv = [python, "-m", "holdfast.run", "tracker", "--data", str(folder), *changes]
            environment = {**os.environ, "HOLDFAST_SOCKETS": handed, "PYTHONPATH": PACKAGES}
            descriptors = [each.fileno() for each in sockets.values()]
            pids.append(
                stack.enter_context(_running(argv, port, core, env=environment, pass_fds=descriptors))
            )
        name = "Holdfast" + (f", {workers} workers" if workers > 1 else "")
        name += f", {python}" if python != sys.executable else ""
        yield Tracker(name, port, OURS, pids={"worker": pids, "Valkey": [server.pid]}, pace=pace or Pace())


@contextmanager
def _shared(port: int) -> Iterator[dict[str, socket.socket]]:
    """Sockets of one worker, on a port that the next may share."""
    with socket.socket() as listener, socket.socket(type=socket.SOCK_DGRAM) as datagrams:
        for each in (listener, datagrams):
            each.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
            each.bind(("127.0.0.1", port))
        listener.listen(4096)
        yield {"tracker": listener, "tracker.udp": datagrams}


def register(server: RunningServer, crowd: Crowd) -> None:
    """Members, uploads and clients, as the catalogue names them; some uploads at half price."""
    commands: list[Command] = [
        ("HSET", WHITELIST.name(Layout.CLASSIC), *(word for each in CLIENTS for word in (each, "known")))
    ]
    for user, passkey in crowd.members():
        commands.append(("HSET", USER.name(Layout.CLASSIC, passkey=passkey), "user_id", user))
    for torrent, ih in crowd.uploads():
        commands.append(("SET", INFO_HASH.name(Layout.CLASSIC, info_hash=ih.hex()), torrent))
        if torrent % HALF_PRICE_EVERY == 0:
            key = TORRENT.name(Layout.CLASSIC, info_hash=ih.hex())
            commands.append(("HSET", key, "multi_dn", "0.5"))
    uvloop.run(_write(server, commands))


async def _write(server: RunningServer, commands: list[Command]) -> None:
    async with open_live(server.address, clock=SystemClock()) as live:
        for first in range(0, len(commands), WRITTEN_AT_ONCE):
            await live.batch(commands[first : first + WRITTEN_AT_ONCE])


@contextmanager
def _running(
    argv: Sequence[str],
    port: int,
    core: int = SERVER_CORE,
    env: dict[str, str] | None = None,
    pass_fds: Sequence[int] = (),
) -> Iterator[int]:
    process = subprocess.Popen(["taskset", "-c", str(core), *argv], env=env, pass_fds=pass_fds)
    try:
        give_up = time.monotonic() + START_SECONDS
        while not listens(port):
            if process.poll() is not None or time.monotonic() > give_up:
                raise NotHereError(f"{argv[0]} did not start")
            time.sleep(0.02)
        yield process.pid
    finally:
        process.terminate()
        process.wait()


def listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
