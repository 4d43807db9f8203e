"""Slots as every cluster computes them, and what servers say about their moves."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.store.live.address import Endpoint
from holdfast.store.live.slots import SLOTS, Redirect, first_key, read_slots, redirect, slot

HERE = Endpoint("10.0.0.1", 6379)


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("123456789", 0x31C3),
        ("", 0),
        ("foo{bar}baz", slot("bar")),
        ("foo{}{bar}", 8363),
        ("foo{{bar}}zap", slot("{bar")),
        ("foo{bar}{zap}", slot("bar")),
        (b"\xff\x00", slot(b"\xff\x00")),
    ],
)
def test_known_slots(key: str | bytes, expected: int) -> None:
    assert slot(key) == expected


@given(st.binary(max_size=30), st.binary(min_size=1, max_size=9).filter(lambda tag: b"}" not in tag))
def test_only_what_stands_in_the_first_braces_counts(rest: bytes, tag: bytes) -> None:
    before = rest.replace(b"{", b"")
    assert slot(before + b"{" + tag + b"}" + rest) == slot(tag) < SLOTS


@pytest.mark.parametrize(
    ("command", "key"),
    [
        (("GET", "k"), "k"),
        ((b"get", b"k"), b"k"),
        (("SET", 7, "v"), "7"),
        (("PING",), None),
        (("INFO", "server"), None),
        (("PUBLISH", "c", "m"), None),
        (("FCALL", "f", 2, "a", "b", "c"), "a"),
        (("fcall", "f", "0", "arg"), None),
        (("EVAL", "return 1", 1, "k"), "k"),
        (("OBJECT", "ENCODING", "k"), "k"),
        (("XINFO", "STREAM", "k"), "k"),
        (("XREAD", "COUNT", 5, "STREAMS", "s", "t", 0, 0), "s"),
        (("XADD", "s", "*", "a", 1), "s"),
        (("ZINTER", 2, "a", "b"), "a"),
        (("BITOP", "AND", "to", "from"), "to"),
        (("MGET",), None),
    ],
)
def test_where_a_commands_key_stands(command: tuple[str | int | bytes, ...], key: str | None) -> None:
    assert first_key(command) == key


def test_a_redirect_is_read_with_the_host_that_answered_where_none_is_named() -> None:
    assert redirect("MOVED 3999 10.0.0.2:6381", HERE) == Redirect(
        3999, Endpoint("10.0.0.2", 6381), asking=False
    )
    assert redirect("ASK 1 :6381", HERE) == Redirect(1, Endpoint("10.0.0.1", 6381), asking=True)
    assert redirect("MOVED 1 ::1:6381", HERE) == Redirect(1, Endpoint("::1", 6381), asking=False)
    assert redirect("WRONGTYPE Operation against", HERE) is None
    assert redirect("ERR MOVED 1 x:1", HERE) is None


def test_the_map_of_slots_is_read_with_holes_and_nameless_hosts() -> None:
    said = [[0, 1, [b"10.0.0.2", 1, b"id"], [b"10.0.0.3", 1, b"replica"]], [3, 16383, [None, 2, b"id"]]]
    owners = read_slots(said, HERE)
    assert owners[:4] == [Endpoint("10.0.0.2", 1)] * 2 + [None, Endpoint("10.0.0.1", 2)]
    assert len(owners) == SLOTS
    assert read_slots([], HERE) == [None] * SLOTS
