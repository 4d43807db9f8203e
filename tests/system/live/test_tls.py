"""Behind TLS, with certificates made for the occasion: Debian's Redis speaks it, our own does not."""

import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from holdfast.clock import SystemClock
from holdfast.errors import SettingsError
from holdfast.store.live import LiveStore, LiveStoreAway, Message, Patience, open_live
from tests.servers import debian_redis, free_port
from tests.system.live.conftest import tell

BRIEF = Patience(wait=0.3, silence=1.0)


@dataclass(frozen=True)
class Guarded:
    """A server behind TLS, its certificate, and one that has nothing to do with it."""

    port: int
    ca: Path
    stranger: Path


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Guarded]:
    if shutil.which("openssl") is None:
        pytest.skip("NOT TESTED: openssl is not installed")
    folder = tmp_path_factory.mktemp("tls")
    for name in ("server", "stranger"):
        subject = ["-subj", f"/CN={name}", "-addext", "subjectAltName=IP:127.0.0.1"]
        files = ["-keyout", f"{folder}/{name}.key", "-out", f"{folder}/{name}.pem"]
        make = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "3650"]
        subprocess.run([*make, *files, *subject], check=True, capture_output=True)
    port = free_port()
    keys = ["--tls-cert-file", f"{folder}/server.pem", "--tls-key-file", f"{folder}/server.key"]
    trust = ["--tls-ca-cert-file", f"{folder}/server.pem", "--tls-auth-clients", "no"]
    with debian_redis("--tls-port", str(port), *keys, *trust):
        yield Guarded(port, folder / "server.pem", folder / "stranger.pem")


def test_calls_batches_and_messages_pass(guarded: Guarded) -> None:
    async def story(store: LiveStore) -> None:
        await store.call("SET", "huge", b"x" * 3_000_000)
        assert await store.batch([("STRLEN", "huge"), ("GET", "huge")]) == [3_000_000, b"x" * 3_000_000]
        async with store.subscribe(["c"]) as heard:
            await store.call("PUBLISH", "c", "x")
            assert await anext(heard) == Message("c", b"x")

    tell(f"rediss://127.0.0.1:{guarded.port}?ca={guarded.ca}", story)


def test_a_certificate_that_nobody_vouches_for_is_refused(guarded: Guarded) -> None:
    async def story(store: LiveStore) -> None:
        with pytest.raises(LiveStoreAway, match=r"CERTIFICATE_VERIFY_FAILED"):
            await store.call("PING")

    tell(f"rediss://127.0.0.1:{guarded.port}?ca={guarded.stranger}", story, patience=BRIEF)
    tell(f"rediss://127.0.0.1:{guarded.port}", story, patience=BRIEF)


def test_speaking_in_the_clear_to_tls_fails(guarded: Guarded) -> None:
    async def story(store: LiveStore) -> None:
        with pytest.raises(LiveStoreAway):
            await store.call("PING")

    tell(f"redis://127.0.0.1:{guarded.port}", story, patience=BRIEF)


def test_certificates_that_cannot_be_read_are_told_at_once(tmp_path: Path) -> None:
    (tmp_path / "empty.pem").write_text("nothing")
    for file in (tmp_path / "none.pem", tmp_path / "empty.pem"):
        with pytest.raises(SettingsError, match="cannot be read"):
            open_live("rediss://127.0.0.1:1", ca_file=file, clock=SystemClock())
