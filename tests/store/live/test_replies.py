"""Replies become the value that was expected, or an error that says what came instead."""

from collections.abc import Callable

import pytest

from holdfast.store.live import replies
from holdfast.store.live.errors import (
    LiveReplyError,
    LiveStoreUnready,
    UnexpectedReplyError,
    reply_error,
)
from holdfast.store.live.interface import Reply

REFUSED = reply_error("WRONGTYPE Operation against a key holding the wrong kind of value")


@pytest.mark.parametrize(
    ("read", "reply", "value"),
    [
        (replies.raw, b"\xff", b"\xff"),
        (replies.raw_or_none, None, None),
        (replies.text, "å".encode(), "å"),
        (replies.text_or_none, None, None),
        (replies.integer, 5, 5),
        (replies.integer, b"-7", -7),
        (replies.integer_or_none, None, None),
        (replies.number, b"0.5", 0.5),
        (replies.number, b"inf", float("inf")),
        (replies.number, 2, 2.0),
        (replies.number_or_none, None, None),
        (replies.flag, 1, True),
        (replies.flag, 0, False),
        (replies.done, b"OK", None),
        (replies.texts, [b"a", b"b"], ["a", "b"]),
        (replies.texts_or_none, [b"a", None], ["a", None]),
        (replies.integers, [1, b"2"], [1, 2]),
        (replies.mapping, [b"a", b"1", b"b", b"2"], {"a": "1", "b": "2"}),
        (replies.mapping, [], {}),
        (replies.scores, [b"a", b"1.5", b"b", b"2"], [("a", 1.5), ("b", 2.0)]),
    ],
)
def test_what_was_expected(read: Callable[[Reply], object], reply: Reply, value: object) -> None:
    assert read(reply) == value


@pytest.mark.parametrize(
    ("read", "reply", "wanted"),
    [
        (replies.raw, 5, "bytes"),
        (replies.text, b"\xff", "UTF-8"),
        (replies.text, None, "bytes"),
        (replies.integer, b"x", "whole number"),
        (replies.integer, [], "bytes"),
        (replies.number, b"x", "a number"),
        (replies.flag, 2, "0 or 1"),
        (replies.done, b"QUEUED", "OK"),
        (replies.texts, b"x", "a list"),
        (replies.texts, [None], "bytes"),
        (replies.mapping, [b"a"], "pairs"),
        (replies.scores, [b"a", b"x"], "a number"),
    ],
)
def test_what_was_not_expected_is_named(read: Callable[[Reply], object], reply: Reply, wanted: str) -> None:
    with pytest.raises(UnexpectedReplyError, match=wanted):
        read(reply)


@pytest.mark.parametrize(
    "read", [replies.raw, replies.text, replies.integer, replies.flag, replies.done, replies.texts]
)
def test_a_refusal_comes_out_as_itself(read: Callable[[Reply], object]) -> None:
    with pytest.raises(LiveReplyError) as refused:
        read(REFUSED)
    assert refused.value is REFUSED


def test_the_first_refusal_of_a_batch_is_raised() -> None:
    replies.all_done([b"OK", 1, None])
    with pytest.raises(LiveReplyError) as refused:
        replies.all_done([b"OK", REFUSED, reply_error("ERR other")])
    assert refused.value is REFUSED


def test_refusals_that_pass_are_told_apart_with_advice() -> None:
    full = reply_error("OOM command not allowed when used memory > 'maxmemory'.")
    assert isinstance(full, LiveStoreUnready)
    assert full.code == "OOM"
    assert str(full).startswith("The live store is full and takes no more writes")
    assert not isinstance(REFUSED, LiveStoreUnready)
    assert str(REFUSED).startswith("The live store refused a command: WRONGTYPE")
