"""`holdfast up`: the parent of a whole Holdfast on one machine, light since it lives as long as the house."""

import argparse
import asyncio
import hashlib
import json
import os
import secrets
import socket
import sys
import traceback
from urllib.parse import urlsplit

from holdfast.clock import Clock, SystemClock
from holdfast.errors import Exit, HoldfastError, UnavailableError
from holdfast.house import explained, parts, trackers
from holdfast.launch import add_arguments, arguments_for, settings_for
from holdfast.runfile import Run, write_run
from holdfast.settings import Settings
from holdfast.store.live.embedded import EmbeddedServer
from holdfast.supervise.folder import Folder, claim_folder
from holdfast.supervise.model import PartFailedError, Say
from holdfast.supervise.sockets import Listen, listen, place_of
from holdfast.supervise.supervisor import Supervisor
from holdfast.supervise.voice import voice
from holdfast.where import embedded_server

EVERYWHERE = ("", "0.0.0.0", "::")  # noqa: S104 - compared with, never listened on
SECONDS = 10.0


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="holdfast up", description="Run the whole system.")
    add_arguments(parser)
    asked = parser.parse_args(arguments)
    clock = SystemClock()
    say = voice(sys.stderr, clock)
    try:
        settings = settings_for(asked.data, asked.settings, asked.changes)
        asyncio.run(_up(settings, asked, clock, say))
    except HoldfastError as error:
        return _failed(str(error), error, asked, error.exit)
    except Exception as error:  # noqa: BLE001 - told in one sentence; --debug shows it whole
        sentence = f"This should not happen ({type(error).__name__}: {error}); run it again with --debug."
        return _failed(sentence, error, asked, Exit.FAILED)
    return Exit.OK


def _failed(sentence: str, error: Exception, asked: argparse.Namespace, code: Exit) -> int:
    if asked.debug:
        traceback.print_exception(error)
    sys.stderr.write(f"holdfast: {sentence}\n")
    return code


async def _up(settings: Settings, asked: argparse.Namespace, clock: Clock, say: Say) -> None:
    for finding in settings.findings:
        say(finding)
    with await claim_folder(settings.data, clock, say) as folder:
        embedded = embedded_server(settings)
        if embedded is not None:
            await asyncio.to_thread(embedded.prepare)
        workers = trackers(settings.tracker.workers)
        listeners = listen("tracker", Listen(settings.tracker.listen, udp=True, sharers=workers))
        sockets = listen("web", Listen(settings.web.listen)) | listeners
        web = settings.web.public_url or _url(settings.web.listen.host, sockets["web"])
        tracker = settings.tracker.public_url or _url(
            settings.tracker.listen.host,
            next(iter(listeners.values())),
            scheme="https" if settings.tracker.tls_certificate else "http",
        )
        token = f"hf_{secrets.token_urlsafe(32)}"
        here = _url(settings.web.listen.host, sockets["web"], everywhere="127.0.0.1")
        run = _run(settings, clock, (web, tracker, here), token, embedded)
        # Only what was found out here is handed on, so that what a person has set keeps its origin.
        addresses = {
            f"web.public_url={web}": settings.web.public_url,
            f"tracker.public_url={tracker}": settings.tracker.public_url,
        }
        known = (*asked.changes, *(found for found, said in addresses.items() if not said))
        arguments = arguments_for(settings.data, asked.settings, known)
        specs = parts(embedded, arguments, hashlib.sha256(token.encode()).hexdigest(), clock, workers)
        supervisor = Supervisor(specs, sockets, folder, say=say, clock=clock)
        try:
            await supervisor.run(lambda: _announce(run, folder))
        except PartFailedError as failure:
            raise explained(failure, embedded) from failure


def _url(host: str, bound: socket.socket, everywhere: str | None = None, scheme: str = "http") -> str:
    """How the door is reached: by the name it was asked to listen on, or by this machine's own."""
    port = place_of(bound).port
    name = (
        (everywhere or socket.gethostname()) if host in EVERYWHERE else f"[{host}]" if ":" in host else host
    )
    return f"{scheme}://{name}:{port}"


def _run(
    settings: Settings,
    clock: Clock,
    addresses: tuple[str, str, str],
    token: str,
    embedded: EmbeddedServer | None,
) -> Run:
    web, tracker, here = addresses
    records = settings.records.address
    return Run(
        pid=os.getpid(),
        started=clock.now(),
        web=web,
        tracker=tracker,
        live=f"embedded, {embedded.socket_path}" if embedded else str(settings.live.address),
        records=f"SQLite, {(settings.data / 'records.sqlite').absolute()}"
        if str(records) == "sqlite"
        else str(records),
        data=str(settings.data.absolute()),
        token=token,
        here=here,
    )


async def _announce(run: Run, folder: Folder) -> None:
    """Everything is ready: let other commands find it, and tell the person who started it."""
    write_run(folder.path, run)
    link = await _first_link(run.here, run.token)
    rows = {
        "web": run.web,
        "tracker": run.tracker,
        "live store": run.live,
        "records": run.records,
        "data folder": run.data,
    }
    lines = ["", "Holdfast is up.", "", *(f"  {name:<12} {value}" for name, value in rows.items()), ""]
    if link is not None:
        lines += ["  The first operator signs in here, once, within a day:", f"  {link}", ""]
    try:
        sys.stdout.write("\n".join(lines) + "\n")
        sys.stdout.flush()
    except OSError:
        # Whoever started us reads no more, or his disk is full; run.json tells the same.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


async def _first_link(web: str, token: str) -> str | None:
    """The sign-in link for a first operator; None once there is one."""
    try:
        async with asyncio.timeout(SECONDS):
            status, body = await _post(web, "/api/v1/system/first-link", token)
    except (OSError, TimeoutError, ValueError) as error:
        raise UnavailableError(f"The web door at {web} does not answer: {error}; start again.") from error
    if status >= 300:
        raise UnavailableError(f"The web door at {web} answered {status}; see its log lines above.")
    link = json.loads(body).get("sign_in_link")
    return str(link) if link else None


async def _post(web: str, path: str, token: str) -> tuple[int, bytes]:
    """One request by hand: an HTTP library would stay in this process, which should be light, for ever."""
    place = urlsplit(web)
    reader, writer = await asyncio.open_connection(place.hostname, place.port)
    try:
        lines = (
            f"POST {path} HTTP/1.0",
            f"Host: {place.netloc}",
            f"Authorization: Bearer {token}",
            "Content-Length: 0",
        )
        writer.write("\r\n".join([*lines, "", ""]).encode())
        head, _, body = (await reader.read()).partition(b"\r\n\r\n")
    finally:
        writer.close()
    if not head:
        raise ConnectionResetError("it closed the connection")
    return int(head.split(b" ", 2)[1]), body


if __name__ == "__main__":
    sys.exit(main())
