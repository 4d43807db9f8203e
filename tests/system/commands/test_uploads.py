"""`holdfast upload` as a person types it, with good and bad files."""

import os
import pty
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from select import select
from time import monotonic

import pytest

from holdfast.errors import Exit
from holdfast.wire.metainfo import parse_torrent
from tests.system.running import PATIENCE, Answer, Running, environment, torrent_named
from tests.wire.torrents import one_file, torrent


def add(house: Running, path: Path, member: str, *more: str | Path) -> Answer:
    return house.cli("upload", "add", path, "--by", member, *more)


def test_a_folder_becomes_an_upload_whose_torrent_its_uploader_can_seed(
    house: Running, member: str, folder: Path, tmp_path: Path
) -> None:
    out = tmp_path / "mine.torrent"
    told = add(house, folder, member, "--out", out)
    assert told.code == 0, told.err
    assert f"Load {out} into {member}'s BitTorrent client" in told.err
    (upload,) = house.cli("upload", "list", "--uploader", member, "--json").json
    assert (upload["name"], upload["file_count"], upload["category"]["name"]) == (folder.name, 2, "General")
    content = out.read_bytes()
    made = parse_torrent(content, limit=len(content))
    assert made.private
    assert made.v1_hash is not None
    assert made.v1_hash.hex() == upload["info_hash_v1"]
    passkey = content.split(f"{house.run.tracker}/".encode())[1].split(b"/")[0].decode()
    assert house.announce(passkey, upload["info_hash_v1"]) != house.announce(passkey, "0" * 40)
    assert house.live_uploads()[upload["info_hash_v1"]] == upload["id"]


@pytest.mark.parametrize("version", ["v1", "v2", "hybrid"])
def test_a_torrent_is_made_for_the_clients_that_were_named(
    house: Running, member: str, folder: Path, version: str
) -> None:
    upload = add(house, folder, member, "--version", version, "--name", f"as {version}", "--json").json
    assert (upload["info_hash_v1"] is not None, upload["info_hash_v2"] is not None) == (
        version != "v2",
        version != "v1",
    )
    assert upload["name"] == f"as {version}"


def test_an_upload_is_shown_changed_fetched_and_removed(
    house: Running, member: str, folder: Path, tmp_path: Path
) -> None:
    upload = add(house, folder, member, "--json").json
    number = str(upload["id"])
    assert house.cli("upload", "show", number, "--json").json == upload
    assert f"upload       {folder.name} ({number})" in house.cli("upload", "show", number).out
    files = house.cli("upload", "files", number, "--json").json
    assert [one["path"] for one in files] == ["inner/two.txt", "one.txt"]
    assert "inner/two.txt" in house.cli("upload", "files", number).out

    assert house.cli("upload", "category", "Books", "--points", "4").code == 0
    books = [one for one in house.cli("upload", "categories", "--json").json if one["name"] == "Books"]
    assert [one["points"] for one in books] == [4]
    assert "Books" in house.cli("upload", "categories").out
    changed = house.cli("upload", "change", number, "--name", "Renamed", "--category", "Books", "--json").json
    assert (changed["name"], changed["category"]["name"]) == ("Renamed", "Books")
    assert "Renamed" in house.cli("upload", "list", "--category", "Books").out

    out = tmp_path / "again.torrent"
    assert house.cli("upload", "fetch", number, "--for", member, "--out", out).code == 0
    assert out.stat().st_size > 200

    removed = house.cli("upload", "remove", number, "--reason", "a test", "--json").json
    assert removed["removed"]["reason"] == "a test"
    assert upload["info_hash_v1"] not in house.live_uploads()
    assert "a test" in house.cli("upload", "show", number).out
    assert number in [str(one["id"]) for one in house.cli("upload", "list", "--removed", "--json").json]
    (notice, *_) = house.cli("notices", "--member", member, "--unread", "--json").json
    assert "Renamed" in notice["subject"] + notice["body"]
    assert "Renamed" in house.cli("notices", "--member", member).out
    assert house.cli("upload", "remove", number, "--reason", "again").code == Exit.CONFLICT


def test_a_ready_made_torrent_is_added_as_it_is(house: Running, member: str, tmp_path: Path) -> None:
    file = tmp_path / "made.torrent"
    file.write_bytes(torrent_named("made elsewhere"))
    assert add(house, file, member, "--json").json["name"] == "made elsewhere"
    again = add(house, file, member)
    assert again.code == Exit.CONFLICT
    assert "made elsewhere" in again.sentence


def test_two_processes_that_add_the_same_thing_make_one_upload(
    house: Running, member: str, folder: Path
) -> None:
    with ThreadPoolExecutor(2) as pool:
        answers = list(pool.map(lambda _: add(house, folder, member, "--json"), range(2)))
    done, refused = sorted(answers, key=lambda answer: answer.code)
    number = done.json["id"]
    assert refused.code == Exit.CONFLICT
    assert f"upload {number}" in refused.sentence
    assert [one["id"] for one in house.cli("upload", "list", "--uploader", member, "--json").json] == [number]


