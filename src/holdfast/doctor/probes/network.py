"""Looks at the places that our doors listen on, without listening there: nobody must reach us by mistake."""

import errno
import re
import socket
from pathlib import Path
from typing import Literal

from holdfast.certificate import good_until, load
from holdfast.doctor.model import Finding, Port
from holdfast.doctor.patient import Patient
from holdfast.doctor.probes.thread import in_thread
from holdfast.doctor.rules import network as rules
from holdfast.settings import HostPort
from holdfast.supervise.folder import read_parts
from holdfast.supervise.holders import who_holds_port

REFUSALS: dict[int | None, Literal["denied", "no such address"]] = {
    errno.EACCES: "denied",
    errno.EPERM: "denied",
    errno.EADDRNOTAVAIL: "no such address",
}


async def ports(patient: Patient) -> list[Finding]:
    settings = patient.settings
    found: list[Finding] = []
    for door, place in {"web": settings.web.listen, "tracker": settings.tracker.listen}.items():
        found += rules.ports(await in_thread(lambda d=door, p=place: look(d, p, patient)))  # type: ignore[misc]
    return found


async def certificate(patient: Patient) -> list[Finding]:
    """Whether the tracker's certificate can be used, and for how long."""
    tracker = patient.settings.tracker
    if tracker.tls_certificate is None or tracker.tls_key is None:
        return []
    load(tracker.tls_certificate, tracker.tls_key)
    until = good_until(tracker.tls_certificate)
    return list(rules.certificate(until, patient.clock.now()))


def look(door: str, place: HostPort, patient: Patient) -> Port:
    if place.port == 0:
        return Port(door, *place, "any")
    host = place.host or ("::" if socket.has_dualstack_ipv6() else "0.0.0.0")  # noqa: S104 - asked, not opened
    try:
        family, _, _, _, where = socket.getaddrinfo(
            host, place.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except (socket.gaierror, UnicodeError):
        return Port(door, *place, "unknown host")
    try:
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(where)
    except OSError as error:
        if error.errno != errno.EADDRINUSE:
            if error.errno not in REFUSALS:
                raise
            return Port(door, *place, REFUSALS[error.errno])
    else:
        return Port(door, *place, "free" if patient.run is None else "unused")
    holder = who_holds_port(place.port, "tcp")
    if _is_ours(holder, patient):
        return Port(door, *place, "ours", holder)
    # A system that runs has a place of its own, so what somebody else has is not where it listens.
    return Port(door, *place, "taken" if patient.run is None else "elsewhere", holder)


def _is_ours(holder: str | None, patient: Patient) -> bool:
    found = re.search(r"\(pid (\d+)\)$", holder or "")
    if found is None:
        return False
    pid = int(found[1])
    own = {part.pid for part in read_parts(patient.settings.data)} if patient.running else set()
    return pid in own or (patient.run is not None and pid == patient.run.pid) or _runs_our_part(pid, patient)


def _runs_our_part(pid: int, patient: Patient) -> bool:
    """A part that was started alone: its command line names our data folder."""
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace").split("\0")
    except OSError:
        return False
    return "holdfast.run" in words and str(patient.settings.data) in words
