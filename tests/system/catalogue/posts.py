"""A mail server and a webhook of the test's own, on loopback, that behave as badly as asked."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field


@dataclass
class Mailbox:
    """What a mail server was told, and how it answers."""

    port: int = 0
    messages: list[bytes] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    answers: dict[str, str] = field(default_factory=dict)
    """What it says to a verb instead of the usual; empty: it hangs up."""

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await self._talk(reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass  # whoever tests a failure hangs up whenever he likes
        finally:
            writer.close()

    async def _talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"220 test ready\r\n")
        while line := (await reader.readline()).decode("utf-8", "surrogateescape").rstrip("\r\n"):
            self.said.append(line)
            verb = line.split(" ")[0].upper()
            usual = {"DATA": "354 go on", "QUIT": "221 bye", "EHLO": "250-test\r\n250 8BITMIME"}
            answer = self.answers.get(verb, usual.get(verb, "250 ok"))
            if not answer:
                return
            writer.write(f"{answer}\r\n".encode())
            if verb == "DATA" and answer.startswith("354"):
                self.messages.append(await reader.readuntil(b"\r\n.\r\n"))
                writer.write(f"{self.answers.get('.', '250 taken')}\r\n".encode())
            if verb == "QUIT":
                return


@asynccontextmanager
async def mail_server(**answers: str) -> AsyncIterator[Mailbox]:
    mailbox = Mailbox(answers=answers)
    server = await asyncio.start_server(mailbox.serve, "127.0.0.1", 0, limit=1 << 24)
    mailbox.port = server.sockets[0].getsockname()[1]
    async with server:
        yield mailbox


@dataclass
class Hook:
    """What was posted, with its headers; each request takes the next answer, the last one again and again."""

    answers: list[bytes]
    port: int = 0
    posted: list[tuple[str, dict[str, str], bytes]] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/hook"

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
            headers = {
                name.lower(): value.strip() for name, _, value in (one.partition(":") for one in head[1:])
            }
            body = await reader.readexactly(int(headers["content-length"]))
            self.posted.append((head[0].split(" ")[1], headers, body))
            answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
            if answer == ENDLESS:
                writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
                while not writer.is_closing():
                    writer.write(bytes(1 << 16))
                    await writer.drain()
            elif answer == SILENT:
                await reader.read()
            else:
                writer.write(answer)
                await writer.drain()
        except ConnectionError:
            pass  # whoever tests a failure hangs up whenever he likes
        finally:
            writer.close()


ENDLESS = b"endless"
SILENT = b"silent"
REDIRECT = b"HTTP/1.1 302 Found\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n"


def status(code: int) -> bytes:
    return b"HTTP/1.1 %d x\r\nContent-Length: 0\r\n\r\n" % code


@asynccontextmanager
async def webhook(answers: Sequence[bytes]) -> AsyncIterator[Hook]:
    hook = Hook(list(answers))
    server = await asyncio.start_server(hook.serve, "127.0.0.1", 0)
    hook.port = server.sockets[0].getsockname()[1]
    async with server:
        yield hook