def test_bad_files_are_refused_in_a_sentence(house: Running, member: str, tmp_path: Path) -> None:
    public = torrent(one_file(b"public", 100))
    contents = {
        "empty": (b"", "byte"),
        "cut short": (torrent_named("cut")[:-20], "byte"),
        "no torrent": (b"hello", "byte"),
        "public": (public, "public"),
        "path traversal": (torrent(one_file(b"../../etc/passwd", 100, private=1)), "name"),
        "too long": (b"\0" * (33 << 20), "larger"),
    }
    for name, (content, word) in contents.items():
        file = tmp_path / f"{name}.torrent"
        file.write_bytes(content)
        answer = add(house, file, member)
        assert answer.code == Exit.USAGE, (name, answer.err)
        assert word in answer.sentence.lower(), (name, answer.sentence)
    assert house.cli("upload", "list", "--uploader", member, "--json").json == []


def test_what_no_torrent_could_be_is_not_even_read(house: Running, member: str, tmp_path: Path) -> None:
    file = tmp_path / "film.torrent"
    with file.open("wb") as sparse:
        sparse.truncate(5 << 30)
    answer = add(house, file, member)
    assert answer.code == Exit.USAGE
    assert "5.0 GiB" in answer.sentence


def test_whatever_would_be_refused_after_hashing_is_refused_before(
    house: Running, member: str, tmp_path: Path
) -> None:
    huge = tmp_path / "huge"
    with huge.open("wb") as sparse:
        sparse.truncate(8 << 40)  # days of hashing
    refusals = [
        (add(house, huge, member, "--out", tmp_path / "missing" / "x.torrent"), Exit.USAGE, "no folder"),
        (add(house, huge, member, "--out", tmp_path), Exit.USAGE, "--out"),
        (add(house, huge, member, "--out", "/proc/x.torrent"), Exit.REFUSED, "--out"),
        (add(house, huge, "nobody"), Exit.NOT_FOUND, "nobody"),
        (add(house, huge, member, "--category", "None such"), Exit.NOT_FOUND, "upload categories"),
        (add(house, tmp_path / "nothing", member), Exit.USAGE, "nothing"),
    ]
    for answer, code, word in refusals:
        assert answer.code == code, answer.err
        assert word in answer.sentence
    assert house.cli("upload", "list", "--uploader", member, "--json").json == []


def test_an_upload_whose_torrent_could_not_be_written_says_how_to_fetch_it(
    house: Running, member: str, folder: Path
) -> None:
    answer = add(house, folder, member, "--out", "/dev/full")
    assert answer.code == Exit.UNAVAILABLE
    (upload,) = house.cli("upload", "list", "--uploader", member, "--json").json
    assert f"holdfast upload fetch {upload['id']} --for {member} --out FILE" in answer.sentence


def at_a_terminal(house: Running, *arguments: str | Path) -> tuple[subprocess.Popen[bytes], int]:
    """A command whose output a person watches, on a terminal of 80 columns."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "holdfast", "--data", str(house.data), *map(str, arguments)],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env=environment(TERM="xterm", COLUMNS="80"),
        start_new_session=True,
    )
    os.close(theirs)
    return process, ours


def watch(ours: int, until: bytes | None = None) -> bytes:
    """What the terminal shows, up to a sign of it or to the end."""
    seen = b""
    give_up = monotonic() + PATIENCE
    while until is None or until not in seen:
        assert monotonic() < give_up, seen[-1000:]
        assert select([ours], [], [], PATIENCE)[0], seen
        try:
            data = os.read(ours, 65536)
        except OSError:  # the other end has closed
            break
        seen += data
    return seen


def test_long_work_shows_its_progress_and_ctrl_c_ends_it_without_a_trace(
    house: Running, member: str, tmp_path: Path
) -> None:
    with (tmp_path / "huge").open("wb") as sparse:
        sparse.truncate(100 << 30)
    process, ours = at_a_terminal(house, "upload", "add", tmp_path / "huge", "--by", member)
    try:
        watch(ours, b"Hashing huge")
        watch(ours, b"GiB")  # the second line or so: it has begun to hash
        process.send_signal(signal.SIGINT)
        rest = watch(ours)
        assert process.wait(PATIENCE) == 130
    finally:
        process.kill()
        process.wait()
        os.close(ours)
    assert b"Traceback" not in rest
    assert house.cli("upload", "list", "--uploader", member, "--json").json == []


def test_a_listing_fits_an_ordinary_terminal(house: Running, member: str, folder: Path) -> None:
    assert add(house, folder, member, "--name", "A very long name indeed " * 5).code == 0
    for arguments in (["upload", "list"], ["audit"], ["member", "list"]):
        process, ours = at_a_terminal(house, *arguments)
        seen = watch(ours).decode()
        os.close(ours)
        assert process.wait(PATIENCE) == 0
        lines = seen.replace("\x1b[1m", "").replace("\x1b[0m", "").splitlines()
        assert len(lines) > 1
        assert max(map(len, lines)) <= 80
        assert "\x1b" not in "".join(lines)
    whole = house.cli("upload", "list", "--uploader", member)
    assert ("A very long name indeed " * 5).strip() in whole.out, "nothing is cut for a program"
