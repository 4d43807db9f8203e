"""Torrents made from files: others agree with every hash, and what cannot be shared is named."""

import os
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import sha1
from pathlib import Path

import libtorrent
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.catalogue.torrent_maker import MadeTorrent, make_torrent
from holdfast.errors import ConflictError, InvalidError, NotFoundError
from holdfast.wire.bencode import decode
from holdfast.wire.metainfo import TorrentVersion, parse_torrent
from holdfast.wire.torrent_write import write_torrent

LEAF = 16 * 1024
PIECE = 2 * LEAF
NOBODY = 65534
VERSIONS = list(TorrentVersion)
TREES = {
    "one byte": {"folder/in/a": 1},
    "one leaf": {"folder/in/a": LEAF},
    "a leaf and a byte": {"folder/in/a": LEAF + 1},
    "a byte less than a piece": {"folder/in/a": PIECE - 1},
    "a piece": {"folder/in/a": PIECE},
    "a piece and a byte": {"folder/in/a": PIECE + 1},
    "five pieces and a half": {"folder/in/a": 5 * PIECE + LEAF},
    "odd sizes": {
        "folder/a": 3 * PIECE - 1,
        "folder/b": 7,
        "folder/c": PIECE,
        "folder/d": LEAF + 1,
        "folder/e": 99,
    },
    "empty files": {"folder/a": 0, "folder/b": 5, "folder/c": 0, "folder/d": PIECE + 5, "folder/e": 0},
    "only the last has content": {"folder/a": 0, "folder/b": 3 * PIECE + 1},
    "equal files": {"folder/a/x": 3 * PIECE, "folder/b/x": 3 * PIECE},
    "hidden and nested": {"folder/.hidden": 10, "folder/a/.b/c": PIECE, "folder/a/z": 4, "folder/b.txt": 5},
    "a folder and a file alike": {"folder/a/b": 10, "folder/a.txt": 5, "folder/a-b": PIECE + 1},
    "names": {"folder/é": 1, "folder/日本語": 2, "folder/a b+&": 3, "folder/Y": 4, "folder/z": 5},
    "one file": {"film.mkv": 3 * PIECE + 17},
    "one small file": {"film.mkv": 3},
}


