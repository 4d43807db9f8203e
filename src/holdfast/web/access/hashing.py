"""Passwords, hashed slowly on purpose and never more than a few at once."""

import asyncio
import secrets
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from holdfast.errors import UnavailableError

P = ParamSpec("P")
T = TypeVar("T")
AT_ONCE = 2
QUEUE = 64


class Passwords:
    """Argon2id with OWASP's first choice for memory and time: the only slow thing a stranger can ask for."""

    def __init__(self) -> None:
        self._hasher = PasswordHasher(time_cost=2, memory_cost=19 * 1024, parallelism=1)
        self._turns = asyncio.Semaphore(AT_ONCE)
        self._queue = 0
        # What a name that does not exist is checked against, so that it takes the same time.
        self._nobody = self._hasher.hash(secrets.token_urlsafe())

    async def hash(self, password: str) -> str:
        return await self._in_turn(self._hasher.hash, password)

    async def fits(self, password: str, hashed: str | None) -> bool:
        good = await self._in_turn(self._verify, hashed or self._nobody, password)
        return good and hashed is not None

    def outdated(self, hashed: str) -> bool:
        """Whether it was made with other parameters than today's."""
        return self._hasher.check_needs_rehash(hashed)

    def _verify(self, hashed: str, password: str) -> bool:
        try:
            return self._hasher.verify(hashed, password)
        except (VerificationError, InvalidHashError):
            return False

    async def _in_turn(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        if self._queue >= QUEUE:
            raise UnavailableError(
                "Too many people are signing in at this moment; try again in a few seconds."
            )
        self._queue += 1
        try:
            async with self._turns:
                return await asyncio.to_thread(work, *args, **kwargs)
        finally:
            self._queue -= 1
