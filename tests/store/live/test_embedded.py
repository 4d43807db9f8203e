"""What the embedded server is started with, and what its end is explained by."""

import os
import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.errors import UnavailableError
from holdfast.store.live.address import LiveAddress
from holdfast.store.live.embedded import LONGEST_SOCKET_PATH, EmbeddedServer, _quoted, _unquoted


def test_the_configuration_is_private_and_says_what_was_asked_for(tmp_path: Path) -> None:
    server = EmbeddedServer(tmp_path, max_memory=1234, fsync="always", notifications="Kx$g")
    server.prepare()
    assert stat.S_IMODE(server.config_path.stat().st_mode) == 0o600
    assert stat.S_IMODE(server.folder.stat().st_mode) == 0o700
    lines = server.config_path.read_text().splitlines()
    for line in (
        "port 0",
        "unixsocketperm 700",
        "maxmemory 1234",
        "maxmemory-policy noeviction",
        'notify-keyspace-events "Kx$g"',
        "appendonly yes",
        "appendfsync always",
        "aof-load-truncated yes",
        f'dir "{server.folder}"',
    ):
        assert line in lines


def test_the_address_is_that_of_the_socket(tmp_path: Path) -> None:
    server = EmbeddedServer(tmp_path / "a b%é")
    assert LiveAddress.parse(server.address).endpoints[0].path == str(server.socket_path)


@given(st.integers(1, 250))
def test_the_socket_lies_within_unless_its_path_would_be_too_long(length: int) -> None:
    server = EmbeddedServer(Path("/" + "d" * length))
    inside = server.folder / "valkey.sock"
    if len(os.fsencode(inside)) <= LONGEST_SOCKET_PATH:
        assert server.socket_path == inside
    else:
        assert len(os.fsencode(server.socket_path)) <= LONGEST_SOCKET_PATH
        assert server.socket_path != EmbeddedServer(Path("/" + "d" * (length + 1))).socket_path


@given(st.binary(min_size=1, max_size=20).filter(lambda name: b"\0" not in name))
def test_any_path_survives_the_configuration(name: bytes) -> None:
    path = Path(os.fsdecode(b"/x/" + name))
    written = _quoted(path)
    assert written.isascii()
    assert '"' not in written[1:-1]
    assert _unquoted(written) == str(path)


def test_preparing_twice_changes_nothing(tmp_path: Path) -> None:
    server = EmbeddedServer(tmp_path)
    server.prepare()
    (server.folder / "valkey.pid").write_text(f"{os.getpid()}\n")
    before = server.config_path.read_bytes()
    server.prepare()
    assert server.config_path.read_bytes() == before
    assert not server.pid_path.exists(), "that process runs something else"


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "live").write_text("a file")
    with pytest.raises(UnavailableError, match="cannot keep its data in"):
        EmbeddedServer(tmp_path).prepare()


def test_only_the_allocator_that_was_asked_for_is_loaded(tmp_path: Path) -> None:
    assert EmbeddedServer(tmp_path, preload=None).environment() == {}
    assert EmbeddedServer(tmp_path, preload="/x/lib.so").environment() == {"LD_PRELOAD": "/x/lib.so"}


@pytest.mark.parametrize(
    ("output", "words"),
    [
        ("# Bad file format reading the append only file a: make a backup", "holdfast.store.live.mend"),
        ("write: No space left on device", "is full"),
        ("# Can't open the append-only file: Permission denied", "may not write"),
        ("# Can't handle RDB format version 99", "newer Valkey"),
        ("*** FATAL AOF MANIFEST FILE ERROR ***", "put back a backup"),
        ("# Unable to obtain the AOF file a length", "is missing"),
        ("1:M # starting\n1:M # something else\n", "ended: 1:M # something else"),
        ("", "it said nothing"),
    ],
)
def test_the_end_is_explained_in_one_sentence(tmp_path: Path, output: str, words: str) -> None:
    sentence = EmbeddedServer(tmp_path).explain(output)
    assert words in sentence
    assert "\n" not in sentence
