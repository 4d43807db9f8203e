"""Volunteers' clients are given items and report them, as each generation of clients expects it."""

from datetime import UTC, datetime
from typing import Final

import msgspec
import structlog

from holdfast.clock import Clock
from holdfast.items import rules
from holdfast.items.machine.answers import INVALID, JSON, NOTHING, OK, Answer, Visitor
from holdfast.items.model import Claim, Holder, Project, Status, Unknown, Verdict
from holdfast.items.service.herald import Herald
from holdfast.items.service.register import Register
from holdfast.items.store.live import Bench, Told
from holdfast.store.live import LiveStore
from holdfast.wire.volunteers import Ask, Call, Report, Verb, read_ask, read_report

log = structlog.get_logger()
MINUTE: Final = "%Y%m%d%H%M"
# The seed's own addresses say no in other numbers than those that name a project.
REFUSALS: Final = {
    Status.BLOCKED: (404, 403),
    Status.BUSY: (404, 404),
    Status.LIMITED: (420, 429),
    Status.EMPTY: (404, 404),
    Status.OUTDATED: (455, 455),
}
STRANGE: Final = frozenset({Verdict.FOREIGN, Verdict.UNKNOWN})
RELEASED: Final = Answer(200, b"Released OK.\n")


class Volunteers:
    def __init__(self, register: Register, live: LiveStore, clock: Clock, herald: Herald) -> None:
        self._register = register
        self._herald = herald
        self._live = live
        self._clock = clock
        self._last = 0

    async def serve(self, call: Call, project: Project, visitor: Visitor, body: bytes) -> Answer:
        if call.verb is Verb.REQUEST:
            return await self._claim(call, project, read_ask(body, call, visitor.agent), visitor)
        said = read_report(body)
        if call.verb is Verb.DONE_REQUEST:
            await self._report(project, said, visitor)
            return await self._claim(call, project, read_ask(body, call, visitor.agent), visitor)
        heard = {
            Verb.DONE: self._report,
            Verb.RELEASE: self._hand_back,
            Verb.FAIL: self._fail,
            Verb.HEARTBEAT: self._renew,
        }.get(call.verb)
        return NOTHING if heard is None else await heard(project, said, visitor)

    async def _claim(self, call: Call, project: Project, ask: Ask, visitor: Visitor) -> Answer:
        refused = self._refusal(project, ask, visitor)
        if refused is None:
            holder = Holder(ask.name, visitor.address)
            many, at = call.many or 1, self._moment()
            found = await self._bench(project).claim(holder, many, at, smooth=project.smooth)
            if found.status is Status.OK:
                return _given(project, ask, found)
            refused = found.status
        return Answer(REFUSALS[refused][call.slug is not None])

    def _refusal(self, project: Project, ask: Ask, visitor: Visitor) -> Status | None:
        """Why he gets nothing, as far as the live store need not be asked."""
        refused, now = rules.gives_out(project, ask.version), self._clock.now()
        if refused is not None:
            return refused
        if self._register.blocks.stops(project, ask.name, visitor.address, now):
            return Status.BLOCKED
        return None if rules.can_store(self._register.targets(project), now) else Status.EMPTY

    async def _report(self, project: Project, report: Report, visitor: Visitor) -> Answer:
        """A well-formed report is answered so that its client can go on, whatever became of the items."""
        if not rules.takes_reports(project):
            return NOTHING
        if not rules.counts_for(project, report.counted):
            domains = sorted(report.counted)[:9]
            log.warning("bytes of unknown domains", project=project.slug, by=report.name, domains=domains)
            return OK
        now = self._clock.now()
        claimed = rules.claimed_at(project, report.name, report.claim)
        told = Told(report, Holder(report.name, visitor.address), visitor.agent, claimed)
        verdicts = await self._bench(project).report(told, now, _minute(now))
        self._herald.hear(project, told, verdicts)
        strange = [item for item, said in zip(report.items, verdicts, strict=True) if said in STRANGE]
        if strange:
            log.warning("not whose claim it is", project=project.slug, by=report.name, items=strange[:9])
        if len(strange) == len(report.items) and project.unknown is Unknown.INVALID:
            return INVALID
        return OK

    async def _hand_back(self, project: Project, report: Report, visitor: Visitor) -> Answer:
        """Newer clients name several items and take nothing but `items`; older ones want a word."""
        holder = Holder(report.name, visitor.address)
        released = await self._bench(project).release(report.items, holder, self._clock.now())
        if not report.listed:
            return RELEASED if released else INVALID
        return _items(released)

    async def _fail(self, project: Project, report: Report, visitor: Visitor) -> Answer:
        """An item that could not be done goes to somebody else, and after too many of them to staff."""
        holder, why = Holder(report.name, visitor.address), rules.reason(report.reason)
        bench, now = self._bench(project), self._clock.now()
        return _items(await bench.release(report.items, holder, now, why, project.attempts))

    async def _renew(self, project: Project, report: Report, visitor: Visitor) -> Answer:
        holder = Holder(report.name, visitor.address)
        return _items(await self._bench(project).renew(report.items, holder, self._moment()))

    def _bench(self, project: Project) -> Bench:
        return Bench(self._live, project.prefix)

    def _moment(self) -> float:
        """Now, in millionths of a second that are no other claim's of this process."""
        self._last = max(self._last + 1, int(self._clock.now() * 1_000_000))
        return self._last / 1_000_000


def _given(project: Project, ask: Ask, claim: Claim) -> Answer:
    names = [one.item for one in claim.items]
    if not ask.as_json:
        return Answer(200, names[0].encode(errors="surrogateescape"))
    said = {
        "item_name": "\0".join(names),
        "items": names,
        "queues": [one.queue for one in claim.items],
        "claim": rules.token(project, ask.name, claim.at),
    }
    return Answer(200, msgspec.json.encode(said | rules.extras(project, names)), JSON)


def _items(items: list[str]) -> Answer:
    return Answer(200, msgspec.json.encode({"items": items}), JSON)


def _minute(now: float) -> str:
    return datetime.fromtimestamp(now, UTC).strftime(MINUTE)
