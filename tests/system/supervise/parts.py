"""Parts of every temper, one of which is run by `python parts.py TEMPER`."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from typing import cast

from holdfast.errors import SettingsError
from holdfast.part import Main, PartContext, run_part


async def tame(context: PartContext) -> None:
    """Does what a part should."""
    context.ready()
    await context.stopping.wait()


async def served(context: PartContext) -> None:
    """Tells its pid to everybody who calls, over TCP or UDP."""
    loop = asyncio.get_running_loop()
    name = "tracker" if "tracker" in context.sockets else "web"

    async def answer(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(f"{os.getpid()}".encode())
        writer.close()

    class Echo(asyncio.DatagramProtocol):
        def connection_made(self, transport: asyncio.BaseTransport) -> None:
            self.transport = cast("asyncio.DatagramTransport", transport)

        def datagram_received(self, data: bytes, addr: tuple[str, int]) -> None:
            self.transport.sendto(f"{os.getpid()}".encode(), addr)

    server = await asyncio.start_server(answer, sock=context.sockets[name])
    async with server:
        if name == "tracker":
            await loop.create_datagram_endpoint(Echo, sock=context.sockets["tracker.udp"])
        await tame(context)


async def brief(context: PartContext) -> None:
    """Is ready, and gone."""
    context.ready()
    raise RuntimeError("fell over")


async def hung(context: PartContext) -> None:
    """Blocks its loop for ever once it is ready."""
    context.ready()
    while True:
        time.sleep(3600)  # noqa: ASYNC251


async def stubborn(context: PartContext) -> None:
    """Hears neither its parent nor anybody, as a foreign program might."""
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM, signal.SIGINT})
    await hung(context)


async def fertile(context: PartContext) -> None:
    """Starts a process of its own that would outlive it."""
    with subprocess.Popen(["sleep", "3600"]):  # noqa: ASYNC220
        await tame(context)


async def misled(_: PartContext) -> None:
    raise SettingsError("No such\ncategory; name another in holdfast.toml.")


async def clumsy(_: PartContext) -> None:
    raise RuntimeError("fell over")


TEMPERS: dict[str, Main] = {
    main.__name__: main for main in (tame, served, brief, hung, stubborn, fertile, misled, clumsy)
}

if __name__ == "__main__":
    sys.exit(run_part(sys.argv[1], TEMPERS[sys.argv[1]]))
