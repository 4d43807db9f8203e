"""The catalogue's live keys, written from what the records say and from nothing else."""

from collections.abc import Iterator, Mapping, Sequence

from holdfast.catalogue import keys
from holdfast.catalogue.store.members import PASSKEY
from holdfast.catalogue.store.truth import Announced, Passholder, Removed, Thing, Truth
from holdfast.catalogue.store.uploads import INFO_HASH
from holdfast.catalogue.store.whitelist import PREFIX
from holdfast.store.live import Command, Layout, LiveReplyError, LiveStore
from holdfast.store.records.outbox import Behind

EVENTS_KEPT = 10_000
# By which name the tracker's seed knows each kind.
SUBJECTS = {PASSKEY: "user", INFO_HASH: "torrent", PREFIX: "whitelist"}


async def write(live: LiveStore, truths: Mapping[Thing, Truth], *, tell_removed: float) -> None:
    """Bring these things up to the truth, and tell the trackers; doing so twice is doing it once."""
    layout = live.layout
    commands = [
        command
        for thing, truth in truths.items()
        for command in _commands(layout, thing, truth, tell_removed)
    ]
    told = [("PUBLISH", keys.CHANGES.name(layout, what=SUBJECTS[kind]), key) for kind, key in truths]
    await _all(live, [*commands, *told], repeat=True)


async def tell(live: LiveStore, events: Sequence[Behind]) -> None:
    """Publish events and keep them for whoever is away just now."""
    log, channel = keys.EVENT_LOG.name(live.layout), keys.EVENTS.name(live.layout)
    commands: list[Command] = []
    for event in events:
        entry = ("id", event.id, "event", event.key)
        commands.append(("XADD", log, "MAXLEN", "~", EVENTS_KEPT, "*", *entry))
        commands.append(("PUBLISH", channel, event.key))
    await _all(live, commands, repeat=True)


async def _all(live: LiveStore, commands: Sequence[Command], *, repeat: bool) -> None:
    if not commands:
        return
    for reply in await live.batch(commands, repeat=repeat):
        if isinstance(reply, LiveReplyError):
            raise reply


def _commands(layout: Layout, thing: Thing, truth: Truth, tell_removed: float) -> Iterator[Command]:
    kind, key = thing
    match kind, truth:
        case "passkey", Passholder() as holder:
            name = keys.USER.name(layout, passkey=key)
            fields = (
                "user_id",
                holder.user_id,
                "enabled",
                int(holder.enabled),
                "can_leech",
                int(holder.can_leech),
            )
            yield ("HSET", name, *fields)
        case "passkey", None:
            yield ("DEL", keys.USER.name(layout, passkey=key))
        case "info_hash", Announced(upload_id, canonical):
            # Named first: whoever finds the upload must not name its keys by another hash.
            yield ("SET", keys.CANONICAL.name(layout, torrent_id=upload_id), canonical)
            yield ("SET", keys.INFO_HASH.name(layout, info_hash=key), upload_id)
            yield ("DEL", keys.GONE.name(layout, info_hash=key))
        case "info_hash", Removed(reason, at):
            yield ("DEL", keys.INFO_HASH.name(layout, info_hash=key))
            # A moment, not a span: written again, late or long after, it says the same or nothing.
            until = int(at + tell_removed)
            yield ("SET", keys.GONE.name(layout, info_hash=key), reason, "EXAT", until)
        case "info_hash", None:
            yield ("DEL", keys.INFO_HASH.name(layout, info_hash=key), keys.GONE.name(layout, info_hash=key))
        case "whitelist", str(client):
            yield ("HSET", keys.WHITELIST.name(layout), key, client)
        case "whitelist", None:
            yield ("HDEL", keys.WHITELIST.name(layout), key)
        case _:
            raise AssertionError(f"nothing is known about {thing} as {truth!r}")
