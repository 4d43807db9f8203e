"""What to think of the parts of a running system."""

from collections.abc import Iterable, Iterator

from holdfast.doctor.model import Beat, Finding, House, Level, Part, hint, ok, problem

PATIENCE = 20.0
"""A part that is not ready for so long is no longer just starting."""
CLOCK_AHEAD = 5.0


def house(seen: House) -> Iterator[Finding]:
    about = "parts"
    if not seen.running:
        if seen.left_over:
            yield hint(
                about,
                "Holdfast was killed and could not tidy up.",
                "Start it again; it sees to what was left behind.",
            )
        else:
            yield ok(about, "Holdfast is not running in this data folder.")
        return
    found = [finding for part in seen.parts for finding in _part(part, about)]
    yield from found
    if not found:
        yield ok(about, f"Running: {', '.join(part.name for part in seen.parts)}.")


def _part(seen: Part, about: str) -> Iterator[Finding]:
    if seen.state != "ready":
        late = seen.for_seconds > PATIENCE or seen.state == "resting"
        yield Finding(
            Level.PROBLEM if late else Level.HINT,
            about,
            f"The part {seen.name} is {seen.state} since {seen.for_seconds:.0f} s.",
            "Its last lines in the log say why.",
        )
    elif seen.restarts:
        yield hint(
            about,
            f"The part {seen.name} was restarted ({seen.restarts} so far).",
            "The log says what it died of.",
        )


def beats(seen: Iterable[Beat], *, version: str) -> Iterator[Finding]:
    about = "parts"
    for one in seen:
        who = f"{one.part} ({one.instance})"
        if one.version != version:
            yield hint(
                about,
                f"{who} runs Holdfast {one.version}, this is {version}.",
                "Bring all machines to one version when the upgrade is done.",
            )
        if one.ahead > CLOCK_AHEAD:
            yield hint(
                "clock",
                f"The clock of {who} is {one.ahead:.0f} s ahead of this machine's.",
                "Let NTP keep the clocks of both machines: timedatectl set-ntp true.",
            )


def readiness(checks: Iterable[tuple[str, bool, str]]) -> Iterator[Finding]:
    """What the web door says of itself at /health/ready: (name, whether it is well, a sentence)."""
    failed = [(name, detail) for name, well, detail in checks if not well]
    for name, detail in failed:
        yield problem(
            "web door",
            f"The web door is not ready: {name}: {detail}",
            "Mend that first; it takes up work by itself.",
        )
    if not failed:
        yield ok("web door", "It answers, and has everything it needs.")
