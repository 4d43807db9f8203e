"""The audit: every change, once, with what was before and after; a new way to change things must be in it."""

import ast
import inspect
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, cast

import pytest
from sqlalchemy import Connection

from holdfast.catalogue.model import Door, Member, Upload
from holdfast.catalogue.store import (
    announce_keys,
    audit,
    categories,
    freeleech,
    imports,
    members,
    notices,
    points,
    swarms,
    uploads,
    whitelist,
)
from holdfast.catalogue.store import events as events_module
from holdfast.catalogue.store import mirror as mirror_module
from holdfast.catalogue.store import pages as pages_module
from holdfast.catalogue.store import truth as truth_module
from holdfast.store.records import Records
from tests.catalogue.ground import OPERATOR, Ground, metainfo, torrent

MODULES: tuple[ModuleType, ...] = (
    announce_keys,
    audit,
    categories,
    freeleech,
    imports,
    members,
    notices,
    points,
    swarms,
    uploads,
    whitelist,
)
WRITES = {"insert", "update", "delete", "upsert"}

# What writes without an audit entry of its own, and why that is right.
NOT_AUDITED = {
    "audit.record": "is the audit",
    "members.seen": "is no change that anybody asked for",
    "notices.send": "is part of the change that causes it",
    "notices.mark_read": "concerns nobody but the reader",
    "notices.mark_all_read": "concerns nobody but the reader",
    "notices.claim": "is the courier's own bookkeeping",
    "notices.settle": "is the courier's own bookkeeping",
    "notices.forget": "is the operator's own setting at work",
    "points.enter": "is part of the change that causes it",
    "swarms.changed": "is what members' clients did",
    "swarms.credit": "is what members' clients did",
    "swarms.still_seeded": "is what members' clients did",
}

Act = Callable[[Ground, Member, Upload], Any]
GENERAL = {"name": "General", "points": 10}
FILM = {
    "name": "new.mkv",
    "category": "General",
    "uploader": "ann",
    "size": 40_000,
    "info_hash_v1": (metainfo("new.mkv").v1_hash or b"").hex(),
    "info_hash_v2": None,
}
NEW_MEMBER = {
    "enabled": True,
    "may_leech": True,
    "roles": ["member"],
    "email": None,
    "preferences": {
        "as_uploader": {"page": True, "email": True, "webhook": True},
        "as_snatcher": {"page": True, "email": True, "webhook": True},
    },
    "multi_up": 1.0,
    "multi_down": 1.0,
}
DAY = 86_400.0


def add_film(ground: Ground, ann: Member, _: Upload) -> Upload:
    data = torrent("new.mkv")
    return ground.change(uploads.add, metainfo("new.mkv"), data, uploader=ann, category="General")


def begin_freeleech(ground: Ground) -> None:
    now = ground.clock.now()
    ground.change(freeleech.add, starts=now, ends=now + DAY, multi_up=1.0, multi_down=0.0, reason="New year")


# For each function that changes something: how it is called, the action, and the true before and after.
AUDITED: dict[str, tuple[Act, str, str, Any, Any]] = {
    "announce_keys.make": (
        lambda ground, ann, film: ground.change(announce_keys.make, ann, film),
        "announce_key.add",
        "film.mkv",
        None,
        {"member": "ann"},
    ),
    "categories.add": (
        lambda ground, *_: ground.change(categories.add, name="Films", points=3),
        "category.add",
        "Films",
        None,
        {"name": "Films", "points": 3},
    ),
    "categories.change": (
        lambda ground, *_: ground.change(categories.change, 1, name="Odds", points=4),
        "category.change",
        "Odds",
        GENERAL,
        {"name": "Odds", "points": 4},
    ),
    "freeleech.add": (
        lambda ground, *_: begin_freeleech(ground),
        "freeleech.add",
        "New year",
        None,
        {
            "id": 2,
            "starts": 1_000_005.0,
            "ends": 1_000_005.0 + DAY,
            "multi_up": 1.0,
            "multi_down": 0.0,
            "reason": "New year",
        },
    ),
    "freeleech.end": (
        lambda ground, *_: ground.change(freeleech.end, 1),
        "freeleech.end",
        "New year",
        {"ends": 1_000_000.0 + DAY},
        {"ends": 1_000_005.0},
    ),
    "imports.take": (
        lambda ground, *_: ground.change(
            imports.take, [imports.Newcomer(2, "new", "0" * 32)], imports.Terms()
        ),
        "member.import",
        "1 members",
        None,
        {"added": 1, "known": 0, "first_id": 2, "last_id": 2},
    ),
    "members.add": (
        lambda ground, *_: ground.change(members.add, name="new"),
        "member.add",
        "new",
        None,
        NEW_MEMBER,
    ),
    "members.change": (
        lambda ground, *_: ground.change(members.change, "ann", enabled=False, email="a@b.org"),
        "member.change",
        "ann",
        {"enabled": True, "email": None},
        {"enabled": False, "email": "a@b.org"},
    ),
    "members.rotate": (
        lambda ground, *_: ground.change(members.rotate, "ann"),
        "passkey.rotate",
        "ann",
        None,
        None,
    ),
    "points.give": (
        lambda ground, ann, _: ground.change(points.give, ann, -3, "a fine"),
        "points.give",
        "ann",
        None,
        {"amount": -3, "reason": "a fine"},
    ),
    "uploads.add": (add_film, "upload.add", "new.mkv", None, FILM),
    "uploads.change": (
        lambda ground, _, film: ground.change(uploads.change, film.id, name="A film", category=None),
        "upload.change",
        "A film",
        {"name": "film.mkv"},
        {"name": "A film"},
    ),
    "uploads.remove": (
        lambda ground, _, film: ground.change(uploads.remove, film.id, "a fake"),
        "upload.remove",
        "film.mkv",
        None,
        {"reason": "a fake"},
    ),
    "whitelist.put": (
        lambda ground, *_: ground.change(whitelist.put, "-TR4", "new"),
        "whitelist.put",
        "new",
        {"name": "old"},
        {"name": "new"},
    ),
    "whitelist.remove": (
        lambda ground, *_: ground.change(whitelist.remove, "-TR4"),
        "whitelist.remove",
        "old",
        {"name": "old"},
        None,
    ),
}


