"""The addresses that volunteers' clients and other programs know from the trackers before this one."""

from random import SystemRandom

import structlog

from holdfast.clock import Clock
from holdfast.errors import HoldfastError, InvalidError, UnavailableError
from holdfast.items.machine.answers import (
    AWAY,
    NOTHING,
    Answer,
    Receive,
    Scope,
    Send,
    Visitor,
    read_body,
    send_answer,
)
from holdfast.items.machine.boards import Boards
from holdfast.items.machine.couriers import Couriers
from holdfast.items.machine.volunteers import Volunteers
from holdfast.items.model import Project
from holdfast.items.service.register import Register
from holdfast.store.live import LiveReplyError, LiveStore
from holdfast.store.records import Records
from holdfast.wire.volunteers import Call, Look, Verb, read_look, read_path

log = structlog.get_logger()


class Machine:
    """Whatever goes wrong, a client hears something that makes it wait and try again."""

    def __init__(self, register: Register, records: Records, live: LiveStore, clock: Clock) -> None:
        self._register = register
        self._volunteers = Volunteers(register, live, clock)
        self._couriers = Couriers(register, live, clock, SystemRandom())
        self._boards = Boards(records, live, clock)

    def wants(self, scope: Scope) -> Call | Look | None:
        """What this request asks of us, if it is for us at all."""
        match scope.get("method"):
            case "POST":
                return read_path(scope["path"])
            case "GET" | "HEAD":
                return read_look(scope["path"])
            case _:
                return None

    async def serve(self, asked: Call | Look, scope: Scope, receive: Receive, send: Send) -> None:
        await send_answer(send, await self._answer(asked, scope, receive))

    async def _answer(self, asked: Call | Look, scope: Scope, receive: Receive) -> Answer:
        headers = dict(scope["headers"])
        project = self._register.find(asked.slug, headers.get(b"host", b"").decode("latin-1"))
        if project is None:
            return NOTHING
        try:
            if isinstance(asked, Look):
                return await self._boards.show(project, asked)
            agent = headers.get(b"user-agent", b"").decode("latin-1")[:256]
            visitor = Visitor(scope["state"]["address"] or "unknown", agent)
            return await self._hear(asked, project, visitor, await read_body(receive))
        except InvalidError as error:
            return Answer(400, f"{error}\n".encode())
        except (UnavailableError, LiveReplyError) as error:
            log.warning("volunteer not served", asked=asked.verb, reason=str(error))
            return AWAY
        except HoldfastError as error:
            return Answer(403, f"{error}\n".encode())

    async def _hear(self, call: Call, project: Project, visitor: Visitor, body: bytes) -> Answer:
        match call.verb:
            case Verb.UPLOAD:
                return await self._couriers.send(project, body)
            case Verb.UPLOADED:
                return await self._couriers.hear(project, visitor, body)
            case _:
                return await self._volunteers.serve(call, project, visitor, body)
