"""A torrent is read for what it says, and refused with a clear sentence when it lies."""

from hashlib import sha1, sha256
from pathlib import Path

import libtorrent
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.errors import InvalidError
from holdfast.wire.bencode import Encodable, Value, encode
from holdfast.wire.metainfo import MAX_PIECE_LENGTH, Metainfo, TorrentFile, TorrentVersion, parse_torrent

from .torrents import (
    BIG,
    LAYER,
    LAYER_ROOT,
    LAYERS,
    LENGTH,
    SMALL,
    SMALL_ROOT,
    Fields,
    entry,
    folder,
    hybrid,
    leaf,
    one_file,
    torrent,
    tree,
    without,
)

PAD = entry(b".pad", size=LENGTH - 100, attr=b"p")
V2 = {"piece_layers": LAYERS}


def refusal(data: bytes) -> str:
    with pytest.raises(InvalidError) as refused:
        parse_torrent(data)
    return str(refused.value)


def test_a_torrent_of_one_file_is_read() -> None:
    info = one_file(private=1, source=b"HF")
    read = parse_torrent(
        torrent(info, comment=b"caf\xc3\xa9", created_by=b"maker", creation_date=1_700_000_000)
    )
    assert read == Metainfo(
        name="film.mkv",
        folder=False,
        files=(TorrentFile(("film.mkv",), 40_000),),
        piece_length=LENGTH,
        piece_count=3,
        private=True,
        source="HF",
        v1_hash=sha1(encode(info)).digest(),
        v2_hash=None,
        total_size=40_000,
        comment="café",
        created_by="maker",
        created_at=1_700_000_000,
        info_bytes=encode(info),
        piece_layers=None,
    )
    assert read.version is TorrentVersion.V1
    assert read.tracker_hashes == (read.v1_hash,)


def test_a_folder_is_read_with_empty_files_and_without_padding() -> None:
    info = folder(
        entry(b"a", b"one", size=LENGTH - 10),
        entry(b".pad", b"10", size=10, attr=b"p"),
        {b"length": 6, b"attr": b"p"},
        entry(b"a", b"two", size=0, attr=b"x"),
        entry(b"b", size=7),
        pieces=2,
    )
    read = parse_torrent(torrent(info))
    assert read.files == (
        TorrentFile(("a", "one"), LENGTH - 10),
        TorrentFile(("a", "two"), 0),
        TorrentFile(("b",), 7),
    )
    assert (read.folder, read.total_size, read.piece_count, read.private) == (True, LENGTH - 3, 2, False)


def test_a_v2_torrent_is_read() -> None:
    info = tree({b"big": BIG, b"sub": {b"empty": leaf(0, None), b"small": SMALL}})
    read = parse_torrent(torrent(info, **V2))
    assert read.files == (
        TorrentFile(("big",), 3 * LENGTH, LAYER_ROOT),
        TorrentFile(("sub", "empty"), 0),
        TorrentFile(("sub", "small"), 100, SMALL_ROOT),
    )
    assert (read.version, read.folder, read.piece_count) == (TorrentVersion.V2, True, 4)
    assert (read.v1_hash, read.v2_hash) == (None, sha256(encode(info)).digest())
    assert read.v2_short is not None
    assert read.tracker_hashes == (read.v2_short,)
    assert len(read.v2_short) == 20
    assert read.piece_layers == encode(LAYERS)


def test_a_hybrid_has_both_hashes() -> None:
    read = parse_torrent(torrent(hybrid(), **V2))
    assert (read.version, read.piece_count) == (TorrentVersion.HYBRID, 4)
    assert read.tracker_hashes == (sha1(read.info_bytes).digest(), sha256(read.info_bytes).digest()[:20])


@pytest.mark.parametrize("name", [b"small", b"other"])
def test_a_v2_torrent_of_one_file_is_no_folder_whatever_its_name(name: bytes) -> None:
    read = parse_torrent(torrent(tree({b"small": SMALL}, name=name)))
    assert (read.folder, read.files[0].path) == (False, ("small",))
    assert parse_torrent(torrent(tree({b"sub": {b"small": SMALL}}, name=name))).folder


