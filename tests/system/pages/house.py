"""A whole Holdfast for tests of the pages, started by `holdfast up` as anybody starts it."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import hiredis
import httpx
import libtorrent

NAME = "marisol"
PASSWORD = "correct horse battery"
PATIENCE = 60.0  # for a start on a busy machine; nothing is measured by it
LINK = re.compile(r"http\S+/welcome#\S+")


@dataclass
class House:
    """A running system: where it is, and the link that its first operator comes in by."""

    folder: Path
    web: str = "127.0.0.1:0"
    url: str = ""
    tracker: str = ""
    link: str = ""
    token: str = ""
    _live: str = field(default="", repr=False)
    _process: subprocess.Popen[bytes] | None = field(default=None, repr=False)

    @property
    def output(self) -> Path:
        return self.folder / "output.txt"

    def start(self) -> None:
        data = self.folder / "data"
        (data / "run.json").unlink(missing_ok=True)
        command = [sys.executable, "-m", "holdfast", "up", "--data", str(data), "--web", self.web]
        with self.output.open("wb") as output:
            self._process = subprocess.Popen(
                [*command, "--tracker", "127.0.0.1:0"],
                stdout=output,
                stderr=subprocess.STDOUT,
                stdin=subprocess.DEVNULL,
                env={**os.environ, "HOLDFAST_COMMUNITY": "The Tidewater Archive"},
            )
        self._wait()
        run = json.loads((data / "run.json").read_text())
        self.url, self.tracker, self.token = run["web"], run["tracker"], run["token"]
        self._live = run["live"]
        self.web = self.url.removeprefix("http://")
        found = LINK.search(self.output.read_text())
        self.link = found[0] if found else ""

    def _wait(self) -> None:
        give_up = time.monotonic() + PATIENCE
        while "Holdfast is up." not in self.output.read_text():
            assert self._process is not None
            assert self._process.poll() is None, self.output.read_text()
            assert time.monotonic() < give_up, self.output.read_text()
            time.sleep(0.05)
        while "data folder" not in self.output.read_text():
            time.sleep(0.05)
        time.sleep(0.1)  # the link stands in the same table, a line below

    def stop(self) -> None:
        if self._process is None:
            return
        self._process.send_signal(signal.SIGTERM)
        try:
            self._process.wait(30)
        except subprocess.TimeoutExpired:
            self._process.kill()
            raise
        finally:
            self._process = None

    def ask(self, method: str, path: str, **more: Any) -> Any:
        """The API, as the command line speaks to it."""
        headers = {"Authorization": f"Bearer {self.token}", **more.pop("headers", {})}
        answer = httpx.request(method, f"{self.url}/api/v1{path}", headers=headers, timeout=30, **more)
        assert answer.is_success, f"{method} {path}: {answer.status_code} {answer.text}"
        return answer.json() if answer.content else None

    def first_operator(self) -> None:
        token = self.link.partition("#")[2]
        self.ask("POST", "/session/link", json={"token": token, "name": NAME, "password": PASSWORD})

    def member(self, name: str, *roles: str) -> dict[str, Any]:
        made: dict[str, Any] = self.ask("POST", "/members", json={"name": name, "roles": ["member", *roles]})
        return made

    def link_for(self, name: str) -> str:
        return str(self.ask("POST", f"/members/{name}/link")["sign_in_link"])

    def upload(self, name: str, files: dict[str, int] | None = None, by: str = NAME) -> dict[str, Any]:
        made: dict[str, Any] = self.ask(
            "POST",
            "/uploads",
            params={"by": by, "category": self.category},
            content=torrent(name, files),
            headers={"Content-Type": "application/x-bittorrent"},
        )
        return made

    def announce(self, made: dict[str, Any], passkey: str, peer: int = 1, **fields: Any) -> None:
        """As a BitTorrent client does it: Transmission, that has everything unless told otherwise."""
        said = {
            "info_hash": bytes.fromhex(made["info_hash_v1"]),
            "peer_id": b"-TR4060-%012d" % peer,
            "port": 20_000 + peer,
            "uploaded": 0,
            "downloaded": 0,
            "left": 0,
            "event": "started",
        } | fields
        query = urlencode(said)
        answer = httpx.get(f"{self.tracker}/{passkey}/announce?{query}", timeout=30)
        assert b"failure reason" not in answer.content, answer.content

    def project(self, slug: str, title: str, *items: str) -> None:
        """A project that gives out these items."""
        self.ask("POST", "/projects", json={"slug": slug, "title": title})
        self.ask("PATCH", f"/projects/{slug}", json={"state": "active"})
        if items:
            self.ask("POST", f"/projects/{slug}/items", json={"items": list(items)})
        give_up = time.monotonic() + PATIENCE
        while self.volunteer(slug, "nobody", "release", items=[]).status_code == httpx.codes.NOT_FOUND:
            assert time.monotonic() < give_up, "the project is not served"
            time.sleep(0.05)

    def volunteer(self, slug: str, name: str, command: str, **said: Any) -> httpx.Response:
        """What a volunteer's client sends."""
        body = json.dumps({"downloader": name, "version": "20261101.01"} | said)
        agent = {"User-Agent": "ArchiveTeam Warrior/0.10.3 Standalone"}
        return httpx.post(f"{self.url}/{slug}/{command}", content=body, headers=agent, timeout=30)

    def done(self, slug: str, name: str, *items: str, **said: Any) -> None:
        for item in items:
            answer = self.volunteer(slug, name, "done", item=item, **{"bytes": {"web": 1000}, **said})
            assert answer.text == "OK", answer.text

    def until_counted(self, name: str, items: int) -> None:
        """Reports reach the records a moment after they came in."""
        give_up = time.monotonic() + PATIENCE
        while True:
            answer = httpx.get(f"{self.url}/api/v1/volunteers/{name}", timeout=30)
            if answer.is_success and answer.json()["items"] >= items:
                return
            assert time.monotonic() < give_up, answer.text
            time.sleep(0.05)

    def live(self, *words: str | int) -> Any:
        """One command to the live store, past everything that is ours."""
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(PATIENCE)
            connection.connect(self._live.removeprefix("embedded, "))
            connection.sendall(hiredis.pack_command(words))  # type: ignore[arg-type]
            reader = hiredis.Reader()
            while (reply := reader.gets()) is False:
                reader.feed(connection.recv(1 << 16))
            return reply

    def passkey(self, name: str) -> str:
        return str(self.ask("GET", f"/members/{name}/passkey")["passkey"])

    @property
    def category(self) -> str:
        return str(self.ask("GET", "/categories")["items"][0]["name"])


def torrent(name: str, files: dict[str, int] | None = None) -> bytes:
    """A private v1 torrent of zeroes; only its shape matters here."""
    sizes = files or {"": 50_000}
    piece = 16_384
    pieces = -(-sum(sizes.values()) // piece)
    info: dict[Any, Any] = {
        b"name": name.encode(),
        b"piece length": piece,
        b"pieces": b"\0" * 20 * pieces,
        b"private": 1,
    }
    if files:
        info[b"files"] = [
            {b"path": [part.encode() for part in path.split("/")], b"length": size}
            for path, size in files.items()
        ]
    else:
        info[b"length"] = sizes[""]
    whole: dict[Any, Any] = {b"info": info}
    return libtorrent.bencode(whole)
