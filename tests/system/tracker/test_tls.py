"""The HTTP door under TLS: what holds for plain connections holds, and nobody waits for a handshake."""

import socket
import ssl
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import httpx
import pytest

from holdfast.certificate import Certificate
from holdfast.errors import Exit
from holdfast.tracker.connection import LONGEST_HEAD, SLOW
from tests.certificates import make_certificate
from tests.servers import RunningServer
from tests.system.running import running
from tests.system.tracker.ground import (
    ANN,
    PATIENCE,
    UPLOAD,
    Tracker,
    announce_target,
    body,
    one_answer,
    request,
    tracker,
    until,
    until_closed,
)


class Guarded:
    """A door that speaks TLS, and a client that knows its certificate."""

    def __init__(self, door: Tracker, folder: Path) -> None:
        self.door = door
        self.folder = folder

    def connect(self, **options: int) -> ssl.SSLSocket:
        context = ssl.create_default_context(cafile=self.folder / "server.pem")
        for name, value in options.items():
            setattr(context, name, value)
        return context.wrap_socket(self.door.connect(), server_hostname="127.0.0.1")

    def say(self, said: bytes) -> bytes:
        with self.connect() as connection:
            connection.sendall(said)
            return until_closed(connection)


@pytest.fixture
def guarded(live_server: RunningServer, tmp_path: Path) -> Iterator[Guarded]:
    certificate = Certificate(*make_certificate(tmp_path))
    with tracker(live_server, certificate=certificate) as door:
        yield Guarded(door, tmp_path)


def test_a_real_client_announces_over_https(guarded: Guarded) -> None:
    context = ssl.create_default_context(cafile=guarded.folder / "server.pem")
    with httpx.Client(verify=context, trust_env=False, timeout=PATIENCE) as client:
        for left in range(3):
            answer = client.get(f"https://127.0.0.1:{guarded.door.port}{announce_target(left=left)}")
            assert answer.status_code == 200
            assert b"8:complete" in answer.content


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
@pytest.mark.parametrize("many", [60, 150])
def test_one_connection_serves_many_requests_pipelined_ones_too(
    guarded: Guarded, version: ssl.TLSVersion, many: int
) -> None:
    """60 fill one record of TLS, twice what is read at once; 150 take several, sent without a rest."""
    with guarded.connect(minimum_version=version, maximum_version=version) as connection:
        connection.sendall(request(announce_target(numwant=0)) * many)
        rest = b""
        for _ in range(many):
            answer, rest = one_answer(connection, rest)
            assert body(answer)[b"complete"] == 1


def test_a_request_may_arrive_in_many_records(guarded: Guarded) -> None:
    with guarded.connect() as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for byte in request(announce_target()):
            connection.sendall(bytes([byte]))
        answer, _ = one_answer(connection)
    assert body(answer)[b"complete"] == 1


def test_a_connection_is_ended_as_tls_has_it(guarded: Guarded) -> None:
    with guarded.connect() as connection:
        connection.suppress_ragged_eofs = False  # type: ignore[attr-defined]
        connection.sendall(request(announce_target(), "Connection: close"))
        # Without a proper end this raises, for an answer could have been cut off.
        assert b"8:complete" in until_closed(connection)


def test_a_head_that_is_too_long_is_refused_and_the_refusal_can_be_read(guarded: Guarded) -> None:
    said = guarded.say(b"GET /" + b"a" * (5 * LONGEST_HEAD) + b" HTTP/1.1\r\n\r\n")
    assert said.startswith(b"HTTP/1.1 431 ")


def test_a_large_answer_passes_whole(guarded: Guarded) -> None:
    """Larger than the network takes at once while the client does not read."""
    with guarded.connect() as connection:
        connection.sendall(request("/x/scrape") * 20_000)
        rest = b""
        for _ in range(20_000):
            _, rest = one_answer(connection, rest)


def test_slow_handshakes_hold_nobody_up_and_end(guarded: Guarded) -> None:
    door = guarded.door
    with ExitStack() as stack:
        half = [stack.enter_context(door.connect()) for _ in range(200)]
        for connection in half:
            connection.sendall(b"\x16\x03\x01\x02")
        until("all are listened to", lambda: len(door.http.waiting) == 200)
        assert b"8:complete" in guarded.say(request(announce_target(), "Connection: close"))
        latest = max(each.deadline for each in door.http.waiting)
        door.clock.ahead += SLOW / 2
        for connection in half:
            connection.sendall(b"\x00")
        assert b"8:complete" in guarded.say(request(announce_target(), "Connection: close"))
        # One byte more does not buy more time.
        assert max(each.deadline for each in door.http.waiting) == latest
        door.clock.ahead += SLOW / 2 + 1
        for connection in half:
            assert until_closed(connection) == b""
    until("none is open", lambda: door.http.count == 0)
    assert door.crashes() == 0


@pytest.mark.parametrize(
    "said", [b"GET / HTTP/1.1\r\n\r\n", b"\x16\x03\x01\x00\x05hello", b"\x00" * 100, b""]
)
def test_what_is_no_tls_is_sent_away(guarded: Guarded, said: bytes) -> None:
    with guarded.door.connect() as connection:
        connection.sendall(said)
        with suppress(OSError):  # we may have been sent away already
            connection.shutdown(socket.SHUT_WR)
        with suppress(ConnectionResetError):
            assert b"HTTP" not in until_closed(connection)
    assert b"8:complete" in guarded.say(request(announce_target(), "Connection: close"))
    assert guarded.door.crashes() == 0


def test_a_renewed_certificate_is_shown_to_who_comes_next(guarded: Guarded) -> None:
    with guarded.connect() as early:
        old = early.getpeercert(binary_form=True)
        make_certificate(guarded.folder)

        def shown() -> bool:
            try:
                with guarded.connect() as late:
                    return late.getpeercert(binary_form=True) != old
            except ssl.SSLError:
                return False

        until("the new one is shown", shown)
        early.sendall(request(announce_target()))
        assert b"8:complete" in one_answer(early)[0]


def test_the_whole_house_announces_over_https_and_says_so(tmp_path: Path) -> None:
    file, key = make_certificate(tmp_path)
    changes = (f"tracker.tls_certificate={file}", f"tracker.tls_key={key}")
    with running(changes=changes) as house:
        assert house.run.tracker.startswith("https://127.0.0.1:")
        house.ask("HSET", f"t:user:{ANN}", "user_id", 1)
        house.ask("SET", f"t:info_hash:{UPLOAD.hex()}", 7)
        context = ssl.create_default_context(cafile=file)
        answer = httpx.get(house.run.tracker + announce_target(), verify=context, trust_env=False)
        assert b"8:complete" in answer.content
        assert "days more" in house.cli("--set", changes[0], "--set", changes[1], "doctor").out


def test_files_that_cannot_be_used_stop_the_start_with_a_sentence(tmp_path: Path) -> None:
    file, key = make_certificate(tmp_path)
    key.write_text("nonsense")
    changes = (f"tracker.tls_certificate={file}", f"tracker.tls_key={key}")
    with running(changes=changes, start=False) as house:
        house.begin()
        ended = house.ended()
        assert ended.code == Exit.SETTINGS
        assert "must be in PEM form" in ended.sentence
        doctor = house.cli("--set", changes[0], "--set", changes[1], "doctor")
        assert doctor.code == Exit.FINDINGS
        assert "must be in PEM form" in doctor.out.replace("\n", " ")