def test_the_info_hash_is_that_of_the_original_bytes_even_if_unsorted() -> None:
    info = b"d6:lengthi5e12:piece lengthi16384e6:pieces20:" + bytes(20) + b"4:name1:ae"
    data = b"d4:info" + info + b"e"
    assert "'name' out of order" in refusal(data)
    read = parse_torrent(data, strict=False)
    assert read.v1_hash == sha1(info).digest()
    assert read.info_bytes == info
    assert "not sorted" in read.remarks[0]


def test_a_torrent_over_the_limit_is_refused_unread() -> None:
    with pytest.raises(InvalidError, match="1001 bytes long, over the limit of 1000"):
        parse_torrent(b"d" * 1001, limit=1000)


def test_every_truncation_is_refused() -> None:
    data = torrent(hybrid(), **V2)
    for cut in range(len(data)):
        assert "byte" in refusal(data[:cut])


@pytest.mark.parametrize(
    ("info", "sentence"),
    [
        (folder(), "has no files"),
        (folder(entry(b".pad", b"9", size=9, attr=b"p")), "has no files"),
        (tree({}), "has no files"),
        (tree({b"empty": {b"folder": {}}}), "has no files"),
        (one_file(size=0), "only empty files"),
        (folder(entry(b"a", size=0), entry(b"b", size=0), pieces=0), "only empty files"),
        (tree({b"a": leaf(0, None)}), "only empty files"),
        (one_file(size=-1), "a file of -1 bytes, which cannot be"),
        (one_file(size=2**50 + 1), f"a file of {2**50 + 1} bytes, which cannot be"),
        (tree({b"a": leaf(2**60, SMALL_ROOT)}), "which cannot be"),
        (
            folder(*[entry(b"%d" % number, size=2**50) for number in range(2)]),
            "bytes in all, which cannot be",
        ),
        (folder(entry(b"a", size=-5), entry(b"b", size=10)), "a file of -5 bytes"),
        (one_file(files=[entry(b"a")]), "both that it is one file and that it is a folder"),
        (without(one_file(), b"length"), "no 'length'"),
        (without(one_file(), b"name"), "no 'name'"),
        (one_file(name=7), "'name' is a number where a text belongs"),  # type: ignore[arg-type]
        (folder([1]), "holds something that is not a file"),  # type: ignore[arg-type]
        (folder(entry(b"a", 7)), "a file name that is not a text"),  # type: ignore[arg-type]
        (folder({b"length": 5}), "no 'path'"),
        (tree([1]), "'file tree' is a list where a dictionary belongs"),  # type: ignore[arg-type]
        (tree({b"a": 1}), "holds no file at b'a'"),
        (tree({b"a": {b"": 1}}), "'' is a number where a dictionary belongs"),
    ],
)
def test_files_that_make_no_sense_are_refused(info: Fields, sentence: str) -> None:
    assert sentence in refusal(torrent(info, **V2 if b"file tree" in info else {}))


@pytest.mark.parametrize(
    ("info", "sentence"),
    [
        (one_file(pieces=bytes(40)), "40 bytes of piece hashes where 40000 bytes in pieces of 16384 need 60"),
        (one_file(pieces=bytes(80)), "80 bytes of piece hashes"),
        (one_file(pieces=bytes(59)), "59 bytes of piece hashes"),
        (one_file(pieces=b""), "0 bytes of piece hashes"),
        (one_file(pieces=[]), "'pieces' is a list where a text belongs"),
        (without(one_file(), b"pieces"), "no piece hashes"),
        (one_file(piece_length=0), "pieces of 0 bytes"),
        (one_file(piece_length=-16384), "pieces of -16384 bytes"),
        (one_file(piece_length=MAX_PIECE_LENGTH + 1), "which cannot be"),
        (without(one_file(), b"piece length"), "no 'piece length'"),
        (tree(piece_length=LENGTH + 1), "v2 needs a power of two from 16384"),
        (tree(piece_length=LENGTH // 2), "v2 needs a power of two from 16384"),
        (one_file(private=2), "private flag is 2"),
        (one_file(private=b"1"), "'private' is a text where a number belongs"),
        (one_file(source=3), "'source' is a number"),
        (tree(meta_version=3), "of version 3, which is newer than this program"),
        (without(tree(), b"meta version"), "no piece hashes"),
        (without(tree(), b"file tree"), "no 'file tree'"),
    ],
)
def test_an_info_dictionary_that_makes_no_sense_is_refused(info: Fields, sentence: str) -> None:
    assert sentence in refusal(torrent(info, **V2))


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"de", "no 'info'"),
        (encode({b"info": b"text"}), "'info' is a text where a dictionary belongs"),
        (torrent(one_file(), comment=1), "'comment' is a number"),
        (torrent(one_file(), created_by=[]), "'created by' is a list"),
        (torrent(one_file(), creation_date=b"today"), "'creation date' is a text"),
        (torrent(tree(), piece_layers=[]), "'piece layers' is a list"),
        (b"d4:info" + encode(one_file()) + b"4:info" + encode(one_file()) + b"e", "'info' more than once"),
        (torrent(one_file())[:-2] + b"4:name1:xee", "'name' more than once"),
        (torrent(one_file()).replace(b"4:name", b"6:length", 1), "'length' more than once"),
        (torrent(one_file()) + b"\n", "1 more bytes follow"),
    ],
)
def test_a_document_that_makes_no_sense_is_refused(data: bytes, sentence: str) -> None:
    assert sentence in refusal(data)


