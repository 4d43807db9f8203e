"""Looks at the parts of a running system: what the parent says of them, and the web door of itself."""

import http.client
import json
from urllib.parse import urlsplit

from holdfast.doctor.model import Finding, House, Part, problem
from holdfast.doctor.patient import Patient
from holdfast.doctor.probes.thread import in_thread
from holdfast.doctor.rules import parts as rules
from holdfast.runfile import RUN
from holdfast.supervise.folder import read_parts

SECONDS = 3.0


async def parts(patient: Patient) -> list[Finding]:
    now, data = patient.clock.now(), patient.settings.data
    seen = [Part(one.name, one.state, one.restarts, max(0.0, now - one.since)) for one in read_parts(data)]
    house = House(patient.running, (data / RUN).exists() and not patient.running, tuple(seen))
    found = list(rules.house(house))
    if patient.refusal:
        found.append(problem("parts", patient.refusal, "Wait until it has started, or start it again."))
    return found


async def web_door(patient: Patient) -> list[Finding]:
    run = patient.run
    if run is None:
        return []
    here = run.here or run.web
    try:
        checks = await in_thread(lambda: _ready(here))
    except (OSError, http.client.HTTPException) as error:
        return [
            problem(
                "web door",
                f"The web door at {here} does not answer ({error or type(error).__name__}).",
                "Look for lines of the part web in the log.",
            )
        ]
    return list(rules.readiness(checks))


def _ready(url: str) -> list[tuple[str, bool, str]]:
    place = urlsplit(url)
    connection = http.client.HTTPConnection(place.hostname or "", place.port, timeout=SECONDS)
    try:
        connection.request("GET", "/health/ready")
        said = json.loads(connection.getresponse().read())
    finally:
        connection.close()
    return [(check["name"], check["ok"], check["detail"]) for check in said["checks"]]
