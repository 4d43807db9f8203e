"""The addresses that volunteers' clients and other programs know from the trackers before this one."""

from random import SystemRandom
from typing import TypeAlias

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
from holdfast.items.machine.errands import Errands
from holdfast.items.machine.volunteers import Volunteers
from holdfast.items.model import Project
from holdfast.items.service.herald import Herald
from holdfast.items.service.register import Register
from holdfast.store.live import LiveReplyError, LiveStore
from holdfast.store.records import Records
from holdfast.wire.errands import Wish, read_errand
from holdfast.wire.volunteers import Call, Look, Verb, read_look, read_path

log = structlog.get_logger()
Asked: TypeAlias = Call | Look | Wish


class Machine:
    """Whatever goes wrong, a client hears something that makes it wait and try again."""

    def __init__(
        self, register: Register, records: Records, live: LiveStore, clock: Clock, herald: Herald, here: str
    ) -> None:
        self._register = register
        self._volunteers = Volunteers(register, live, clock, herald)
        self._couriers = Couriers(register, live, clock, SystemRandom())
        self._boards = Boards(records, live, clock)
        self._errands = Errands(register, records, live, clock, here)

    def wants(self, scope: Scope, *, api: bool) -> Asked | None:
        """What this request asks of us, if it is for us at all; below `/api/` little is."""
        method, path = scope.get("method"), scope["path"]
        wish = read_errand(method, path)
        if wish is not None and self._errands.is_ours(wish, _header(scope, b"host")):
            return wish
        if api or method not in ("POST", "GET", "HEAD"):
            return None
        return read_path(path) if method == "POST" else read_look(path)

    async def serve(self, asked: Asked, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            answer = await self._answer(asked, scope, receive)
        except InvalidError as error:
            answer = Answer(400, f"{error}\n".encode())
        except (UnavailableError, LiveReplyError) as error:
            log.warning("volunteer not served", asked=asked.verb, reason=str(error))
            answer = AWAY
        except HoldfastError as error:
            answer = Answer(403, f"{error}\n".encode())
        await send_answer(send, answer)

    async def _answer(self, asked: Asked, scope: Scope, receive: Receive) -> Answer:
        host = _header(scope, b"host")
        visitor = Visitor(scope["state"]["address"] or "unknown", _header(scope, b"user-agent")[:256])
        if isinstance(asked, Wish):
            return await self._errands.run(asked, host, scope["query_string"], visitor, receive)
        project = self._register.find(asked.slug, host)
        if project is None:
            return NOTHING
        if isinstance(asked, Look):
            return await self._boards.show(project, asked)
        return await self._hear(asked, project, visitor, await read_body(receive))

    async def _hear(self, call: Call, project: Project, visitor: Visitor, body: bytes) -> Answer:
        match call.verb:
            case Verb.UPLOAD:
                return await self._couriers.send(project, body)
            case Verb.UPLOADED:
                return await self._couriers.hear(project, visitor, body)
            case _:
                return await self._volunteers.serve(call, project, visitor, body)


def _header(scope: Scope, name: bytes) -> str:
    return next((value.decode("latin-1") for key, value in scope["headers"] if key == name), "")
