"""The addresses that volunteers' clients speak to, as each generation of them expects it."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final, TypeAlias

import msgspec
import structlog

from holdfast.clock import Clock
from holdfast.errors import HoldfastError, InvalidError, UnavailableError
from holdfast.items import rules
from holdfast.items.model import Claim, Holder, Project, Status, Unknown, Verdict
from holdfast.items.service.register import Register
from holdfast.items.store.live import Bench, Told
from holdfast.store.live import LiveReplyError, LiveStore
from holdfast.wire.volunteers import Ask, Call, Report, Verb, read_ask, read_path, read_report

log = structlog.get_logger()
Scope: TypeAlias = Mapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Mapping[str, Any]]]
Send: TypeAlias = Callable[[Any], Awaitable[None]]

LONGEST_BODY: Final = 8 << 20
MINUTE: Final = "%Y%m%d%H%M"
JSON: Final = b"application/json"
PLAIN: Final = b"text/plain; charset=utf-8"


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    body: bytes = b""
    kind: bytes = PLAIN


OK: Final = Answer(200, b"OK")
INVALID: Final = Answer(200, b"Invalid item.")
NOTHING: Final = Answer(404)
# The seed's own addresses say no in other numbers than those that name a project.
REFUSALS: Final = {
    Status.BLOCKED: (404, 403),
    Status.BUSY: (404, 404),
    Status.LIMITED: (420, 429),
    Status.EMPTY: (404, 404),
    Status.OUTDATED: (455, 455),
}
AWAY: Final = Answer(503)


class Machine:
    """Whatever goes wrong, a client hears something that makes it wait and try again."""

    def __init__(self, register: Register, live: LiveStore, clock: Clock) -> None:
        self._register = register
        self._live = live
        self._clock = clock
        self._last = 0

    def wants(self, scope: Scope) -> Call | None:
        """What this request asks of us, if it is for us at all."""
        return read_path(scope["path"]) if scope.get("method") == "POST" else None

    async def serve(self, call: Call, scope: Scope, receive: Receive, send: Send) -> None:
        await _send(send, await self._answer(call, scope, receive))

    async def _answer(self, call: Call, scope: Scope, receive: Receive) -> Answer:
        try:
            body = await _body(receive)
            return await self._do(call, scope, body)
        except InvalidError as error:
            return Answer(400, f"{error}\n".encode())
        except (UnavailableError, LiveReplyError) as error:
            log.warning("volunteer not served", verb=call.verb, reason=str(error))
            return AWAY
        except HoldfastError as error:
            return Answer(403, f"{error}\n".encode())

    async def _do(self, call: Call, scope: Scope, body: bytes) -> Answer:
        headers = dict(scope["headers"])
        project = self._register.find(call.slug, headers.get(b"host", b"").decode("latin-1"))
        if project is None:
            return NOTHING
        agent = headers.get(b"user-agent", b"").decode("latin-1")[:256]
        address = scope["state"]["address"] or "unknown"
        match call.verb:
            case Verb.REQUEST:
                return await self._claim(call, project, read_ask(body, call, agent), address)
            case Verb.DONE:
                return await self._report(project, read_report(body), address, agent)
            case Verb.DONE_REQUEST:
                await self._report(project, read_report(body), address, agent)
                return await self._claim(call, project, read_ask(body, call, agent), address)
            case Verb.RELEASE:
                return await self._release(project, body, address)
            case _:
                return NOTHING

    async def _claim(self, call: Call, project: Project, ask: Ask, address: str) -> Answer:
        refused = rules.gives_out(project, ask.version)
        if refused is None:
            holder = Holder(ask.name, address)
            found = await self._bench(project).claim(
                holder, call.many or 1, self._moment(), smooth=project.smooth
            )
            if found.status is Status.OK:
                return _given(project, ask, found)
            refused = found.status
        return Answer(REFUSALS[refused][call.slug is not None])

    async def _report(self, project: Project, report: Report, address: str, agent: str) -> Answer:
        """A well-formed report is answered so that its client can go on, whatever became of the items."""
        if not rules.takes_reports(project):
            return NOTHING
        if not rules.counts_for(project, report.counted):
            log.warning(
                "bytes of unknown domains",
                project=project.slug,
                by=report.name,
                domains=[*report.counted][:9],
            )
            return OK
        now = self._clock.now()
        told = Told(
            report, Holder(report.name, address), agent, rules.claimed_at(project, report.name, report.claim)
        )
        verdicts = await self._bench(project).report(told, now, _minute(now))
        strange = [item for item, said in zip(report.items, verdicts, strict=True) if said in STRANGE]
        if strange:
            log.warning("items reported by others than their holders", project=project.slug, by=report.name,
                        items=strange[:9])  # fmt: skip
        if len(strange) == len(report.items) and project.unknown is Unknown.INVALID:
            return INVALID
        return OK

    async def _release(self, project: Project, body: bytes, address: str) -> Answer:
        report = read_report(body)
        released = await self._bench(project).release(
            report.items, Holder(report.name, address), self._clock.now()
        )
        return Answer(200, msgspec.json.encode({"items": released}), JSON)

    def _bench(self, project: Project) -> Bench:
        return Bench(self._live, project.prefix)

    def _moment(self) -> float:
        """Now, in millionths of a second that are no other claim's of this process."""
        self._last = max(self._last + 1, int(self._clock.now() * 1_000_000))
        return self._last / 1_000_000


STRANGE: Final = frozenset({Verdict.FOREIGN, Verdict.UNKNOWN})


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
    return Answer(200, msgspec.json.encode(said), JSON)


def _minute(now: float) -> str:
    return datetime.fromtimestamp(now, UTC).strftime(MINUTE)


async def _body(receive: Receive) -> bytes:
    parts, size = [], 0
    while True:
        message = await receive()
        if message["type"] != "http.request":
            raise InvalidError("The request broke off.")
        part = message.get("body", b"")
        size += len(part)
        if size > LONGEST_BODY:
            raise InvalidError(f"A report has at most {LONGEST_BODY} bytes.")
        parts.append(part)
        if not message.get("more_body"):
            return b"".join(parts)


async def _send(send: Send, answer: Answer) -> None:
    headers = [(b"content-type", answer.kind), (b"content-length", b"%d" % len(answer.body))]
    await send({"type": "http.response.start", "status": answer.status, "headers": headers})
    await send({"type": "http.response.body", "body": answer.body})
