"""The visit: every probe at once, each within its time; one that fails is a finding like any other."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping

from holdfast.doctor.model import Finding, hint, problem
from holdfast.doctor.patient import Patient
from holdfast.doctor.probes import clock, folder, live, machine, network, parts, records
from holdfast.errors import HoldfastError

Probe = Callable[[Patient], Awaitable[list[Finding]]]
SECONDS = 6.0

PROBES: Mapping[str, Probe] = {
    "versions": machine.versions,
    "kernel": machine.kernel,
    "open files": machine.files,
    "permissions": folder.permissions,
    "disk": folder.disk,
    "clock": clock.clock,
    "ports": network.ports,
    "certificate": network.certificate,
    "records": records.records,
    "live store": live.live,
    "parts": parts.parts,
    "web door": parts.web_door,
}


async def visit(
    patient: Patient, probes: Mapping[str, Probe] = PROBES, *, seconds: float = SECONDS
) -> list[Finding]:
    found = await asyncio.gather(*(_bounded(name, probe, patient, seconds) for name, probe in probes.items()))
    return [*_settings(patient), *(finding for findings in found for finding in findings)]


async def _bounded(name: str, probe: Probe, patient: Patient, seconds: float) -> list[Finding]:
    try:
        async with asyncio.timeout(seconds):
            return await probe(patient)
    except TimeoutError:
        return [
            problem(
                name,
                f"There was no answer within {seconds:.0f} s.",
                "See whether the network, the disk or the server there hangs.",
            )
        ]
    except HoldfastError as error:
        what, _, mend = str(error).partition("; ")
        return [problem(name, *_sentences(what, mend))]
    except Exception as error:  # noqa: BLE001 - the doctor tells what it could not see, and goes on
        return [
            problem(
                name,
                f"Could not be looked at: {type(error).__name__}: {error}".splitlines()[0],
                "If the rest is well, this is a fault of Holdfast; please report it.",
            )
        ]


def _settings(patient: Patient) -> list[Finding]:
    said = [sentence.partition("; ") for sentence in patient.settings.findings]
    return [hint("settings", *_sentences(what, mend)) for what, _, mend in said]


def _sentences(what: str, mend: str) -> tuple[str, str]:
    """Errors say both in one sentence, parted by a semicolon."""
    return what.rstrip(".") + ".", mend[:1].upper() + mend[1:].rstrip(".") + "." if mend else ""
