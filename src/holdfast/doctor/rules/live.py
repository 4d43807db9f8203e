"""What to think of the live store's servers."""

from collections.abc import Iterator

from holdfast.doctor.model import Finding, Level, Server, ok, problem

OLDEST = (7, 0)
NEARLY_FULL, FULL = 0.80, 0.95
MEBIBYTE = 1024 * 1024


def server(seen: Server, *, needed: str, embedded: bool) -> Iterator[Finding]:
    """`needed`: the keyspace events that parts listen to, as notify-keyspace-events names them."""
    about = "live store"
    found = [*_flags(seen, about, needed, embedded), *_state(seen, about)]
    yield from found
    if not found:
        ceiling = f" of {seen.max_memory // MEBIBYTE} MiB" if seen.max_memory else ""
        kept = "kept in an append-only file" if seen.append_only else "kept"
        yield ok(
            about,
            f"{seen.software.capitalize()} {seen.version} at {seen.address} answers; {kept}, "
            f"{seen.used_memory // MEBIBYTE} MiB{ceiling} used.",
        )


def _flags(seen: Server, about: str, needed: str, embedded: bool) -> Iterator[Finding]:
    at = f"The live store at {seen.address}"
    if _version(seen.version) < OLDEST:
        yield problem(
            about,
            f"{at} is version {seen.version}, which lacks functions.",
            "Use Valkey, or Redis 7.0 or newer.",
        )
    if not seen.append_only:
        yield Finding(
            Level.PROBLEM if embedded else Level.HINT,
            about,
            f"{at} keeps no append-only file, so a crash loses what changed since its last snapshot.",
            "Set appendonly yes in its configuration.",
        )
    if seen.max_memory and seen.policy != "noeviction":
        yield problem(
            about,
            f"{at} drops keys when its memory is full ({seen.policy}).",
            "Set maxmemory-policy noeviction in its configuration.",
        )
    if seen.notifications is not None and not _covers(seen.notifications, needed):
        yield problem(
            about,
            f"{at} does not tell when keys expire (notify-keyspace-events is {seen.notifications!r}).",
            f"Set notify-keyspace-events {needed} in its configuration.",
        )


def _state(seen: Server, about: str) -> Iterator[Finding]:
    at = f"The live store at {seen.address}"
    if not seen.primary:
        yield problem(
            about,
            f"{at} is a replica and takes no writes.",
            "Set live.address to its primary.",
        )
    if seen.persistence_error:
        yield problem(
            about,
            f"{at} cannot keep its data: {seen.persistence_error}.",
            "Look at its disk and its log.",
        )
    if seen.replication_error:
        yield problem(
            about,
            f"{at} has trouble with replication: {seen.replication_error}.",
            "Look at the replicas and the network between them.",
        )
    share = seen.used_memory / seen.max_memory if seen.max_memory else 0.0
    if share >= NEARLY_FULL:
        yield Finding(
            Level.PROBLEM if share >= FULL else Level.HINT,
            about,
            f"{at} uses {share:.0%} of its memory ceiling; at the ceiling it refuses writes.",
            "Raise live.max_memory, or maxmemory where the server is not ours.",
        )


def _covers(flags: str, needed: str) -> bool:
    """`A` stands for every kind of event, not for the two channels K and E, nor for misses and new keys."""
    return all(flag in flags or ("A" in flags and flag not in "KEmn") for flag in needed)


def _version(text: str) -> tuple[int, ...]:
    return tuple(int(number) for number in text.split(".")[:2] if number.isdigit())