def test_pieces_of_any_sane_length_are_read_in_v1() -> None:
    assert (
        parse_torrent(torrent(one_file(size=1000, piece_length=1000, pieces=bytes(20)))).piece_length == 1000
    )


def test_a_creation_date_beyond_reason_is_left_out_and_remarked_on() -> None:
    for date in (-1, 10**15):
        read = parse_torrent(torrent(one_file(), creation_date=date))
        assert read.created_at is None
        assert read.remarks == ("Its creation date makes no sense and was left out.",)


@pytest.mark.parametrize(
    ("layers", "sentence"),
    [
        ({}, "lacks the piece layer of 'big'; save it again from a client"),
        ({LAYER_ROOT: LAYER[:64]}, "piece layer of 'big' does not match"),
        ({LAYER_ROOT: LAYER + bytes(32)}, "piece layer of 'big' does not match"),
        ({LAYER_ROOT: LAYER[::-1]}, "piece layer of 'big' does not match"),
        ({LAYER_ROOT: 5}, "piece layer of 'big' does not match"),
        ({LAYER_ROOT: LAYER, bytes(32): LAYER}, "piece layers of files that it does not name"),
    ],
)
def test_piece_layers_must_be_there_and_hash_to_the_root(
    layers: dict[bytes, Encodable], sentence: str
) -> None:
    assert sentence in refusal(torrent(tree(), piece_layers=layers))


def test_two_equal_files_share_a_piece_layer() -> None:
    read = parse_torrent(torrent(tree({b"a": BIG, b"b": BIG}), **V2))
    assert [file.pieces_root for file in read.files] == [LAYER_ROOT, LAYER_ROOT]


