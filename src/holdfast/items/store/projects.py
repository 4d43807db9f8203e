"""Projects in the records: how they are set up, each change with its audit entry."""

import secrets
from dataclasses import asdict
from typing import Any

from sqlalchemy import Connection, Row, insert, select, update
from sqlalchemy.exc import IntegrityError

from holdfast.catalogue.model import Actor, Page
from holdfast.catalogue.service import lent
from holdfast.errors import ConflictError, InvalidError, NotFoundError
from holdfast.items import rules
from holdfast.items.model import Project, State, Unknown
from holdfast.items.tables import project

SHOWN = rules.CHANGEABLE


def add(tx: Connection, now: float, actor: Actor, slug: str, title: str, values: dict[str, Any]) -> Project:
    """A new project, a draft until somebody activates it."""
    new = Project(0, rules.slug(slug), title, State.DRAFT, secret=secrets.token_hex(32), created=now)
    row = asdict(new) | rules.checked(values)
    del row["id"]
    try:
        with tx.begin_nested():
            tx.execute(insert(project).values(row))
    except IntegrityError as error:
        raise ConflictError(f"There is a project {slug} already, or another default one.") from error
    added = named(tx, slug)
    lent.audit(tx, now, actor, "project.add", "project", added.slug, added.title, None, _audited(added))
    lent.tell(tx, now, actor.request_id, "project.added", "projects", {"slug": added.slug})
    return added


def change(tx: Connection, now: float, actor: Actor, slug: str, values: dict[str, Any]) -> Project:
    unknown = values.keys() - rules.CHANGEABLE
    if unknown:
        raise InvalidError(f"A project has no {', '.join(sorted(unknown))} that could be changed.")
    tx.execute(select(project.c.id).where(project.c.slug == slug).with_for_update())
    before = named(tx, slug)
    try:
        with tx.begin_nested():
            tx.execute(update(project).where(project.c.slug == slug).values(rules.checked(values)))
    except IntegrityError as error:
        raise ConflictError("Another project is the default one; change that first.") from error
    after = named(tx, slug)
    if after != before:
        lent.audit(
            tx, now, actor, "project.change", "project", slug, after.title, _audited(before), _audited(after)
        )
        lent.tell(tx, now, actor.request_id, "project.changed", "projects", {"slug": slug})
    return after


def new_key(tx: Connection, now: float, actor: Actor, slug: str) -> str:
    """Another key for discovered items; it is told now and never again, and the one before ends."""
    key = secrets.token_urlsafe(24)
    tx.execute(update(project).where(project.c.slug == slug).values(backfeed_hash=rules.key_hash(key)))
    one = named(tx, slug)
    lent.audit(tx, now, actor, "project.key", "project", slug, one.title)
    lent.tell(tx, now, actor.request_id, "project.changed", "projects", {"slug": slug})
    return key


def named(tx: Connection, slug: str) -> Project:
    row = tx.execute(select(project).where(project.c.slug == slug)).one_or_none()
    if row is None:
        raise NotFoundError(f"There is no project “{slug[:63]}”; `holdfast items list` shows all.")
    return _project(row)


def every(tx: Connection) -> list[Project]:
    """All that volunteers may ask about: few enough to be remembered by whoever answers them."""
    return [_project(row) for row in tx.execute(select(project).order_by(project.c.id))]


def listing(tx: Connection, *, drafts: bool, cursor: str | None = None, limit: int = 50) -> Page[Project]:
    """The newest first; drafts are for those who work on them."""
    query = select(project)
    if not drafts:
        query = query.where(project.c.state != State.DRAFT)
    return lent.paged(tx, query, project.c.id, cursor, limit, _project)


def _project(row: Row[Any]) -> Project:
    values = row._asdict()
    values["state"], values["unknown"] = State(row.state), Unknown(row.unknown)
    values["refused_versions"] = tuple(row.refused_versions)
    values["dictionary"], values["extras"] = row.dictionary or {}, row.extras or {}
    return Project(**values)


def _audited(one: Project) -> dict[str, Any]:
    return {name: value for name, value in asdict(one).items() if name in SHOWN}


def noted(
    tx: Connection,
    now: float,
    actor: Actor,
    one: Project,
    action: str,
    after: dict[str, Any],
    before: dict[str, Any] | None = None,
) -> None:
    """Items are too many for the audit; what was done to how many of them, and by whom, is not."""
    lent.audit(tx, now, actor, action, "project", one.slug, one.title, before, after)
