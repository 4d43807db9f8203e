"""What to think of the records: their schema, their server, and how far the live store is behind them."""

from collections.abc import Collection, Iterator

from holdfast.doctor.model import Finding, Level, Records, ok, problem

OLDEST_POSTGRESQL = (14,)
LATE = 60.0
"""A sweep takes seconds; what waits for a minute is stuck."""


def records(seen: Records, *, head: str, known: Collection[str], running: bool) -> Iterator[Finding]:
    about = "records"
    found = [
        *_server(seen, about),
        *_schema(seen, about, head, known, running=running),
        *_outbox(seen, running=running),
    ]
    yield from found
    if not found:
        server = f" {'.'.join(map(str, seen.version))}" if seen.version else ""
        yield ok(about, f"{seen.kind}{server} at {seen.where} answers, at schema {seen.schema}.")


def _server(seen: Records, about: str) -> Iterator[Finding]:
    if seen.version and seen.version < OLDEST_POSTGRESQL:
        yield problem(
            about,
            f"PostgreSQL {seen.version[0]} is too old.",
            "Upgrade the server to PostgreSQL 14 or newer.",
        )


def _schema(
    seen: Records, about: str, head: str, known: Collection[str], *, running: bool
) -> Iterator[Finding]:
    if seen.schema is None:
        yield ok(
            about,
            f"{seen.kind} at {seen.where} holds nothing yet; the first start makes the tables.",
        )
    elif seen.schema not in known:
        yield problem(
            about,
            f"The records were written by a newer Holdfast (schema {seen.schema}, this one knows {head}).",
            "Install that version again, or restore a backup made before the upgrade.",
        )
    elif seen.schema != head:
        yield Finding(
            Level.PROBLEM if running else Level.HINT,
            about,
            f"The records are at schema {seen.schema}, this version works with {head}.",
            "Make a backup, then start Holdfast or run holdfast migrate.",
        )


def _outbox(seen: Records, *, running: bool) -> Iterator[Finding]:
    about = "outbox"
    if running and seen.oldest is not None and seen.oldest > LATE:
        yield problem(
            about,
            f"{seen.waiting} changes wait for the live store, the oldest since {seen.oldest:.0f} s.",
            "See that the clerk runs and what its log says.",
        )
    elif not running and seen.waiting:
        yield ok(
            about,
            f"{seen.waiting} changes wait for the live store; the next start brings them over.",
        )
