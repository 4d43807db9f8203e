"""Who holds a port or a file, as far as our rights let us see it (on Linux; elsewhere it is not known)."""

from collections.abc import Callable, Iterator
from pathlib import Path

PROC = Path("/proc")
TCP_LISTENING = "0A"


def who_holds_port(port: int, protocol: str) -> str | None:
    """A name and pid for the program bound to the port, such as `nginx (pid 123)`."""
    sockets = {f"socket:[{inode}]" for inode in _inodes(port, protocol)}
    if not sockets:
        return None
    pid = next(_pids(lambda target: target in sockets), None)
    return None if pid is None else f"{_name(pid)} (pid {pid})"


def who_holds_file(path: Path) -> list[int]:
    """The pids of all processes that have the file open."""
    wanted = str(path.resolve())
    return sorted(_pids(lambda target: target == wanted))


def _inodes(port: int, protocol: str) -> Iterator[str]:
    for table in (protocol, f"{protocol}6"):
        try:
            lines = (PROC / "net" / table).read_text().splitlines()[1:]
        except OSError:
            continue
        for line in lines:
            fields = line.split()
            listening = protocol == "udp" or fields[3] == TCP_LISTENING
            if listening and int(fields[1].rpartition(":")[2], 16) == port:
                yield fields[9]


def _pids(wanted: Callable[[str], bool]) -> Iterator[int]:
    if not PROC.is_dir():
        return
    for process in PROC.iterdir():
        if process.name.isdigit() and any(wanted(target) for target in _open_files(process)):
            yield int(process.name)


def _open_files(process: Path) -> Iterator[str]:
    try:
        for number in (process / "fd").iterdir():
            yield str(number.readlink())
    except OSError:
        return  # it ended meanwhile, or is none of ours to look into


def _name(pid: int) -> str:
    try:
        return (PROC / str(pid) / "comm").read_text().strip()
    except OSError:
        return "a program"
