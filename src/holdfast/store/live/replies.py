"""Turns what the store answers into the value that was expected, or says that it was something else."""

from collections.abc import Sequence
from itertools import pairwise

from holdfast.store.live.errors import LiveReplyError, UnexpectedReplyError
from holdfast.store.live.interface import Reply


def raw(reply: Reply) -> bytes:
    if isinstance(reply, bytes):
        return reply
    raise _unexpected("bytes", reply)


def raw_or_none(reply: Reply) -> bytes | None:
    return None if reply is None else raw(reply)


def text(reply: Reply) -> str:
    return _decoded(raw(reply))


def text_or_none(reply: Reply) -> str | None:
    return None if reply is None else text(reply)


def integer(reply: Reply) -> int:
    """A number as the store counts (`:5`), or one that it keeps as text (`"5"`)."""
    if isinstance(reply, int):
        return reply
    try:
        return int(raw(reply))
    except ValueError:
        raise UnexpectedReplyError("a whole number", reply) from None


def integer_or_none(reply: Reply) -> int | None:
    return None if reply is None else integer(reply)


def number(reply: Reply) -> float:
    try:
        return float(reply if isinstance(reply, int) else raw(reply))
    except ValueError:
        raise UnexpectedReplyError("a number", reply) from None


def number_or_none(reply: Reply) -> float | None:
    return None if reply is None else number(reply)


def flag(reply: Reply) -> bool:
    """Whether something was there, changed or done: 1 or 0."""
    if isinstance(reply, int) and reply in {0, 1}:
        return reply == 1
    raise _unexpected("0 or 1", reply)


def done(reply: Reply) -> None:
    """The store's plain OK."""
    if reply != b"OK":
        raise _unexpected("OK", reply)


def items(reply: Reply) -> list[Reply]:
    if isinstance(reply, list):
        return reply
    raise _unexpected("a list", reply)


def texts(reply: Reply) -> list[str]:
    return [text(item) for item in items(reply)]


def texts_or_none(reply: Reply) -> list[str | None]:
    """As HMGET and MGET answer: None where nothing is."""
    return [text_or_none(item) for item in items(reply)]


def integers(reply: Reply) -> list[int]:
    return [integer(item) for item in items(reply)]


def mapping(reply: Reply) -> dict[str, str]:
    """A whole hash, as HGETALL answers."""
    return dict(_pairs(texts(reply), reply))


def scores(reply: Reply) -> list[tuple[str, float]]:
    """Members with scores, as ZRANGE … WITHSCORES answers."""
    return [(member, number(score.encode())) for member, score in _pairs(texts(reply), reply)]


def all_done(replies: Sequence[Reply]) -> None:
    """Raises the first refusal of a batch whose answers do not matter otherwise."""
    for reply in replies:
        if isinstance(reply, LiveReplyError):
            raise reply


def _pairs(flat: list[str], reply: Reply) -> list[tuple[str, str]]:
    if len(flat) % 2:
        raise UnexpectedReplyError("pairs", reply)
    return list(pairwise(flat))[::2]


def _decoded(value: bytes) -> str:
    try:
        return value.decode()
    except UnicodeDecodeError:
        raise UnexpectedReplyError("text in UTF-8", value) from None


def _unexpected(wanted: str, reply: Reply) -> LiveReplyError:
    """A refusal from the store is told as such; it is not a wrong shape."""
    return reply if isinstance(reply, LiveReplyError) else UnexpectedReplyError(wanted, reply)
