"""Upload targets in the records; each change is audited, and whoever names them to volunteers hears of it."""

from dataclasses import asdict
from typing import Any

from sqlalchemy import Connection, Row, delete, insert, select, update
from sqlalchemy.exc import IntegrityError

from holdfast.catalogue.model import Actor, Page
from holdfast.catalogue.service import lent
from holdfast.errors import ConflictError, NotFoundError
from holdfast.items import rules
from holdfast.items.model import Project, Target
from holdfast.items.tables import upload_target


def add(tx: Connection, now: float, actor: Actor, project: Project, url: str, weight: float) -> Target:
    row = {
        "project_id": project.id,
        "url": rules.target_url(url),
        "weight": rules.target_weight(weight),
        "active": True,
        "held_until": 0.0,
        "held_why": "",
    }
    try:
        with tx.begin_nested():
            key = tx.execute(insert(upload_target).values(row)).inserted_primary_key
    except IntegrityError as error:
        raise ConflictError(f"{row['url']} is a target of {project.slug} already.") from error
    added = get(tx, project, key[0] if key else 0)
    _tell(tx, now, actor, "target.add", project, None, added)
    return added


def change(
    tx: Connection, now: float, actor: Actor, project: Project, number: int, values: dict[str, Any]
) -> Target:
    if "weight" in values:
        rules.target_weight(values["weight"])
    before = get(tx, project, number, lock=True)
    if values:
        tx.execute(update(upload_target).where(upload_target.c.id == number).values(values))
    after = get(tx, project, number)
    if after != before:
        _tell(tx, now, actor, "target.change", project, before, after)
    return after


def remove(tx: Connection, now: float, actor: Actor, project: Project, number: int) -> None:
    gone = get(tx, project, number, lock=True)
    tx.execute(delete(upload_target).where(upload_target.c.id == number))
    _tell(tx, now, actor, "target.remove", project, gone, None)


def get(tx: Connection, project: Project, number: int, *, lock: bool = False) -> Target:
    here = (upload_target.c.id == number) & (upload_target.c.project_id == project.id)
    query = select(upload_target).where(here)
    row = tx.execute(query.with_for_update() if lock else query).one_or_none()
    if row is None:
        raise NotFoundError(
            f"{project.slug} has no target {number}; `holdfast items targets list` shows all."
        )
    return _target(row)


def every(tx: Connection) -> list[Target]:
    return [_target(row) for row in tx.execute(select(upload_target).order_by(upload_target.c.id))]


def listing(tx: Connection, project: Project, *, cursor: str | None = None, limit: int = 50) -> Page[Target]:
    query = select(upload_target).where(upload_target.c.project_id == project.id)
    return lent.paged(tx, query, upload_target.c.id, cursor, limit, _target)


def _target(row: Row[Any]) -> Target:
    return Target(**row._asdict())


def _tell(
    tx: Connection,
    now: float,
    actor: Actor,
    action: str,
    project: Project,
    before: Target | None,
    after: Target | None,
) -> None:
    url = (after or before).url  # type: ignore[union-attr]
    was, now_is = (asdict(each) if each else None for each in (before, after))
    lent.audit(tx, now, actor, action, "project", project.slug, url, was, now_is)
    lent.tell(tx, now, actor.request_id, "project.changed", "projects", {"slug": project.slug})
