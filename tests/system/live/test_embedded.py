"""The embedded server over its whole life: started, killed, left behind, damaged, out of disk."""

import asyncio
import os
import shutil
import signal
import stat
import subprocess
from contextlib import ExitStack
from pathlib import Path

import psutil
import pytest

from holdfast.errors import ConflictError
from holdfast.store.live import LiveStore, LiveStoreUnready, alarms
from holdfast.store.live.embedded import EmbeddedServer, allocator, binary
from holdfast.store.live.mend import mend
from tests.servers import RunningServer, embedded_valkey
from tests.system.live.conftest import tell


def begin(stack: ExitStack, embedded: EmbeddedServer, *, ready: bool = True) -> RunningServer:
    embedded.prepare()
    server = RunningServer(
        embedded.argv(), embedded.data_dir, str(embedded.socket_path), embedded.environment()
    )
    stack.callback(server.stop)
    server.start(ready=ready)
    return server


def fill(server: RunningServer, keys: int = 200) -> None:
    for number in range(keys):
        assert server.ask("SET", f"k{number}", "v" * 20) == b"OK"


def test_it_runs_well_with_no_port_and_a_socket_for_its_owner_only(stack: ExitStack, tmp_path: Path) -> None:
    embedded = EmbeddedServer(tmp_path, max_memory=64 * 2**20)
    server = begin(stack, embedded)

    async def story(store: LiveStore) -> None:
        health = await store.info()
        assert alarms(health, notifications_needed="Kx") == []
        assert (health.max_memory, health.servers[0].append_only) == (64 * 2**20, True)

    tell(embedded.address, story)
    assert psutil.Process(server.pid).net_connections("inet") == []
    assert stat.S_IMODE(embedded.socket_path.stat().st_mode) == 0o700


def test_a_deep_data_folder_gets_its_socket_elsewhere(stack: ExitStack, tmp_path: Path) -> None:
    embedded = EmbeddedServer(tmp_path / ("deep" * 20) / ("é" * 40))
    embedded.data_dir.mkdir(parents=True)
    begin(stack, embedded)
    stack.callback(shutil.rmtree, embedded.socket_path.parent)
    assert stat.S_IMODE(embedded.socket_path.parent.stat().st_mode) == 0o700

    async def story(store: LiveStore) -> None:
        assert await store.call("PING") == b"PONG"

    tell(embedded.address, story)


def test_it_starts_over_the_socket_and_pid_of_one_that_was_killed(stack: ExitStack, tmp_path: Path) -> None:
    embedded = EmbeddedServer(tmp_path, fsync="always")
    server = begin(stack, embedded)
    fill(server)
    server.kill()
    assert embedded.socket_path.exists()
    assert embedded.pid_path.exists()
    assert begin(stack, embedded).ask("DBSIZE") == 200


def test_one_that_was_left_behind_is_shut_down_cleanly_and_loses_nothing(
    stack: ExitStack, tmp_path: Path
) -> None:
    embedded = EmbeddedServer(tmp_path)
    left = begin(stack, embedded)
    fill(left)
    assert embedded.running()
    again = begin(stack, embedded)
    assert left.wait() == 0
    assert again.ask("DBSIZE") == 200
    again.stop()
    assert not embedded.end_leftover()
    assert not embedded.running()


def test_one_left_behind_under_another_folder_for_temporary_files_is_found(
    stack: ExitStack, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    embedded = EmbeddedServer(tmp_path / ("deep" * 20))
    embedded.data_dir.mkdir()
    left = begin(stack, embedded)
    stack.callback(shutil.rmtree, embedded.socket_path.parent)
    other = Path("/tmp") / f"hf-other-{os.getpid()}"
    other.mkdir()
    stack.callback(shutil.rmtree, other)
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(other))
    assert embedded.socket_path.is_relative_to(other)
    assert embedded.end_leftover()
    assert left.wait() == 0


