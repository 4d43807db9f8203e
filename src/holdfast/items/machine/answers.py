"""What programs are answered at the addresses that they know from elsewhere: bytes, not problems."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from holdfast.errors import InvalidError

Scope: TypeAlias = Mapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Mapping[str, Any]]]
Send: TypeAlias = Callable[[Any], Awaitable[None]]

LONGEST_BODY: Final = 8 << 20
JSON: Final = b"application/json"
PLAIN: Final = b"text/plain; charset=utf-8"


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    body: bytes = b""
    kind: bytes = PLAIN
    headers: tuple[tuple[bytes, bytes], ...] = ()


@dataclass(frozen=True, slots=True)
class Visitor:
    """Where a request comes from, and from which program."""

    address: str
    agent: str


OK: Final = Answer(200, b"OK")
INVALID: Final = Answer(200, b"Invalid item.")
NOTHING: Final = Answer(404)
AWAY: Final = Answer(503)


async def read_body(receive: Receive) -> bytes:
    parts, size = [], 0
    while True:
        message = await receive()
        if message["type"] != "http.request":
            raise InvalidError("The request broke off.")
        part = message.get("body", b"")
        size += len(part)
        if size > LONGEST_BODY:
            raise InvalidError(f"The body has more than {LONGEST_BODY} bytes.")
        parts.append(part)
        if not message.get("more_body"):
            return b"".join(parts)


async def send_answer(send: Send, answer: Answer) -> None:
    headers = [
        (b"content-type", answer.kind),
        (b"content-length", b"%d" % len(answer.body)),
        *answer.headers,
    ]
    await send({"type": "http.response.start", "status": answer.status, "headers": headers})
    await send({"type": "http.response.body", "body": answer.body})
