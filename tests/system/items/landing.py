"""Places to which volunteers upload: a web server that takes files, and Debian's rsync as it is installed."""

import os
import shutil
import socket
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tests.system.items.clients import free_port
from tests.system.running import until

RSYNC = """\
use chroot = no
uid = {uid}
gid = {gid}
pid file = {folder}/pid
lock file = {folder}/lock
[in]
path = {folder}/in
read only = no
"""


class Landing(ThreadingHTTPServer):
    """A web server that remembers what was put there."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Put)
        self.found: dict[str, bytes] = {}

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class _Put(BaseHTTPRequestHandler):
    server: Landing

    def do_PUT(self) -> None:
        self.server.found[self.path] = self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(201)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def web_landing() -> Iterator[Landing]:
    with Landing() as landing:
        serving = threading.Thread(target=landing.serve_forever)
        serving.start()
        try:
            yield landing
        finally:
            landing.shutdown()
            serving.join()


@contextmanager
def rsync_landing(folder: Path) -> Iterator[tuple[str, Path]]:
    """The address, and where what is brought there lies."""
    rsync = shutil.which("rsync")
    if rsync is None:
        pytest.skip("NOT TESTED: rsync is not installed; `apt-get install rsync` does that")
    (folder / "in").mkdir()
    settings = folder / "rsyncd.conf"
    settings.write_text(RSYNC.format(folder=folder, uid=os.getuid(), gid=os.getgid()))
    port = free_port()
    daemon = subprocess.Popen(
        [rsync, "--daemon", "--no-detach", "--address=127.0.0.1", f"--port={port}", f"--config={settings}"]
    )
    try:
        until("rsync listens", lambda: _listens(port))
        yield f"rsync://127.0.0.1:{port}/in", folder / "in"
    finally:
        daemon.terminate()
        daemon.wait()


def _listens(port: int) -> bool:
    with socket.socket() as tried:
        return tried.connect_ex(("127.0.0.1", port)) == 0
