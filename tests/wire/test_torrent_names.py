"""Names that would reach outside a member's folder are refused; merely awkward ones are kept."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.errors import InvalidError
from holdfast.wire.bencode import Encodable
from holdfast.wire.metainfo import parse_torrent
from holdfast.wire.torrent_names import danger, path_danger, read_name, remarks_on

from .torrents import SMALL, entry, folder, one_file, torrent, tree

DANGEROUS = [
    ("", "is empty"),
    (".", "only dots and spaces"),
    ("..", "only dots and spaces"),
    ("...", "only dots and spaces"),
    (".. ", "only dots and spaces"),
    ("/", "slash or backslash"),
    ("/etc/passwd", "slash or backslash"),
    ("a/../../b", "slash or backslash"),
    ("..\\b", "slash or backslash"),
    ("\\\\host\\share", "slash or backslash"),
    ("C:", "Windows drive"),
    ("c:autoexec.bat", "Windows drive"),
    ("a\0b", "control characters"),
    ("a\nb", "control characters"),
    ("\x1b[2J", "control characters"),
    ("a\x9bb", "control characters"),
    ("photo\u202egpj.exe", "reverse it and hide"),
    ("photo\u2067gpj.exe", "reverse it and hide"),
    ("é" * 128, "longer than the 255 bytes"),
    ("a\udcffb", "not UTF-8"),
]
HARMLESS = [
    "a",
    ".hidden",
    "a..b",
    "..a",
    "é" * 127,
    "日本語",
    "שלום\u200f",
    "CD: one",
    "feat. Jr.",
    "aux.c",
    "a b ",
    "~",
]


@pytest.mark.parametrize(("name", "why"), DANGEROUS)
def test_a_dangerous_name_is_refused_wherever_it_stands(name: str, why: str) -> None:
    assert why in str(danger(name))
    raw = name.encode("utf-8", "surrogateescape")
    if why == "not UTF-8":
        return
    for info in (
        one_file(name=raw),
        folder(entry(raw)),
        folder(entry(b"a", raw, b"b")),
        folder(entry(b"a", utf8=[raw])),
        folder(entry(b"pad", raw, attr=b"p"), entry(b"a")),
        tree({raw: SMALL}),
        tree({b"a": {raw: {b"b": SMALL}}}),
        tree({b"a": SMALL}, name=raw),
    ):
        if b"file tree" in info and not name:
            continue  # an empty key has another meaning in a tree, tested below
        with pytest.raises(InvalidError) as refused:
            parse_torrent(torrent(info))
        assert why in str(refused.value)


@pytest.mark.parametrize("name", HARMLESS)
def test_a_harmless_name_is_kept(name: str) -> None:
    assert danger(name) is None
    assert parse_torrent(torrent(folder(entry(name.encode())))).files[0].path == (name,)


@pytest.mark.parametrize(
    ("files", "sentence"),
    [
        ({b"": {b"length": 5}}, "is empty"),
        (
            {b"a": {b"": {b"length": 5, b"pieces root": bytes(32)}, b"b": SMALL}},
            "both as a file and as a folder",
        ),
        ({b"a": {b"": {b"length": 5}}}, "no 'pieces root'"),
        ({b"a": {b"": {b"length": 5, b"pieces root": bytes(31)}}}, "pieces root of 'a' is not 32 bytes"),
        ({b"a": {b"": {b"length": 0, b"attr": b"l"}}}, "symbolic link at 'a'"),
    ],
)
def test_a_crooked_tree_is_refused(files: dict[bytes, Encodable], sentence: str) -> None:
    with pytest.raises(InvalidError, match=sentence):
        parse_torrent(torrent(tree(files)))


def test_an_unsorted_tree_is_refused_even_where_unsorted_keys_are_tolerated() -> None:
    data = torrent(tree({b"a": SMALL, b"b": SMALL})).replace(b"1:a", b"1:c")
    with pytest.raises(InvalidError, match="file tree is not sorted"):
        parse_torrent(data, strict=False)


def test_a_symbolic_link_is_refused() -> None:
    with pytest.raises(InvalidError, match="symbolic link at 'a'"):
        parse_torrent(torrent(folder(entry(b"b"), entry(b"a", size=0, attr=b"xl"))))


def test_a_path_that_is_too_deep_or_too_long_is_refused() -> None:
    assert path_danger(("a",) * 64) is None
    assert "more than 64 folders" in str(path_danger(("a",) * 65))
    assert "longer than the 4096 bytes" in str(path_danger(("é" * 100,) * 21))
    assert path_danger(()) == "is empty"
    with pytest.raises(InvalidError, match="more than 64 folders"):
        parse_torrent(torrent(folder(entry(*[b"a"] * 100_000))))


@pytest.mark.parametrize(
    ("entries", "sentence"),
    [
        ([entry(b"a"), entry(b"b"), entry(b"a")], "has the file 'a' twice"),
        ([entry(b"a"), entry(b"a", b"b")], "'a' both as a file and as a folder"),
        ([entry(b"a", b"b", b"c"), entry(b"a", b"b")], "'a/b' both as a file and as a folder"),
        ([entry(b"x"), entry(b"y", utf8=[b"x"])], "has the file 'x' twice"),
    ],
)
def test_two_files_in_one_place_are_refused(entries: list[dict[bytes, Encodable]], sentence: str) -> None:
    with pytest.raises(InvalidError, match=sentence):
        parse_torrent(torrent(folder(*entries)))


def test_padding_may_use_one_path_again_and_again() -> None:
    pad = entry(b".pad", b"5", size=5, attr=b"p")
    assert len(parse_torrent(torrent(folder(entry(b"a"), pad, entry(b"b"), pad))).files) == 2


def test_names_that_differ_only_in_case_are_kept_and_remarked_on() -> None:
    read = parse_torrent(torrent(folder(entry(b"xt_DSCP.h"), entry(b"xt_dscp.h"))))
    assert [file.path for file in read.files] == [("xt_DSCP.h",), ("xt_dscp.h",)]
    assert "'folder/xt_dscp.h' differs from another name only in case" in read.remarks[0]
    assert "only in case" in remarks_on([("é",), ("e\u0301",)])[0]


@pytest.mark.parametrize(
    "name", ["CON", "nul.txt", "Lpt1", "aux.c", "what?", "a:b c", "end.", "end ", 'say "x"']
)
def test_names_that_windows_cannot_store_are_kept_and_remarked_on(name: str) -> None:
    assert f"Windows cannot store every name as it is written, such as {name!r}." in remarks_on(
        [("ok",), (name,)]
    )


@pytest.mark.parametrize("name", ["console", "com0", "auxiliary", "com10", "naïve.txt", ".bashrc"])
def test_ordinary_names_bring_no_remark(name: str) -> None:
    assert remarks_on([(name,)]) == []


def test_a_name_that_is_not_utf8_is_read_as_western_european_and_remarked_on() -> None:
    read = parse_torrent(torrent(folder(entry(b"caf\xe9 \x96 \x81.txt"), name=b"na\xefve")))
    assert (read.name, read.files[0].path) == ("naïve", ("café \u2013 \ufffd.txt",))
    assert "not UTF-8" in read.remarks[0]
    assert "not UTF-8" in parse_torrent(torrent(tree({b"\xe9": SMALL}))).remarks[0]


def test_a_name_in_utf8_beside_it_is_preferred() -> None:
    info = folder(entry(b"caf\xe9", utf8=["café".encode()]), name=b"na\xefve")
    read = parse_torrent(torrent(dict(info) | {b"name.utf-8": "naïve".encode()}))
    assert (read.name, read.files[0].path, read.remarks) == ("naïve", ("café",), ())
    wrong = folder(entry(b"good", utf8=[b"b\xe4d"]))
    assert parse_torrent(torrent(wrong)).files[0].path == ("good",)


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=20))
def test_every_utf8_name_is_read_as_it_is(name: str) -> None:
    assert read_name(name.encode()) == (name, False)


@given(st.text(max_size=12))
def test_no_name_that_passes_leads_anywhere(name: str) -> None:
    if danger(name) is None:
        assert name.strip(". ")
        assert not set(name) & set("/\\\0")
        assert 0 < len(name.encode()) <= 255
