"""Blocking looks (a hung disk, a slow name server) in threads that nobody has to wait for."""

import asyncio
import threading
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


async def in_thread(look: Callable[[], T]) -> T:
    """As asyncio.to_thread, but a look that never returns does not keep the program from ending."""
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[T] = loop.create_future()

    def give(outcome: Callable[[], None]) -> None:
        if not answer.done():
            outcome()

    def work() -> None:
        try:
            seen = look()
        except BaseException as error:  # noqa: BLE001 - raised where it is awaited
            trouble = error
            tell: Callable[[], None] = lambda: answer.set_exception(trouble)  # noqa: E731
        else:
            tell = lambda: answer.set_result(seen)  # noqa: E731
        if not loop.is_closed():
            loop.call_soon_threadsafe(give, tell)

    threading.Thread(target=work, name="doctor", daemon=True).start()
    return await answer
