"""What the live store keeps of uploads: which targets were named, and what volunteers say they brought."""

from collections.abc import Sequence

import msgspec

from holdfast.items import keys
from holdfast.items.model import Carried
from holdfast.store.live import LiveStore, Reply
from holdfast.store.live.keys import KeyName

KEPT = 10_000
"""Reports for each server; older ones make room."""


class Uploads:
    def __init__(self, live: LiveStore, slug: str) -> None:
        self._live = live
        self._slug = slug

    async def given(self, target_id: int) -> None:
        await self._live.call("HINCRBY", self._name(keys.GIVEN), target_id, 1)

    async def reported(self, server: str, report: dict[str, str | float]) -> None:
        """Counted only once it is written, so that a count without a report cannot be."""
        log = self._name(keys.UPLOADED, server=server)
        await self._live.batch(
            [
                ("RPUSH", log, msgspec.json.encode(report)),
                ("LTRIM", log, -KEPT, -1),
                ("HINCRBY", self._name(keys.REPORTED), server, 1),
            ]
        )

    async def carried(self, targets: Sequence[tuple[int, str]]) -> list[Carried]:
        """For each number of a target and name of its server."""
        if not targets:
            return []
        given, reported = await self._live.batch(
            [
                ("HMGET", self._name(keys.GIVEN), *[number for number, _ in targets]),
                ("HMGET", self._name(keys.REPORTED), *[server for _, server in targets]),
            ],
            repeat=True,
        )
        pairs = zip(_counts(given), _counts(reported), strict=True)
        return [Carried(named, told) for named, told in pairs]

    def _name(self, key: KeyName, **parts: str) -> str:
        return keys.name(key, self._live.layout, self._slug, **parts)


def _counts(reply: Reply) -> list[int]:
    return [int(each) if isinstance(each, bytes) else 0 for each in reply] if isinstance(reply, list) else []
