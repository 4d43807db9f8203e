"""Blocks of single names and addresses stand in the live store too, where scripts look for them."""

from collections.abc import Iterator, Mapping, Sequence

from holdfast.items import keys, rules
from holdfast.items.model import Block, Project
from holdfast.items.store import blocks
from holdfast.store.live import Layout, LiveStore
from holdfast.store.live.interface import Command
from holdfast.store.records import Records


async def mirror_blocks(records: Records, live: LiveStore, projects: Sequence[Project], now: float) -> None:
    """Take out what has ended and put in what holds, in this order; only then is what ended forgotten."""
    every = await records.read(blocks.every)
    ended = [block for block in every if block.until is not None and block.until <= now]
    held = [block for block in every if block not in ended]
    prefixes = {project.id: project.prefix for project in projects}
    commands = [
        *_commands("SREM", ended, prefixes, live.layout),
        *_commands("SADD", held, prefixes, live.layout),
    ]
    if commands:
        await live.batch(commands, repeat=True)
    if ended:
        await records.write(lambda tx: blocks.forget(tx, [block.id for block in ended]))


def _commands(
    verb: str, found: Sequence[Block], prefixes: Mapping[int, str], layout: Layout
) -> Iterator[Command]:
    """One for each set."""
    members: dict[str, list[str]] = {}
    for block in found:
        if rules.is_network(block.whom):
            continue
        if block.project_id is None:
            members.setdefault(keys.EVERYWHERE.name(layout), []).append(block.whom)
        elif block.project_id in prefixes:
            key = keys.name(keys.BLOCKED, layout, prefixes[block.project_id])
            members.setdefault(key, []).append(block.whom)
    for key, whom in members.items():
        yield (verb, key, *whom)