def test_one_left_behind_that_hangs_is_named_and_not_doubled(
    stack: ExitStack, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("holdfast.store.live.embedded.GOODBYE", 0.1)
    embedded = EmbeddedServer(tmp_path)
    server = begin(stack, embedded)
    os.kill(server.pid, signal.SIGSTOP)
    stack.callback(os.kill, server.pid, signal.SIGCONT)
    with pytest.raises(ConflictError, match=f"end it with: kill {server.pid}"):
        embedded.prepare()


def test_a_file_cut_off_by_a_crash_is_read_up_to_there(stack: ExitStack, tmp_path: Path) -> None:
    embedded = EmbeddedServer(tmp_path, fsync="always")
    server = begin(stack, embedded)
    fill(server)
    server.kill()
    file = next((embedded.folder / "appendonlydir").glob("*.incr.aof"))
    os.truncate(file, file.stat().st_size - 7)
    assert begin(stack, embedded).ask("DBSIZE") == 199


def test_a_file_damaged_in_the_middle_is_explained_and_can_be_mended(
    stack: ExitStack, tmp_path: Path
) -> None:
    embedded = EmbeddedServer(tmp_path, fsync="always")
    server = begin(stack, embedded)
    fill(server)
    server.kill()
    file = next((embedded.folder / "appendonlydir").glob("*.incr.aof"))
    content = file.read_bytes()
    half = len(content) // 2
    file.write_bytes(content[:half] + b"\0" * 100 + content[half + 100 :])
    refused = begin(stack, embedded, ready=False)
    assert refused.wait() == 1
    sentence = embedded.explain(refused.log)
    assert "is damaged in the middle" in sentence
    assert f"python -m holdfast.store.live.mend {tmp_path}" in sentence
    [cut] = mend(tmp_path)
    assert cut.kept <= half
    assert 95 <= begin(stack, embedded).ask("DBSIZE") <= 101
    with pytest.raises(ConflictError, match="is running"):
        mend(tmp_path)


def test_a_missing_file_is_explained(stack: ExitStack, tmp_path: Path) -> None:
    embedded = EmbeddedServer(tmp_path, fsync="always")
    begin(stack, embedded).kill()
    next((embedded.folder / "appendonlydir").glob("*.incr.aof")).unlink()
    refused = begin(stack, embedded, ready=False)
    assert refused.wait() == 1
    assert "missing" in embedded.explain(refused.log)


def test_jemalloc_is_loaded_where_the_system_has_it(stack: ExitStack) -> None:
    if allocator() is None:
        pytest.skip("NOT TESTED: libjemalloc is not installed (apt-get install libjemalloc2)")
    fast, plain = stack.enter_context(embedded_valkey()), stack.enter_context(embedded_valkey(preload=None))
    assert "jemalloc" in Path(f"/proc/{fast.pid}/maps").read_text()
    assert "jemalloc" not in Path(f"/proc/{plain.pid}/maps").read_text()


@pytest.fixture
def cramped(stack: ExitStack, tmp_path: Path) -> RunningServer:
    """A server whose folder is a disk of 3 MB that only itself sees, with 1 MB of something else on it."""
    embedded = EmbeddedServer(tmp_path)
    embedded.prepare()
    outside = tmp_path / "outside.sock"
    config = tmp_path / "valkey.conf"
    config.write_text(embedded.config_path.read_text().replace(str(embedded.socket_path), str(outside)))
    mount = f"mount -t tmpfs -o size=3m none '{embedded.folder}'"
    alone = ["unshare", "--mount", "--map-root-user", "sh", "-c"]
    if subprocess.run([*alone, mount], capture_output=True, check=False).returncode:
        pytest.skip("NOT TESTED: this system lets nobody mount a small disk of his own (unshare)")
    fill_up = f"head -c 1000000 /dev/zero > '{embedded.folder}/other'"
    script = f"{mount} && {fill_up} && exec '{binary()}' '{config}'"
    server = RunningServer([*alone, script], tmp_path, str(outside), {})
    stack.callback(server.stop)
    server.start()
    return server


def test_a_full_disk_refuses_writes_with_a_sentence_and_heals(cramped: RunningServer, tmp_path: Path) -> None:
    async def fill(store: LiveStore) -> None:
        for _ in range(100):
            await store.call("SET", "k", b"x" * 100_000)

    async def story(store: LiveStore) -> None:
        with pytest.raises(LiveStoreUnready, match="cannot write to its disk"):
            await fill(store)
        assert await store.call("STRLEN", "k") == 100_000
        [alarm] = alarms(await store.info())
        assert "cannot keep its data: the last write to the append-only file failed" in alarm
        Path(f"/proc/{cramped.pid}/root{tmp_path}/live/other").unlink()  # noqa: ASYNC240 - at once
        while alarms(await store.info()):  # noqa: ASYNC110 - the server tries again once a second
            await asyncio.sleep(0.05)
        await store.call("SET", "k", "v")

    tell(cramped.address, story)
