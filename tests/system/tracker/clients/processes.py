"""Clients of other makes, from Debian's packages: a process each, asked over its own RPC."""

import base64
import json
import re
import shutil
import signal
import subprocess
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest

from holdfast.tracker import rules
from tests.servers import free_port
from tests.system.running import PATIENCE, until


def program(name: str, package: str) -> str:
    """The test is skipped, loudly, where it is not installed."""
    found = shutil.which(name)
    if found is None:
        pytest.skip(f"NOT TESTED: {name} is not installed (apt-get install {package})")
    return found


class Process:
    """A client's process, which can be killed without a word."""

    def __init__(self, argv: list[str], folder: Path) -> None:
        self.folder = folder
        with (folder / "log").open("ab") as log:
            self.process = subprocess.Popen(
                argv, cwd=folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log
            )
        self.http = httpx.Client(timeout=PATIENCE, trust_env=False)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def end(self) -> None:
        self.http.close()
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                self.kill()


class Transmission(Process):
    """Transmission's daemon with one torrent.

    It never connects to a loopback address by itself, but lets others in, and gives and takes as anywhere.
    It takes all that comes from one address for one peer, so each make of client has an address of its own.
    """

    def __init__(self, torrent: bytes, folder: Path, *, port: int = 0) -> None:
        place = folder.parent / f"{folder.name}.transmission"
        place.mkdir(exist_ok=True)
        self._port = free_port()
        settings = {
            "bind-address-ipv4": "127.0.0.2",
            "bind-address-ipv6": "::1",
            "dht-enabled": False,
            "lpd-enabled": False,
            "pex-enabled": False,
            "utp-enabled": False,
            "port-forwarding-enabled": False,
            "peer-port": port or free_port(),
            "rpc-bind-address": "127.0.0.1",
            "rpc-port": self._port,
            "rpc-authentication-required": False,
            "ratio-limit-enabled": False,
            "idle-seeding-limit-enabled": False,
            "cache-size-mb": 0,
        }
        (place / "settings.json").write_text(json.dumps(settings))
        argv = [program("transmission-daemon", "transmission-daemon"), "--foreground", "--log-info"]
        super().__init__([*argv, "--config-dir", str(place)], place)
        until("Transmission answers", self._answers)
        added = {"metainfo": base64.b64encode(torrent).decode(), "download-dir": str(folder)}
        [self.number] = [one["id"] for one in self.ask("torrent-add", added).values()]

    def _answers(self) -> bool:
        try:
            self.http.headers["X-Transmission-Session-Id"] = self.http.get(self._url).headers[
                "X-Transmission-Session-Id"
            ]
        except httpx.TransportError:
            assert self.process.poll() is None, (self.folder / "log").read_text()
            return False
        return True

    @property
    def _url(self) -> str:
        return f"http://127.0.0.1:{self._port}/transmission/rpc"

    def ask(self, method: str, arguments: dict[str, Any]) -> dict[str, Any]:
        answer = self.http.post(self._url, json={"method": method, "arguments": arguments}).json()
        assert answer["result"] == "success", answer
        said: dict[str, Any] = answer["arguments"]
        return said

    def field(self, name: str) -> Any:
        return self.ask("torrent-get", {"ids": [self.number], "fields": [name]})["torrents"][0][name]

    def limit(self, rate: int) -> None:
        told = {"ids": [self.number], "uploadLimit": rate // 1000, "uploadLimited": rate > 0}
        self.ask("torrent-set", told)

    def share(self) -> float:
        return float(self.field("percentDone"))

    def moved(self) -> tuple[int, int]:
        return self.field("uploadedEver"), self.field("downloadedEver")

    def start(self) -> None:
        self.ask("torrent-start", {"ids": [self.number]})

    def stop(self) -> None:
        self.ask("torrent-stop", {"ids": [self.number]})
        until("it has stopped", lambda: self.field("status") == 0)

    @property
    def trouble(self) -> list[str]:
        """What the tracker said last, if that was a refusal; not of UDP, where it sends no passkey."""
        said = [
            one["lastAnnounceResult"]
            for one in self.field("trackerStats")
            if one["hasAnnounced"] and not one["lastAnnounceSucceeded"]
        ]
        return [each for each in said if each != rules.no_passkey().reason]


class Aria2(Process):
    """aria2 with one torrent; it asks for peers every second."""

    def __init__(self, torrent: bytes, folder: Path, *, port: int = 0) -> None:
        place = folder.parent / f"{folder.name}.aria2"
        place.mkdir(exist_ok=True)
        folder.mkdir(exist_ok=True)
        self._port, self.port = free_port(), port or free_port()
        self._log = place / f"{self._port}.log"
        options = {
            "no-conf": "true",
            "enable-rpc": "true",
            "rpc-listen-port": self._port,
            "listen-port": self.port,
            "interface": "127.0.0.3",
            "disable-ipv6": "true",
            "enable-dht": "false",
            "enable-dht6": "false",
            "enable-peer-exchange": "false",
            "bt-enable-lpd": "false",
            "bt-tracker-interval": 1,
            "bt-request-peer-speed-limit": "1",
            "check-integrity": "true",
            "seed-ratio": "0.0",
            "file-allocation": "none",
            "log": self._log,
            "log-level": "info",
            "dir": folder,
        }
        argv = [program("aria2c", "aria2"), *(f"--{name}={value}" for name, value in options.items())]
        super().__init__(argv, place)
        until("aria2 answers", self._answers)
        self.number = self.ask("addTorrent", base64.b64encode(torrent).decode())

    def _answers(self) -> bool:
        try:
            self.ask("getVersion")
        except httpx.TransportError:
            assert self.process.poll() is None, (self.folder / "log").read_text()
            return False
        return True

    def ask(self, method: str, *arguments: Any) -> Any:
        asked = {"jsonrpc": "2.0", "id": "1", "method": f"aria2.{method}", "params": arguments}
        answer = self.http.post(f"http://127.0.0.1:{self._port}/jsonrpc", json=asked).json()
        assert "error" not in answer, answer
        return answer["result"]

    def field(self, name: str) -> Any:
        return self.ask("tellStatus", self.number, [name]).get(name)

    def limit(self, rate: int) -> None:
        self.ask("changeOption", self.number, {"max-upload-limit": str(rate)})

    def share(self) -> float:
        return int(self.field("completedLength")) / max(1, int(self.field("totalLength")))

    def announced(self) -> list[dict[str, str]]:
        """Its announces as its own log has them."""
        found = re.findall(r"GET (/\S+/announce\?\S+) HTTP", self._log.read_text(errors="replace"))
        return [
            {name: said for name, [said] in parse_qs(urlsplit(each).query, encoding="latin-1").items()}
            for each in found
        ]

    def moved(self) -> tuple[int, int]:
        """As it told it last: its RPC leaves out what it has of blocks that are not whole."""
        *_, last = [{"uploaded": "0", "downloaded": "0"}, *self.announced()]
        return int(last["uploaded"]), int(last["downloaded"])

    def start(self) -> None:
        self.ask("unpause", self.number)

    def stop(self) -> None:
        self.ask("pause", self.number)
        until("it has paused", lambda: self.field("status") == "paused")

    @property
    def trouble(self) -> list[str]:
        said = [self.field("errorMessage")]
        return [each for each in said if each]
