"""The catalogue's live keys, written from what the records say and from nothing else."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from holdfast.catalogue import keys
from holdfast.catalogue.model import SHARE
from holdfast.catalogue.store.freeleech import WINDOW
from holdfast.catalogue.store.members import PASSKEY
from holdfast.catalogue.store.truth import Announced, Keyed, Passholder, Removed, Thing, Truth, Window
from holdfast.catalogue.store.uploads import INFO_HASH
from holdfast.catalogue.store.whitelist import PREFIX
from holdfast.store.live import Command, Layout, LiveReplyError, LiveStore
from holdfast.store.records.outbox import Behind

EVENTS_KEPT = 10_000
# By which name the tracker's seed knows each kind. Of announce keys nobody is told, for trackers forget all
# they know when they hear of a user: a new key is unknown to them anyhow, and what ends it they are told of.
SUBJECTS = {PASSKEY: "user", INFO_HASH: "torrent", PREFIX: "whitelist", WINDOW: "windows"}


async def write(live: LiveStore, truths: Mapping[Thing, Truth], *, tell_removed: float) -> None:
    """Bring these things up to the truth, and tell the trackers; doing so twice is doing it once.

    Whoever is killed in the middle leaves what was true already as true as before.
    """
    layout = live.layout
    commands = [
        command
        for thing, truth in truths.items()
        for command in _commands(layout, thing, truth, tell_removed)
    ]
    await _all(live, [*commands, *_told(layout, truths)], repeat=True)


def _told(layout: Layout, things: Iterable[Thing]) -> Iterator[Command]:
    """One word for each subject: which thing it is, or nothing where there are several."""
    changed: dict[str, list[str]] = {}
    for kind, key in things:
        if kind in SUBJECTS:
            changed.setdefault(SUBJECTS[kind], []).append(key)
    for subject, names in changed.items():
        yield ("PUBLISH", keys.CHANGES.name(layout, what=subject), names[0] if len(names) == 1 else "")


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
        case _, None:
            yield _absent(layout, thing)
        case "passkey", Passholder() as holder:
            name = keys.USER.name(layout, passkey=key)
            enabled, leech = int(holder.enabled), int(holder.can_leech)
            yield ("HSET", name, "user_id", holder.user_id, "enabled", enabled, "can_leech", leech)
            yield from _multipliers(name, holder.share_up, holder.share_down)
        case "announce_key", Keyed(passkey, upload_id):
            # Whatever changes about the passkey holds for all its keys in the same moment.
            yield ("HSET", keys.USER.name(layout, passkey=key), "passkey", passkey, "torrent_id", upload_id)
        case "info_hash", Announced(upload_id, canonical, up, down):
            # Named first: whoever finds the upload must not name its keys by another hash.
            yield ("SET", keys.CANONICAL.name(layout, torrent_id=upload_id), canonical)
            if key == canonical:
                yield from _multipliers(keys.TORRENT.name(layout, info_hash=key), up, down)
            yield ("SET", keys.INFO_HASH.name(layout, info_hash=key), upload_id)
            yield ("DEL", keys.GONE.name(layout, info_hash=key))
        case "info_hash", Removed(reason, at):
            yield ("DEL", keys.INFO_HASH.name(layout, info_hash=key))
            yield from _multipliers(keys.TORRENT.name(layout, info_hash=key), SHARE, SHARE)
            # A moment, not a span: written again, late or long after, it says the same or nothing.
            until = int(at + tell_removed)
            yield ("SET", keys.GONE.name(layout, info_hash=key), reason, "EXAT", until)
        case "window", Window(starts, ends, up, down):
            shares = f"{_multiplier(up)} {_multiplier(down)}"
            yield ("HSET", keys.WINDOWS.name(layout), key, f"{starts:.0f} {ends:.0f} {shares}")
        case "whitelist", str(client):
            yield ("HSET", keys.WHITELIST.name(layout), key, client)
        case _:
            raise AssertionError(f"nothing is known about {thing} as {truth!r}")


def _absent(layout: Layout, thing: Thing) -> Command:
    match thing:
        case "passkey" | "announce_key", key:
            return ("DEL", keys.USER.name(layout, passkey=key))
        case "info_hash", key:
            return ("DEL", *(name.name(layout, info_hash=key) for name in (keys.INFO_HASH, keys.GONE)))
        case "window", key:
            return ("HDEL", keys.WINDOWS.name(layout), key)
        case "whitelist", key:
            return ("HDEL", keys.WHITELIST.name(layout), key)
        case _:
            raise AssertionError(f"nothing is known about {thing}")


def _multipliers(name: str, up: int, down: int) -> Iterator[Command]:
    """A share of all that was moved is not written, so that no hash is there for it alone."""
    for field, share in (("multi_up", up), ("multi_dn", down)):
        yield ("HDEL", name, field) if share == SHARE else ("HSET", name, field, _multiplier(share))


def _multiplier(share: int) -> str:
    return f"{share / SHARE:g}"
