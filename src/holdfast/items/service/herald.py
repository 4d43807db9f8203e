"""What volunteers report is told to whoever listens, a moment later: no client waits for it."""

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

import msgspec
import structlog

from holdfast.catalogue.keys import EVENTS
from holdfast.clock import Clock
from holdfast.errors import UnavailableError
from holdfast.items import keys
from holdfast.items.model import Counts, Project, Verdict
from holdfast.items.store.live import Bench, Told
from holdfast.store.live import LiveReplyError, LiveStore
from holdfast.store.live.interface import Command

log = structlog.get_logger()
BEAT: Final = 0.25
MOST: Final = 1000
"""Reports in one beat that are told; of more, the oldest are left out."""
SHOWN: Final = 20
"""Reports in one beat that pages are shown of a project."""
LONGEST: Final = 200
MEGABYTE: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class Heard:
    project: Project
    told: Told
    duplicate: bool


class Herald:
    def __init__(self, live: LiveStore, clock: Clock) -> None:
        self._live = live
        self._clock = clock
        self._heard: deque[Heard] = deque(maxlen=MOST)

    def hear(self, project: Project, told: Told, verdicts: Sequence[Verdict]) -> None:
        """A report is stored; one that finished nothing is told only if it is of what was finished before."""
        known = set(verdicts) & {Verdict.COUNTED, Verdict.DUPLICATE}
        if known:
            self._heard.append(Heard(project, told, Verdict.COUNTED not in known))

    async def run(self) -> None:
        """Until cancelled."""
        while True:
            await self._clock.sleep(BEAT)
            heard, self._heard = self._heard, deque(maxlen=MOST)
            try:
                await self._tell(heard)
            except (UnavailableError, LiveReplyError) as error:
                log.warning("reports not told", count=len(heard), reason=str(error))

    async def _tell(self, heard: Iterable[Heard]) -> None:
        by_project: dict[int, list[Heard]] = {}
        for each in heard:
            by_project.setdefault(each.project.id, []).append(each)
        for reports in by_project.values():
            counts = await Bench(self._live, reports[0].project.prefix).counts()
            await self._live.batch(self._messages(reports, counts))

    def _messages(self, reports: Sequence[Heard], counts: Counts) -> list[Command]:
        channel, events = keys.REPORTS.name(self._live.layout), EVENTS.name(self._live.layout)
        event = {
            "event": "items.reported",
            "topic": "items",
            "data": {
                "project": reports[0].project.slug,
                "reports": [_shown(each) for each in reports[-SHOWN:]],
                "more": len(reports[:-SHOWN]),
                "counts": asdict(counts),
            },
            "at": self._clock.now(),
        }
        told: list[Command] = [
            ("PUBLISH", channel, msgspec.json.encode(_message(each, counts))) for each in reports
        ]
        return [*told, ("PUBLISH", events, msgspec.json.encode(event))]


def _shown(heard: Heard) -> dict[str, Any]:
    """As much as a line on a page has room for."""
    report = heard.told.report
    return {
        "downloader": report.name,
        "item": report.items[0][:LONGEST],
        "items": len(report.items),
        "bytes": sum(report.counted.values()),
        "version": report.version,
        "is_duplicate": heard.duplicate,
    }


def _message(heard: Heard, counts: Counts) -> dict[str, Any]:
    report = heard.told.report
    return {
        "downloader": report.name,
        "user_agent": heard.told.agent,
        "item": "\0".join(report.items),
        "megabytes": sum(report.counted.values()) / MEGABYTE,
        "domain_bytes": report.counted,
        "version": report.version,
        "log_channel": f"{heard.project.slug}-log",
        "is_duplicate": heard.duplicate,
        "counts": {"todo": counts.todo, "out": counts.out, "done": counts.done},
    }
