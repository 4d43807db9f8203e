"""The tracker's process. It recognises members and uploads; swarms are not kept yet, and it says so."""

import asyncio

from holdfast.clock import SystemClock
from holdfast.errors import UnavailableError
from holdfast.heartbeat import beat, instance_here
from holdfast.observe.metrics import Metrics
from holdfast.part import Main, PartContext
from holdfast.settings import Settings
from holdfast.store.live import LiveStore
from holdfast.tracker.gate import answer, read_target
from holdfast.where import live_of
from holdfast.wire.bencode import encode

LONGEST_HEAD = 8192
SECONDS = 10.0
AWAY = encode({b"failure reason": b"The tracker's store is away for a moment; try again.", b"retry in": 1})


def make(settings: Settings) -> Main:
    async def main(context: PartContext) -> None:
        clock = SystemClock()
        async with live_of(settings, clock, context.name) as live:

            async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
                await _serve(live, reader, writer)

            server = await asyncio.start_server(serve, sock=context.sockets["tracker"], limit=LONGEST_HEAD)
            async with server, asyncio.TaskGroup() as tasks:
                beating = tasks.create_task(
                    beat(live, Metrics(), context.name, instance_here(), clock), name="heartbeat"
                )
                context.ready()
                await context.stopping.wait()
                beating.cancel()

    return main


async def _serve(live: LiveStore, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        async with asyncio.timeout(SECONDS):
            head = await reader.readuntil(b"\r\n\r\n")
            writer.write(await _respond(live, head))
            await writer.drain()
    except (OSError, TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
        return  # whoever asked has gone, or never asked: there is nobody to answer
    finally:
        writer.close()


async def _respond(live: LiveStore, head: bytes) -> bytes:
    words = head.split(b"\r\n", 1)[0].decode("latin-1").split(" ")
    asked = read_target(words[1]) if len(words) == 3 and words[0] == "GET" else None
    if asked is None:
        return _http("404 Not Found", b"This is a tracker; clients announce to /<passkey>/announce.\n")
    try:
        return _http("200 OK", await answer(live, asked))
    except UnavailableError:
        return _http("200 OK", AWAY)


def _http(status: str, body: bytes) -> bytes:
    fields = ("Content-Type: text/plain", f"Content-Length: {len(body)}", "Connection: close")
    return "\r\n".join((f"HTTP/1.1 {status}", *fields, "", "")).encode() + body