@pytest.mark.parametrize(
    ("entries", "sentence"),
    [
        ([entry(b"small"), PAD, entry(b"big", size=3 * LENGTH)], "names 'small' of 100 bytes to v1"),
        ([entry(b"big", size=3 * LENGTH), entry(b"small", size=99)], "'small' of 99 bytes to v1"),
        ([entry(b"big", size=3 * LENGTH), entry(b"other")], "names 'other'"),
        ([entry(b"big", size=3 * LENGTH)], "names 1 files to v1 clients but 2 to v2"),
        ([entry(b"big", size=3 * LENGTH), entry(b"small"), entry(b"t", size=0)], "3 files to v1"),
        (
            [entry(b"p", size=9, attr=b"p"), entry(b"big", size=3 * LENGTH), entry(b"small")],
            "'big' inside a piece",
        ),
    ],
)
def test_the_halves_of_a_hybrid_must_agree(entries: list[dict[bytes, Encodable]], sentence: str) -> None:
    size = sum(int(str(listed[b"length"])) for listed in entries)
    assert sentence in refusal(torrent(hybrid(*entries, pieces=-(-size // LENGTH)), **V2))


def test_a_hybrid_must_be_a_file_in_both_halves_or_in_none() -> None:
    info = dict(tree({b"small": SMALL}, name=b"small")) | {b"pieces": bytes(20)}
    assert not parse_torrent(torrent(info | {b"length": 100})).folder
    assert "a folder in one half" in refusal(torrent(info | {b"files": [entry(b"small")]}))


def test_padding_at_the_end_of_a_hybrid_is_not_seen() -> None:
    entries = [entry(b"big", size=3 * LENGTH), entry(b"small"), PAD]
    read = parse_torrent(torrent(hybrid(*entries), **V2))
    assert (read.piece_count, read.total_size) == (4, 3 * LENGTH + 100)


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> list[bytes]:
    """Torrents as libtorrent makes them: v1, v2 and hybrid, of a folder and of one file."""
    top = tmp_path_factory.mktemp("content")
    (top / "folder" / "sub").mkdir(parents=True)
    sizes = {
        "folder/sub/a": 5 * LENGTH + 7,
        "folder/b": 0,
        "folder/c": 100,
        "folder/é": 2 * LENGTH,
        "one": 3 * LENGTH,
    }
    for name, size in sizes.items():
        (top / name).write_bytes(bytes(number % 251 for number in range(size)))
    kinds = [libtorrent.create_torrent.v1_only, libtorrent.create_torrent.v2_only, 0]
    return [
        make(top, [(name, size) for name, size in sizes.items() if name.startswith(start)], kind)
        for start in ("folder/", "one")
        for kind in kinds
    ]


def make(top: Path, files: list[tuple[str, int]], kind: int) -> bytes:
    entries = [libtorrent.create_file_entry(name, size) for name, size in files]
    maker = libtorrent.create_torrent(entries, LENGTH, kind)
    maker.set_priv(True)
    maker.add_tracker("http://tracker.example/announce")
    libtorrent.set_piece_hashes(maker, str(top))
    return bytes(libtorrent.bencode(maker.generate()))


def test_torrents_of_libtorrent_are_read_with_its_hashes(real: list[bytes]) -> None:
    for data in real:
        read, theirs = parse_torrent(data), libtorrent.load_torrent_buffer(data).ti
        assert theirs is not None
        hashes = theirs.info_hashes()
        assert read.v1_hash == (hashes.v1.to_bytes() if hashes.has_v1() else None)
        assert read.v2_hash == (hashes.v2.to_bytes() if hashes.has_v2() else None)
        assert (read.name, read.private, read.piece_length) == (theirs.name(), True, theirs.piece_length())
        assert read.piece_count == theirs.num_pieces()
        assert len(read.files) == (4 if read.folder else 1)
        assert not read.remarks


@settings(max_examples=600, deadline=None)
@given(st.data())
def test_of_a_spoiled_torrent_only_our_own_error_escapes(real: list[bytes], data: st.DataObject) -> None:
    spoiled = bytearray(data.draw(st.sampled_from(real)))
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(spoiled)))
        cut = data.draw(st.sampled_from([0, 0, 1, 1, 2, 20, 1000]))
        put = data.draw(
            st.binary(max_size=4)
            | st.sampled_from(
                [b"d", b"l", b"e", b"le", b"de", b"0:", b"2:..", b"i-1e", b"i0e", b"i9999999999999999999e"]
            )
        )
        spoiled[at : at + cut] = put
    try:
        read = parse_torrent(bytes(spoiled), strict=data.draw(st.booleans()))
    except InvalidError:
        return
    assert read.total_size == sum(file.size for file in read.files) > 0


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_of_wrongly_shaped_fields_only_our_own_error_escapes(data: st.DataObject) -> None:
    """Well-formed bencode of the wrong shape gets past the decoder, and must be caught behind it."""
    odd: st.SearchStrategy[Value] = st.recursive(
        st.sampled_from(
            [0, 1, 2, -1, LENGTH, 2**50, b"", b"p", b"..", b"a", b"\xff", bytes(20), bytes(32), LAYER]
        ),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from([b"", b"a", b"b", b"length", b"path", b"attr"]), inner, max_size=3
            )
        ),
        max_leaves=6,
    )
    info = dict(data.draw(st.sampled_from([one_file(), folder(entry(b"a")), tree(), hybrid()])))
    keys = sorted(
        {*info, b"files", b"length", b"name.utf-8", b"private", b"source", b"meta version", b"file tree"}
    )
    changed: Fields = data.draw(st.dictionaries(st.sampled_from(keys), odd, min_size=1, max_size=2))
    layers = data.draw(st.just(LAYERS) | odd)
    try:
        parse_torrent(encode({b"info": {**info, **changed}, b"piece layers": layers}))
    except InvalidError:
        return
