"""What warriors are told beside the projects: one row, whose history is the audit."""

from dataclasses import asdict
from typing import Any

from sqlalchemy import Connection, select

from holdfast.catalogue.model import Actor
from holdfast.catalogue.service import lent
from holdfast.items import rules
from holdfast.items.model import Headquarters
from holdfast.items.store import projects
from holdfast.items.tables import headquarters
from holdfast.store.records.upsert import upsert

ONE = 1


def get(tx: Connection, *, lock: bool = False) -> Headquarters:
    query = select(headquarters).where(headquarters.c.id == ONE)
    row = tx.execute(query.with_for_update() if lock else query).one_or_none()
    if row is None:
        return Headquarters()
    return Headquarters(row.seesaw_version, row.auto_project, row.broadcast_message)


def change(tx: Connection, now: float, actor: Actor, values: dict[str, Any]) -> Headquarters:
    before = get(tx, lock=True)
    after = rules.headquarters(before, values)
    if after.auto_project:
        projects.named(tx, after.auto_project)
    if after != before:
        upsert(tx, headquarters, {"id": ONE}, asdict(after))
        told = asdict(before), asdict(after)
        lent.audit(tx, now, actor, "headquarters.change", "headquarters", ONE, "headquarters", *told)
        lent.tell(tx, now, actor.request_id, "headquarters.changed", "projects", {})
    return after
