"""What to think of the places that our doors listen on."""

from collections.abc import Iterator

from holdfast.doctor.model import Finding, Port, hint, ok, problem

SOON = 14 * 86400.0


def certificate(until: float | None, now: float) -> Iterator[Finding]:
    about, mend = "certificate", "Renew it; the tracker takes up the new files by itself."
    days = ((until or now) - now) / 86400
    if until is None:
        yield ok(about, "It can be used; it does not say until when.")
    elif until <= now:
        yield problem(about, f"The tracker's certificate ended {-days:.0f} days ago.", mend)
    elif until - now < SOON:
        yield hint(about, f"The tracker's certificate is good for {days:.0f} days more.", mend)
    else:
        yield ok(about, f"It is good for {days:.0f} days more.")


def ports(seen: Port) -> Iterator[Finding]:
    about = f"{seen.door} port"
    another = f"set {seen.door}.listen or --{seen.door} to another HOST:PORT"
    match seen.state:
        case "any":
            yield ok(about, "Any free port is taken at the start.")
        case "free":
            yield ok(about, f"{seen.place} is free.")
        case "unused":
            yield ok(about, f"{seen.place} is free; the running system listens elsewhere.")
        case "ours":
            yield ok(about, f"{seen.place} is ours ({seen.holder}).")
        case "taken":
            yield problem(
                about,
                f"{seen.holder or 'Another program'} listens on {seen.place}.",
                f"Stop it, or {another}.",
            )
        case "elsewhere":
            yield hint(
                about,
                f"{seen.holder or 'Another program'} listens on {seen.place}; "
                "the running system listens elsewhere.",
                f"Before the next start there, stop it, or {another}.",
            )
        case "denied":
            yield problem(
                about,
                f"This user may not listen on {seen.place}.",
                f"Use a port from 1024 up ({another}), or a reverse proxy.",
            )
        case "unknown host":
            yield problem(about, f"This machine knows no host {seen.host}.", f"{another.capitalize()}.")
        case "no such address":
            yield problem(
                about,
                f"This machine does not have the address {seen.host}.",
                f"{another.capitalize()}.",
            )
