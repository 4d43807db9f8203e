"""What to think of the clocks: this machine's, the stores', and the other machines'."""

from collections.abc import Iterator

from holdfast.doctor.model import Finding, Level, hint, ok

NOTICEABLE, TOO_MUCH = 2.0, 30.0
JUMP = 10.0
ABOUT = "clock"
SYNCHRONISE = "Let NTP keep the clocks of both machines: timedatectl set-ntp true."


def synchronised(seen: bool | None) -> Iterator[Finding]:
    if seen is None:
        yield ok(ABOUT, "Whether the clock is kept by NTP cannot be seen from here.")
    elif seen:
        yield ok(ABOUT, "NTP keeps this machine's clock.")
    else:
        yield hint(
            ABOUT,
            "Nothing keeps this machine's clock right.",
            "Switch NTP on: timedatectl set-ntp true.",
        )


def jumped(by: float) -> Iterator[Finding]:
    """`by`: how much more the wall clock says than has passed since the start."""
    if abs(by) >= JUMP:
        way = "forward" if by > 0 else "back"
        yield hint(
            ABOUT,
            f"This machine's clock jumped {way} by {abs(by):.0f} s since Holdfast was started.",
            "Find out what set it; times written meanwhile are off by as much.",
        )


def apart(whose: str, by: float) -> Iterator[Finding]:
    """`by`: seconds that the other clock is before ours."""
    if abs(by) < NOTICEABLE:
        yield ok(ABOUT, f"The clock of {whose} agrees with this machine's.")
        return
    way = "ahead of" if by > 0 else "behind"
    level = Level.PROBLEM if abs(by) >= TOO_MUCH else Level.HINT
    yield Finding(level, ABOUT, f"The clock of {whose} is {abs(by):.0f} s {way} this machine's.", SYNCHRONISE)