def written_by(module: ModuleType) -> set[str]:
    """The module's public functions that write, themselves or through its private ones."""
    tree = ast.parse(inspect.getsource(module))
    calls = {
        node.name: {
            call.func.id
            for call in ast.walk(node)
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Name)
        }
        for node in tree.body
        if isinstance(node, ast.FunctionDef)
    }

    def writes(name: str, seen: frozenset[str] = frozenset()) -> bool:
        if calls[name] & WRITES:
            return True
        return any(writes(one, seen | {name}) for one in calls[name] & calls.keys() - seen - {name})

    short = module.__name__.rpartition(".")[2]
    return {f"{short}.{name}" for name in calls if not name.startswith("_") and writes(name)}


def test_every_module_of_the_store_is_looked_at() -> None:
    folder = Path(inspect.getfile(audit)).parent
    known = {*MODULES, events_module, mirror_module, pages_module, truth_module}
    assert {Path(inspect.getfile(module)) for module in known} | {folder / "__init__.py"} == set(
        folder.glob("*.py")
    )
    for module in known.difference(MODULES):
        assert written_by(module) == set()


def test_every_function_that_writes_is_audited_or_says_why_not() -> None:
    """If this fails, a way to change things was added: put it into one of the two tables above."""
    assert set().union(*map(written_by, MODULES)) == AUDITED.keys() | NOT_AUDITED.keys()
    assert not AUDITED.keys() & NOT_AUDITED.keys()


@pytest.mark.parametrize("function", AUDITED)
def test_every_change_leaves_one_entry_with_true_before_and_after(ground: Ground, function: str) -> None:
    ann = ground.member("ann")
    film = ground.upload(ann, "film.mkv")
    ground.change(whitelist.put, "-TR4", "old")
    begin_freeleech(ground)
    known = len(ground.audited())
    ground.clock.pass_by(5)
    act, action, target, before, after = AUDITED[function]
    act(ground, ann, film)
    entry, *earlier = ground.audited()
    assert len(earlier) == known
    assert (entry.action, entry.target_name, entry.before, entry.after) == (action, target, before, after)
    assert entry.at == ground.clock.now()
    assert (entry.actor.name, entry.door, entry.address, entry.request_id) == (
        OPERATOR.name,
        Door.CLI,
        "127.0.0.1",
        "request-1",
    )


def test_a_change_that_is_undone_leaves_no_entry(ground: Ground) -> None:
    ann = ground.member("ann")
    film = ground.upload(ann, "film.mkv")
    ground.change(whitelist.put, "-TR4", "old")
    begin_freeleech(ground)
    before = (ground.audited(), ground.behind(), ground.told())
    inner = Ground(ground.records, ground.clock)

    def undone(tx: Connection, act: Act) -> None:
        inner.records = cast("Records", _Within(tx))
        act(inner, ann, film)
        raise LookupError

    for act, *_ in AUDITED.values():
        with pytest.raises(LookupError):
            ground.do(undone, act)
        assert (ground.audited(), ground.behind(), ground.told()) == before


class _Within:
    """Work that joins a transaction which is already open."""

    def __init__(self, tx: Connection) -> None:
        self._tx = tx

    def write_now(self, work: Callable[[Connection], Any]) -> Any:
        return work(self._tx)


def test_it_can_be_narrowed_by_who_what_and_whom(ground: Ground) -> None:
    ann = ground.member("ann")
    ground.member("bob")
    ground.change(members.change, ann.id, enabled=False)
    assert [one.target_name for one in ground.ask(audit.listing, action="member.add").items] == ["bob", "ann"]
    assert len(ground.ask(audit.listing, target_kind="member", target_id=str(ann.id)).items) == 2
    assert ground.ask(audit.listing, actor="nobody").items == []
    assert len(ground.ask(audit.listing, actor="operator").items) == 3