def content(size: int) -> bytes:
    return (b"%07d\n" * (size // 8 + 1) % tuple(range(size // 8 + 1)))[:size]


def lay_out(top: Path, sizes: dict[str, int]) -> Path:
    """Write the files, and return what is to be shared: the folder or the one file."""
    for name, size in sizes.items():
        (top / name).parent.mkdir(parents=True, exist_ok=True)
        (top / name).write_bytes(content(size))
    return top / next(iter(sizes)).split("/", maxsplit=1)[0]


def make(
    path: Path, version: TorrentVersion = TorrentVersion.HYBRID, piece_length: int = PIECE
) -> MadeTorrent:
    return make_torrent(path, version=version, piece_length=piece_length)


def torrent_of(made: MadeTorrent) -> bytes:
    return write_torrent(made.info, made.piece_layers, ["http://127.0.0.1:1/announce"])


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("sizes", TREES.values(), ids=TREES.keys())
def test_libtorrent_reads_the_torrent_with_the_same_hashes_and_files(
    tmp_path: Path, sizes: dict[str, int], version: TorrentVersion
) -> None:
    made = make(lay_out(tmp_path, sizes), version)
    theirs = libtorrent.load_torrent_buffer(torrent_of(made)).ti
    assert theirs is not None
    hashes = theirs.info_hashes()
    assert made.metainfo.v1_hash == (hashes.v1.to_bytes() if hashes.has_v1() else None)
    assert made.metainfo.v2_hash == (hashes.v2.to_bytes() if hashes.has_v2() else None)
    assert made.metainfo.version is version
    assert theirs.priv()
    layout = theirs.layout()
    listed = {layout.file_path(at): layout.file_size(at) for at in range(layout.num_files())}
    assert {path: size for path, size in listed.items() if "/.pad/" not in path} == sizes
    above = (made.metainfo.name,) if made.metainfo.folder else ()
    assert {"/".join((*above, *file.path)): file.size for file in made.metainfo.files} == sizes


@pytest.mark.parametrize("version", VERSIONS)
def test_libtorrent_finds_every_byte_of_the_content_right(tmp_path: Path, version: TorrentVersion) -> None:
    """The proof of the pudding: a client that checks the files against our torrents seeds them all."""
    session = libtorrent.session(
        {"listen_interfaces": "127.0.0.1:0", "enable_dht": False, "enable_lsd": False, "alert_mask": 0}
    )
    handles = {}
    for name, sizes in TREES.items():
        made = make(lay_out(tmp_path / name, sizes), version)
        wanted = libtorrent.load_torrent_buffer(torrent_of(made))
        wanted.save_path = str(tmp_path / name)
        wanted.flags &= ~(libtorrent.torrent_flags.auto_managed | libtorrent.torrent_flags.paused)
        handles[name] = session.add_torrent(wanted)
    waiting = set(handles)
    for _ in range(600):
        waiting = {name for name in waiting if not handles[name].status().is_seeding}
        if not waiting:
            break
        time.sleep(0.05)
    assert not waiting


# libtorrent 2.1.1 lists "a.txt" before "a/b" for v1 but after it for v2, and then refuses its own hybrid.
SAME_IN_LIBTORRENT = [
    (name, version)
    for name in TREES
    for version in (TorrentVersion.V2, TorrentVersion.HYBRID)
    if (name, version) != ("a folder and a file alike", TorrentVersion.HYBRID)
]


def info_of_libtorrent(top: Path, sizes: dict[str, int], version: TorrentVersion) -> bytes:
    kind = libtorrent.create_torrent.v2_only if version is TorrentVersion.V2 else 0
    entries = [libtorrent.create_file_entry(path, size) for path, size in sizes.items()]
    maker = libtorrent.create_torrent(entries, PIECE, kind)
    maker.set_priv(True)
    libtorrent.set_piece_hashes(maker, str(top))
    return parse_torrent(libtorrent.bencode(maker.generate())).info_bytes


@pytest.mark.parametrize(("name", "version"), SAME_IN_LIBTORRENT)
def test_libtorrent_makes_the_same_info(tmp_path: Path, name: str, version: TorrentVersion) -> None:
    """Byte for byte, so that the same content added elsewhere meets the same swarm."""
    made = make(lay_out(tmp_path, TREES[name]), version)
    assert info_of_libtorrent(tmp_path, TREES[name], version) == made.info


@settings(max_examples=60, deadline=None)
@given(
    st.dictionaries(
        st.sampled_from(["a", "b/c", "b/d", "e/f/g", "h", "i"]),
        st.integers(0, 5 * PIECE)
        | st.sampled_from([0, 1, LEAF - 1, LEAF, LEAF + 1, PIECE - 1, PIECE, PIECE + 1]),
        min_size=2,
    ).filter(lambda sizes: any(sizes.values())),
    st.sampled_from([TorrentVersion.V2, TorrentVersion.HYBRID]),
)
def test_libtorrent_makes_the_same_info_of_any_sizes(
    tmp_path_factory: pytest.TempPathFactory, sizes: dict[str, int], version: TorrentVersion
) -> None:
    top = tmp_path_factory.mktemp("content")
    inside = {f"folder/{name}": size for name, size in sorted(sizes.items())}
    made = make(lay_out(top, inside), version)
    assert info_of_libtorrent(top, inside, version) == made.info


@settings(max_examples=60, deadline=None)
@given(
    st.dictionaries(st.sampled_from("abcdefg"), st.integers(0, 3 * PIECE), min_size=1).filter(
        lambda sizes: any(sizes.values())
    ),
    st.sampled_from([LEAF, PIECE, 4 * PIECE]),
    st.integers(1, 4),
)
def test_v1_pieces_are_the_hashes_of_the_files_end_to_end(
    tmp_path_factory: pytest.TempPathFactory, sizes: dict[str, int], piece_length: int, threads: int
) -> None:
    top = tmp_path_factory.mktemp("content")
    path = lay_out(top, {f"folder/{name}": size for name, size in sizes.items()})
    made = make_torrent(path, version=TorrentVersion.V1, piece_length=piece_length, threads=threads)
    stream = b"".join(content(sizes[name]) for name in sorted(sizes))
    info = decode(made.info)
    assert isinstance(info, dict)
    assert info[b"pieces"] == b"".join(
        sha1(stream[at : at + piece_length]).digest() for at in range(0, len(stream), piece_length)
    )


@pytest.mark.parametrize("version", VERSIONS)
def test_the_order_of_creation_and_the_number_of_threads_change_nothing(
    tmp_path: Path, version: TorrentVersion
) -> None:
    sizes = TREES["hidden and nested"]
    one = lay_out(tmp_path / "one", sizes)
    other = lay_out(tmp_path / "other", dict(reversed(sizes.items())))
    infos = {
        make_torrent(path, version=version, piece_length=LEAF, threads=threads).info
        for path in (one, other)
        for threads in (1, 2, 5)
    }
    assert len(infos) == 1


def test_what_is_asked_for_is_written_into_the_torrent(tmp_path: Path) -> None:
    path = lay_out(tmp_path, TREES["one file"])
    plain = make_torrent(path, created_at=1_800_000_000).metainfo
    assert (plain.version, plain.private, plain.source, plain.piece_length) == (
        TorrentVersion.HYBRID,
        True,
        None,
        LEAF,
    )
    assert plain.created_at == 1_800_000_000
    other = make_torrent(path, private=False, source="HF").metainfo
    assert (other.private, other.source) == (False, "HF")
    assert other.v1_hash != plain.v1_hash


def test_progress_runs_from_nothing_to_everything_in_the_callers_thread(tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    path = lay_out(tmp_path, TREES["odd sizes"])
    make_torrent(path, progress=lambda done, total: told.append((done, total)))
    total = sum(TREES["odd sizes"].values())
    assert told[0] == (0, total)
    assert told[-1] == (total, total)
    assert told == sorted(told)


def test_whatever_progress_raises_ends_the_work_however_much_is_left(tmp_path: Path) -> None:
    class CancelledError(Exception):
        pass

    def cancel(_done: int, _total: int) -> None:
        raise CancelledError

    with (tmp_path / "sparse").open("wb") as file:
        file.truncate(200 * 1024**3)
    with pytest.raises(CancelledError):
        make_torrent(tmp_path / "sparse", progress=cancel)


def test_a_failure_ends_the_work_however_much_is_left(tmp_path: Path) -> None:
    path = lay_out(tmp_path, {"folder/a": 5, "folder/b": 0})
    with (path / "b").open("wb") as file:
        file.truncate(200 * 1024**3)
    with pytest.raises(InvalidError, match="a' cannot be read"):
        make_torrent(path, threads=2, progress=lambda done, total: (path / "a").unlink(missing_ok=True))


def test_a_link_to_what_is_to_be_shared_is_followed(tmp_path: Path) -> None:
    path = lay_out(tmp_path, TREES["odd sizes"])
    (tmp_path / "link").symlink_to(path)
    assert make(tmp_path / "link").metainfo.v1_hash == make(path).metainfo.v1_hash


def test_folders_without_files_are_left_out(tmp_path: Path) -> None:
    path = lay_out(tmp_path, {"folder/a": 5})
    before = make(path).info
    (path / "empty" / "inside").mkdir(parents=True)
    assert make(path).info == before


def refusal(
    path: Path, version: TorrentVersion = TorrentVersion.HYBRID, piece_length: int | None = None
) -> str:
    with pytest.raises(InvalidError) as refused:
        make_torrent(path, version=version, piece_length=piece_length)
    return str(refused.value)


def test_an_empty_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "folder" / "inside").mkdir(parents=True)
    assert "has no files; put in what you want to share" in refusal(tmp_path / "folder")


def test_only_empty_files_are_refused(tmp_path: Path) -> None:
    assert "only empty files" in refusal(lay_out(tmp_path, {"folder/a": 0, "folder/b": 0}))


def test_a_missing_path_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match=r"There is nothing at .*gone"):
        make(tmp_path / "gone")


@pytest.mark.parametrize("target", ["a", "../outside", "gone", "."])
def test_a_symbolic_link_in_the_folder_is_refused_wherever_it_leads(tmp_path: Path, target: str) -> None:
    path = lay_out(tmp_path, {"folder/a": 5})
    (path / "link").symlink_to(target)
    said = refusal(path)
    assert "link' is a symbolic link, which cannot be shared" in said


def test_a_pipe_a_socket_or_a_device_is_refused(tmp_path: Path) -> None:
    path = lay_out(tmp_path, {"folder/a": 5})
    os.mkfifo(path / "pipe")
    assert "pipe' is not a plain file" in refusal(path)
    (path / "pipe").unlink()
    with socket.socket(socket.AF_UNIX) as door:
        door.bind(str(path / "door"))
        assert "door' is not a plain file" in refusal(path)
    assert "neither a file nor a folder" in refusal(Path("/dev/null"))


@pytest.mark.parametrize(
    ("name", "why"),
    [
        (b"a\\b", "slash or backslash"),
        (b"...", "only dots and spaces"),
        (b"C:boot", "Windows drive"),
        (b"a\nb", "control characters"),
        (b"caf\xe9", "is not UTF-8"),
    ],
)
def test_a_name_that_members_should_not_get_is_refused_before_hashing(
    tmp_path: Path, name: bytes, why: str
) -> None:
    path = lay_out(tmp_path, {"folder/a": 5})
    Path(os.fsdecode(os.path.join(os.fsencode(path), name))).write_bytes(b"x")  # noqa: PTH118  # the name is bytes
    told: list[int] = []
    with pytest.raises(InvalidError) as refused:
        make_torrent(path, progress=lambda done, total: told.append(done))
    assert why in str(refused.value)
    assert "rename it and try again" in str(refused.value)
    assert told == []


def test_a_folder_that_v2_would_take_for_a_file_is_refused(tmp_path: Path) -> None:
    same, other = lay_out(tmp_path, {"same/same": 5}), lay_out(tmp_path, {"folder/file": 5})
    for path, version in [
        (same, TorrentVersion.V2),
        (same, TorrentVersion.HYBRID),
        (other, TorrentVersion.V2),
    ]:
        assert "v2 cannot tell from the file alone" in refusal(path, version)
    assert make(same, TorrentVersion.V1).metainfo.folder
    assert make(other, TorrentVersion.HYBRID).metainfo.folder


@pytest.mark.parametrize("length", [0, -LEAF, LEAF - 1, LEAF // 2, 3 * LEAF, 2**30])
def test_a_piece_length_that_clients_would_refuse_is_refused(tmp_path: Path, length: int) -> None:
    assert f"piece length {length} is not a power of two" in refusal(
        lay_out(tmp_path, TREES["one file"]), piece_length=length
    )


@contextmanager
def as_nobody(top: Path) -> Iterator[None]:
    """Root reads everything, so the test steps down for a moment where it is run as root."""
    if os.geteuid():
        yield
        return
    folder = top
    while folder != folder.parent and folder.stat().st_uid == 0 and not folder.stat().st_mode & 0o001:
        folder.chmod(folder.stat().st_mode | 0o055)
        folder = folder.parent
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)


def test_an_unreadable_file_or_folder_is_named(tmp_path: Path) -> None:
    path = lay_out(tmp_path, {"folder/a": 5, "folder/b/c": 5})
    for place in (path / "a", path / "b"):
        mode = place.stat().st_mode
        place.chmod(0)
        with as_nobody(tmp_path):
            said = refusal(path)
        place.chmod(mode)
        assert f"{str(place)!r} cannot be read (Permission denied); make it readable and try again." in said


def grow(path: Path) -> None:
    with path.open("ab") as file:
        file.write(b"more")


def shrink(path: Path) -> None:
    os.truncate(path, PIECE)


def rewrite(path: Path) -> None:
    with path.open("r+b") as file:
        file.write(b"other")


def swap(path: Path) -> None:
    whole = path.read_bytes()
    path.unlink()
    path.with_name("x").write_bytes(whole)
    path.with_name("x").rename(path)


@pytest.mark.parametrize("change", [grow, shrink, rewrite, swap])
@pytest.mark.parametrize("version", VERSIONS)
def test_a_file_that_changes_between_listing_and_hashing_is_named(
    tmp_path: Path, change: Callable[[Path], None], version: TorrentVersion
) -> None:
    path = lay_out(tmp_path, {"folder/a": 9 * PIECE, "folder/b": 9 * PIECE})
    changed: list[bool] = []

    def once(_done: int, _total: int) -> None:
        if not changed:
            changed.append(True)
            time.sleep(0.01)  # so that even a coarse file clock has moved on
            change(path / "b")

    with pytest.raises(
        ConflictError, match=r"b' changed while it was being hashed; wait until nothing writes to it"
    ):
        make_torrent(path, version=version, piece_length=PIECE, progress=once)


@pytest.mark.parametrize("change", [grow, shrink, rewrite])
def test_a_file_that_changes_while_it_is_read_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: Callable[[Path], None]
) -> None:
    """The change comes after the first look at the open file, and is found at the end of the file."""
    path = lay_out(tmp_path, {"folder/a": 9 * PIECE})
    looked: list[int] = []
    real = os.fstat

    def look(number: int) -> os.stat_result:
        status = real(number)
        looked.append(number)
        if len(looked) == 1:
            time.sleep(0.01)
            change(path / "a")
        return status

    monkeypatch.setattr(os, "fstat", look)
    with pytest.raises(ConflictError, match="a' changed while it was being hashed"):
        make_torrent(path, piece_length=PIECE, threads=1)


def test_a_file_that_is_gone_by_the_time_it_is_hashed_is_named(tmp_path: Path) -> None:
    path = lay_out(tmp_path, TREES["odd sizes"])
    with pytest.raises(InvalidError, match=r"c' cannot be read \(No such file"):
        make_torrent(path, progress=lambda done, total: (path / "c").unlink(missing_ok=True))


def test_many_small_files_are_hashed(tmp_path: Path) -> None:
    path = lay_out(tmp_path, {f"folder/{number // 100}/{number}": number % 50 for number in range(2000)})
    for version in VERSIONS:
        made = make_torrent(path, version=version)
        assert len(made.metainfo.files) == 2000
        assert libtorrent.load_torrent_buffer(torrent_of(made)).ti is not None
