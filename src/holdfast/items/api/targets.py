"""Upload targets of a project through the web door."""

from typing import Annotated, Any

import msgspec
from litestar import delete, get, patch, post
from litestar.handlers import HTTPRouteHandler
from litestar.params import JSONBody

from holdfast.api import DEFAULT_LIMIT, Asker, Cursor, Kept, Limit, Live, Number
from holdfast.catalogue.model import Page
from holdfast.items import rules
from holdfast.items.api.projects import Slug
from holdfast.items.model import Project, Target
from holdfast.items.store import projects, targets
from holdfast.items.store.uploads import Uploads


class NewTarget(msgspec.Struct, forbid_unknown_fields=True):
    url: str
    weight: float = 1.0


class TargetChange(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """What is given is changed."""

    weight: float | None = None
    active: bool | None = None
    held_until: Annotated[float, msgspec.Meta(ge=0, le=4e9)] | None = None
    held_why: Annotated[str, msgspec.Meta(max_length=500)] | None = None


class ShownTarget(msgspec.Struct, frozen=True):
    id: int
    url: str
    weight: float
    active: bool
    held_until: float
    held_why: str
    given: int
    """How often volunteers were sent there."""
    reported: int
    """Uploads that volunteers reported to its server."""


@get("/projects/{slug:str}/targets", may="target.list", summary="List a project's upload targets")
async def list_targets(
    catalogue: Kept, live: Live, slug: Slug, cursor: Cursor = None, limit: Limit = DEFAULT_LIMIT
) -> Page[ShownTarget]:
    def read(tx: Any) -> tuple[Project, Page[Target]]:
        project = projects.named(tx, slug)
        return project, targets.listing(tx, project, cursor=cursor, limit=limit)

    project, page = await catalogue.read(read)
    return Page(await _shown(live, project, page.items), page.next)


@post("/projects/{slug:str}/targets", may="target.change", summary="Add an upload target")
async def add_target(
    actor: Asker, catalogue: Kept, live: Live, slug: Slug, data: JSONBody[NewTarget]
) -> ShownTarget:
    def add(tx: Any, now: float) -> tuple[Project, Target]:
        project = projects.named(tx, slug)
        return project, targets.add(tx, now, actor, project, data.url, data.weight)

    project, target = await catalogue.change(add)
    return (await _shown(live, project, [target]))[0]


@patch("/projects/{slug:str}/targets/{number:int}", may="target.change", summary="Change an upload target")
async def change_target(
    actor: Asker, catalogue: Kept, live: Live, slug: Slug, number: Number, data: JSONBody[TargetChange]
) -> ShownTarget:
    given = msgspec.structs.asdict(data).items()
    values = {name: value for name, value in given if value is not None}

    def change(tx: Any, now: float) -> tuple[Project, Target]:
        project = projects.named(tx, slug)
        return project, targets.change(tx, now, actor, project, number, values)

    project, target = await catalogue.change(change)
    return (await _shown(live, project, [target]))[0]


@delete("/projects/{slug:str}/targets/{number:int}", may="target.change", summary="Remove an upload target")
async def remove_target(actor: Asker, catalogue: Kept, slug: Slug, number: Number) -> None:
    await catalogue.change(lambda tx, now: targets.remove(tx, now, actor, projects.named(tx, slug), number))


async def _shown(live: Live, project: Project, found: list[Target]) -> list[ShownTarget]:
    servers = [(target.id, rules.server_name_of(target)) for target in found]
    carried = await Uploads(live, project.prefix).carried(servers)
    return [
        ShownTarget(
            target.id,
            target.url,
            target.weight,
            target.active,
            target.held_until,
            target.held_why,
            each.given,
            each.reported,
        )
        for target, each in zip(found, carried, strict=True)
    ]


handlers: list[HTTPRouteHandler] = [list_targets, add_target, change_target, remove_target]
