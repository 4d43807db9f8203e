"""What every generation of volunteers' clients sends is read as it is meant, and nothing else is."""

import contextlib
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.errors import InvalidError
from holdfast.wire.volunteers import (
    LARGEST_COUNT,
    MOST_AT_ONCE,
    Call,
    Look,
    Sight,
    Verb,
    read_ask,
    read_look,
    read_path,
    read_report,
)

PLAIN = Call(Verb.REQUEST, None)
OLD, NEW = "ArchiveTeam Warrior/0.0.12 Standalone", "ArchiveTeam Warrior/0.10.3 Standalone"


def body(**said: Any) -> bytes:
    return json.dumps(said).encode()


@pytest.mark.parametrize(
    ("path", "call"),
    [
        ("/request", Call(Verb.REQUEST, None)),
        ("/done", Call(Verb.DONE, None)),
        ("/demo/request", Call(Verb.REQUEST, "demo")),
        ("/demo/multi=100/request", Call(Verb.REQUEST, "demo", 100)),
        ("/demo/multi=100//request", Call(Verb.REQUEST, "demo", 100)),
        ("/demo/multi=999999999/request", Call(Verb.REQUEST, "demo", MOST_AT_ONCE)),
        ("/multi=5/request", Call(Verb.REQUEST, None, 5)),
        ("/demo/done+request", Call(Verb.DONE_REQUEST, "demo")),
        ("/demo/release", Call(Verb.RELEASE, "demo")),
    ],
)
def test_the_address_says_what_is_asked_and_how_many_are_wanted(path: str, call: Call) -> None:
    assert read_path(path) == call


@pytest.mark.parametrize(
    "path",
    ["/", "", "/demo", "/demo/nothing", "/Demo/request", "/a/b/request", "/demo/multi=/request",
     "/demo/multi=0/request", "/demo/multi=-1/request", "/demo/multi=x/request", "/a/b/c/d/request",
     "/demo/multi=٣/request", "/demo\n/request"],
)  # fmt: skip
def test_other_addresses_are_others(path: str) -> None:
    assert read_path(path) is None


@pytest.mark.parametrize(
    ("path", "look"),
    [
        ("/stats.json", Look(Sight.STATS, None)),
        ("/demo/stats.json", Look(Sight.STATS, "demo")),
        ("/demo/charts.json", Look(Sight.CHARTS, "demo")),
        ("/demo/update-status.json", Look(Sight.VERSIONS, "demo")),
        ("/demo/items/a/b.json", Look(Sight.ITEM, "demo", "a/b")),
        ("/items/a.json", Look(Sight.ITEM, None, "a")),
        ("/demo/items/.json", None),
        ("/demo/", None),
        ("/demo/other.json", None),
        ("/projects/demo", None),
        ("/", None),
    ],
)
def test_what_everybody_may_read_has_its_addresses(path: str, look: Look | None) -> None:
    assert read_look(path) == look


@pytest.mark.parametrize(
    ("asked", "call", "agent", "as_json"),
    [
        (body(downloader="ann"), PLAIN, "curl/7.88", False),
        (body(downloader="ann"), PLAIN, OLD, False),
        (body(downloader="ann"), PLAIN, NEW, True),
        (body(downloader="ann", api_version="2"), PLAIN, "curl/7.88", True),
        (body(downloader="ann", api_version=2), PLAIN, "", True),
        (body(downloader="ann"), Call(Verb.REQUEST, "demo", 1), "", True),
    ],
)
def test_who_reads_json_gets_json(asked: bytes, call: Call, agent: str, as_json: bool) -> None:
    assert read_ask(asked, call, agent).as_json is as_json


def test_versions_are_text_whatever_the_client_makes_of_them() -> None:
    assert read_ask(body(downloader="ann", version="20260101.01"), PLAIN, "").version == "20260101.01"
    assert read_ask(body(downloader="ann", version=20260101.01), PLAIN, "").version == "20260101.01"
    assert read_ask(body(downloader="ann"), PLAIN, "").version == ""


@pytest.mark.parametrize(
    "name", ["", "an", "a" * 31, "a b c", "ann\nbob", "<b>ann</b>", "änn", "ann\n", "nul\0nul"]
)
def test_a_name_is_matched_whole(name: str) -> None:
    with pytest.raises(InvalidError):
        read_ask(body(downloader=name), PLAIN, "")


def test_a_report_says_what_it_says() -> None:
    report = read_report(
        body(downloader="ann", item="a", bytes={"web": 12, "api": 3.0}, version="1", id={"lua": "x"})
    )
    assert (report.name, report.items, report.counted) == ("ann", ("a",), {"web": 12, "api": 3})
    assert (report.version, json.loads(report.checksum)) == ("1", {"lua": "x"})


def test_an_id_becomes_one_line_or_is_left_out() -> None:
    pretty = b'{"downloader": "ann", "item": "a", "id": {\n  "lua": "x\\ny"\r\n}}'
    assert read_report(pretty).checksum == b'{"lua":"x\\ny"}'
    assert read_report(body(downloader="ann", item="a", id="x" * 10_000)).checksum == b""
    assert read_report(body(downloader="ann", item="a")).checksum == b""


@pytest.mark.parametrize(
    "said",
    [
        {"item": "a\0b"},
        {"user": "a\0b"},
        {"items": ["a", "b"]},
        {"items": ["a", "b", "a"]},
    ],
)
def test_many_items_come_joined_by_nul_or_as_a_list_and_count_once_each(said: dict[str, Any]) -> None:
    assert read_report(body(downloader="ann", **said)).items == ("a", "b")


@pytest.mark.parametrize(
    "said",
    [
        {},
        {"item": ""},
        {"item": "a\0\0b"},
        {"item": "a" * 2049},
        {"items": ["a"] * 10_001},
        {"item": "a", "bytes": {"web": -1}},
        {"item": "a", "bytes": {"web": 2**70}},
        {"item": "a", "bytes": {"web": LARGEST_COUNT + 1}},
        {"item": "a", "bytes": {"web": "12"}},
        {"item": "a", "bytes": {"web": None}},
        {"item": "a", "bytes": {"web": 1e300}},
        {"item": "a", "bytes": [1]},
        {"item": 5},
    ],
)
def test_a_report_that_cannot_be_one_is_refused_whole(said: dict[str, Any]) -> None:
    with pytest.raises(InvalidError):
        read_report(body(downloader="ann", **said))


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(said: bytes) -> None:
    for read in (read_report, lambda body: read_ask(body, PLAIN, NEW)):
        with contextlib.suppress(InvalidError):
            read(said)


@given(st.text(max_size=60))
def test_any_path_can_be_read(path: str) -> None:
    read_path(path)
    read_look(path)


@pytest.mark.parametrize("said", [b'{"item": NaN}', b'{"downloader": "ann", "item": "\xff"}', b"[" * 100_000])
def test_what_is_no_json_is_refused_in_a_sentence(said: bytes) -> None:
    with pytest.raises(InvalidError, match="no JSON"):
        read_report(said)
