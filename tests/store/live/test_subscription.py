"""What is heard and not yet read: in order, and never lost without a word."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.store.live.errors import LiveStoreAway
from holdfast.store.live.interface import Gap, Message
from holdfast.store.live.subscription import Inbox


@given(limit=st.integers(1, 5), steps=st.lists(st.booleans(), max_size=40))
def test_every_message_is_read_in_order_or_counted_as_dropped(limit: int, steps: list[bool]) -> None:
    async def story() -> None:
        inbox = Inbox(limit)
        read: list[int] = []
        put, dropped = 0, 0
        for puts in [*steps, *[False] * 40]:
            if puts:
                inbox.put(Message("c", b"%d" % put))
                put += 1
            elif put > dropped + len(read):
                heard = await anext(inbox)
                if isinstance(heard, Gap):
                    dropped += int(heard.reason.split()[0])
                else:
                    read.append(int(heard.data))
        assert read == sorted(set(read))
        assert len(read) + dropped == put

    asyncio.run(story())


def test_a_closed_inbox_tells_its_reader() -> None:
    async def story() -> None:
        inbox = Inbox(5)
        inbox.put(Message("c", b"last"))
        inbox.close()
        assert await anext(inbox) == Message("c", b"last")
        with pytest.raises(LiveStoreAway, match="closed"):
            await anext(inbox)

    asyncio.run(story())
