"""Prints the page of every live key: `python scripts/live_keys.py > docs/keys.md`."""

import sys

import holdfast.catalogue.keys
import holdfast.heartbeat
import holdfast.items.keys
import holdfast.tracker.keys
import holdfast.web.access.keys
from holdfast.store.live.keys import document

PARTS = {
    "The catalogue": holdfast.catalogue.keys.KEYS,
    "The tracker": holdfast.tracker.keys.KEYS,
    "Spread: a project's items": holdfast.items.keys.KEYS,
    "Signing in": holdfast.web.access.keys.KEYS,
    "The parts themselves": holdfast.heartbeat.KEYS,
}

INTRODUCTION = """\
# Live keys

What Holdfast keeps in the live store. Names are the seeds' own; those of the house begin with `hf:`. A site
or script that reads the seeds' keys today goes on working.

In the layout `classic` a name is written as it stands here. In `tagged`, which a cluster needs, what keeps it
together with others stands in braces: the tracker's keys begin with `{t}:` instead of `t:`. Where a project's
keys begin with its slug, those of the default project begin with nothing, and with `{default}:` in `tagged`.

This page is made from the `keys.py` modules by `scripts/live_keys.py`.
"""


def page() -> str:
    return INTRODUCTION + "".join(f"\n## {part}\n\n{document(keys)}" for part, keys in PARTS.items())


if __name__ == "__main__":
    sys.stdout.write(page())
