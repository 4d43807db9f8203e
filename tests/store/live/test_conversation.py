"""One connection: whatever is cut, cancelled or lost, each answer reaches the one who asked, or nobody."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.store.live.conversation import Conversation, NotSentError, pack
from holdfast.store.live.errors import LiveAnswerLost
from holdfast.store.live.interface import Reply, Traffic


class Wire(asyncio.Transport):
    """Takes down what is written; answers come by `data_received`."""

    def __init__(self) -> None:
        super().__init__()
        self.written: list[bytes] = []
        self.buffered = 0
        self.aborted = False

    def write(self, data: Any) -> None:
        self.written.append(bytes(data))

    def get_write_buffer_size(self) -> int:
        return self.buffered

    def abort(self) -> None:
        self.aborted = True


Scene = Callable[[Conversation, Wire], Awaitable[None]]


def play(scene: Scene) -> None:
    async def played() -> None:
        conversation, wire = Conversation(Traffic()), Wire()
        conversation.connection_made(wire)
        await scene(conversation, wire)

    asyncio.run(played())


async def a_turn() -> None:
    await asyncio.sleep(0)
    await asyncio.sleep(0)


@given(
    requests=st.lists(st.tuples(st.integers(1, 3), st.booleans()), min_size=1, max_size=12),
    cuts=st.lists(st.integers(1, 40), max_size=20),
)
def test_answers_reach_who_asked_however_cut_and_whoever_is_cancelled(
    requests: list[tuple[int, bool]], cuts: list[int]
) -> None:
    async def scene(conversation: Conversation, wire: Wire) -> None:
        futures = []
        for number, (replies, cancelled) in enumerate(requests):
            future = conversation.ask(b"?" * replies, replies)
            futures.append((number, replies, cancelled, future))
            if cancelled and number % 2:
                future.cancel()
        await a_turn()
        for number, _, cancelled, future in futures:
            if cancelled and not number % 2:
                future.cancel()
        stream = b"".join(b":%d\r\n" % number * replies for number, replies, _, _ in futures)
        for cut in cuts:
            conversation.data_received(stream[:cut])
            stream = stream[cut:]
        conversation.data_received(stream)
        for number, replies, cancelled, future in futures:
            assert future.cancelled() if cancelled else future.result() == [number] * replies

    play(scene)


def test_what_is_asked_within_one_turn_leaves_in_one_write() -> None:
    async def scene(conversation: Conversation, wire: Wire) -> None:
        for number in range(100):
            conversation.ask(b"%d," % number, 1)
        await a_turn()
        conversation.ask(b"more", 1)
        await a_turn()
        assert wire.written == [b"".join(b"%d," % number for number in range(100)), b"more"]

    play(scene)


def test_nothing_is_written_while_the_other_side_does_not_read() -> None:
    async def scene(conversation: Conversation, wire: Wire) -> None:
        conversation.pause_writing()
        conversation.ask(b"a", 1)
        await a_turn()
        conversation.ask(b"b", 1)
        await a_turn()
        assert wire.written == []
        conversation.resume_writing()
        assert wire.written == [b"ab"]

    play(scene)


@given(sent=st.integers(0, 5), kept=st.integers(0, 5), answered=st.integers(0, 5))
def test_a_broken_connection_tells_what_was_sent_from_what_was_not(
    sent: int, kept: int, answered: int
) -> None:
    async def scene(conversation: Conversation, wire: Wire) -> None:
        out = [conversation.ask(b"x", 1) for _ in range(sent)]
        await a_turn()
        conversation.pause_writing()
        held = [conversation.ask(b"y", 1) for _ in range(kept)]
        await a_turn()
        conversation.data_received(b"+OK\r\n" * min(answered, sent))
        conversation.connection_lost(OSError("the line is cut"))
        for number, future in enumerate(out):
            if number < answered:
                assert future.result() == [b"OK"]
            else:
                assert isinstance(future.exception(), LiveAnswerLost)
        assert all(isinstance(future.exception(), NotSentError) for future in held)
        assert isinstance(conversation.ask(b"z", 1).exception(), NotSentError)
        assert conversation.lost.result() == "the line is cut"

    play(scene)


def test_a_reply_that_nobody_asked_for_ends_the_connection() -> None:
    async def scene(conversation: Conversation, wire: Wire) -> None:
        conversation.data_received(b"+OK\r\n")
        assert wire.aborted
        assert "nobody asked" in conversation.lost.result()

    play(scene)


def test_what_is_no_reply_ends_the_connection() -> None:
    async def scene(conversation: Conversation, wire: Wire) -> None:
        answer = conversation.ask(b"x", 1)
        await a_turn()
        conversation.data_received(b"HTTP/1.1 400 Bad Request\r\n")
        assert wire.aborted
        assert isinstance(answer.exception(), LiveAnswerLost)

    play(scene)


def test_pushes_come_after_the_answers_that_are_owed() -> None:
    async def scene(conversation: Conversation, wire: Wire) -> None:
        pushed: list[Reply] = []
        conversation.pushed = pushed.append
        answer = conversation.ask(b"x", 1)
        await a_turn()
        conversation.data_received(b":1\r\n*1\r\n$1\r\na\r\n:2\r\n")
        assert answer.result() == [1]
        assert pushed == [[b"a"], 2]

    play(scene)


def test_silence_is_an_answer_owed_all_through_an_interval_with_nothing_moving() -> None:
    async def scene(conversation: Conversation, wire: Wire) -> None:
        assert not conversation.silent()
        conversation.ask(b"x", 1)
        await a_turn()
        assert not conversation.silent(), "asked within the interval"
        conversation.data_received(b"$100\r\nthe answer has begun")
        assert not conversation.silent(), "something was heard"
        wire.buffered = 10
        assert conversation.silent()
        wire.buffered = 5
        assert not conversation.silent(), "the question is still on its way out"
        assert conversation.silent()

    play(scene)


def test_commands_are_packed_and_what_cannot_be_is_refused() -> None:
    assert pack(("SET", b"\xff", 1.5)) == b"*3\r\n$3\r\nSET\r\n$1\r\n\xff\r\n$3\r\n1.5\r\n"
    for wrong in (None, True, [1]):
        with pytest.raises(TypeError):
            pack(("SET", "k", wrong))  # type: ignore[arg-type]
