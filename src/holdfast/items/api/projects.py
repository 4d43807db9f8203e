"""Projects through the web door: set up, steered, filled."""

from typing import Annotated, Any

import msgspec
from litestar import get, patch, post
from litestar.handlers import HTTPRouteHandler
from litestar.params import JSONBody, PathParameter

from holdfast.api import DEFAULT_LIMIT, Asker, Cursor, Kept, Limit, Live
from holdfast.catalogue.model import Page
from holdfast.catalogue.rules import may
from holdfast.errors import NotFoundError
from holdfast.items import rules
from holdfast.items.model import Counts, Project, State, Unknown
from holdfast.items.service.filling import Filling
from holdfast.items.store import projects
from holdfast.items.store.live import Bench

Slug = Annotated[str, PathParameter(max_length=63, description="The project's slug.")]
Changes = Annotated[str, msgspec.Meta(max_length=2048)]
MOST_NAMES = 10_000


class NewProject(msgspec.Struct, forbid_unknown_fields=True):
    slug: str
    title: Annotated[str, msgspec.Meta(min_length=1, max_length=rules.TITLE_MOST)]
    is_default: bool = False


class Change(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """What is given is changed."""

    title: Annotated[str, msgspec.Meta(min_length=1, max_length=rules.TITLE_MOST)] | None = None
    state: State | None = None
    host: Annotated[str, msgspec.Meta(max_length=253)] | None = None
    item_type: Annotated[str, msgspec.Meta(min_length=1, max_length=32)] | None = None
    item_pattern: Changes | None = None
    domains: dict[str, str] | None = None
    lease: float | None = None
    attempts: int | None = None
    minimum_version: Annotated[str, msgspec.Meta(max_length=64)] | None = None
    refused_versions: list[str] | None = None
    smooth: bool | None = None
    unknown: Unknown | None = None
    message: Changes | None = None
    description: Changes | None = None
    repository: Changes | None = None
    logo: Changes | None = None
    leaderboard: Changes | None = None
    marker_html: Changes | None = None
    lat_lng: Annotated[str, msgspec.Meta(max_length=64)] | None = None
    deadline: float | None = None
    weight: float | None = None
    rescue: bool | None = None
    backfeed_queue: str | None = None
    dictionary: dict[str, str] | None = None
    extras: dict[str, Any] | None = None


class Shown(msgspec.Struct, frozen=True):
    """A project as people see it: how it is set up, and where its items are."""

    slug: str
    title: str
    state: State
    host: str
    item_type: str
    item_pattern: str
    domains: dict[str, str]
    lease: float
    attempts: int
    minimum_version: str
    refused_versions: tuple[str, ...]
    smooth: bool
    unknown: Unknown
    message: str
    description: str
    repository: str
    logo: str
    leaderboard: str
    marker_html: str
    lat_lng: str
    deadline: float
    weight: float
    rescue: bool
    backfeed_queue: str
    dictionary: dict[str, str]
    extras: dict[str, Any]
    is_default: bool
    created: float
    counts: Counts


class Names(msgspec.Struct, forbid_unknown_fields=True):
    items: Annotated[list[str], msgspec.Meta(min_length=1, max_length=MOST_NAMES)]
    queue: str = "todo"
    dry_run: bool = False


class Added(msgspec.Struct, frozen=True):
    added: int
    known: int
    refused: list[str]
    """Names that the project's pattern does not take; the first hundred."""


@get("/projects", may="project.list", summary="List the projects")
async def list_projects(
    actor: Asker, catalogue: Kept, live: Live, cursor: Cursor = None, limit: Limit = DEFAULT_LIMIT
) -> Page[Shown]:
    drafts = may(actor, "project.fill")
    page = await catalogue.read(lambda tx: projects.listing(tx, drafts=drafts, cursor=cursor, limit=limit))
    return Page([await _shown(live, one) for one in page.items], page.next)


@post("/projects", may="project.change", summary="Add a project")
async def add_project(actor: Asker, catalogue: Kept, live: Live, data: JSONBody[NewProject]) -> Shown:
    values = {"is_default": data.is_default}
    added = await catalogue.change(
        lambda tx, now: projects.add(tx, now, actor, data.slug, data.title, values)
    )
    return await _shown(live, added)


@get("/projects/{slug:str}", may="project.list", summary="Show a project")
async def show_project(actor: Asker, catalogue: Kept, live: Live, slug: Slug) -> Shown:
    found = await catalogue.read(lambda tx: projects.named(tx, slug))
    if found.state is State.DRAFT and not may(actor, "project.fill"):
        raise NotFoundError(f"There is no project “{slug}” to look at yet.")
    return await _shown(live, found)


@patch("/projects/{slug:str}", may="project.change", summary="Change a project")
async def change_project(
    actor: Asker, catalogue: Kept, live: Live, slug: Slug, data: JSONBody[Change]
) -> Shown:
    values: dict[str, Any] = {
        name: value for name, value in msgspec.structs.asdict(data).items() if value is not None
    }
    changed = await catalogue.change(lambda tx, now: projects.change(tx, now, actor, slug, values))
    return await _shown(live, changed)


@post("/projects/{slug:str}/items", may="project.fill", summary="Add items to a queue")
async def add_items(actor: Asker, catalogue: Kept, live: Live, slug: Slug, data: JSONBody[Names]) -> Added:
    project = await catalogue.read(lambda tx: projects.named(tx, slug))
    filling, queue = Filling(catalogue.records, live, project), rules.queue(data.queue)
    good, refused = rules.sorted_out(project, data.items)
    found = await (filling.would_add(good) if data.dry_run else filling.fill(queue, good))
    if found and not data.dry_run:
        words = {"queue": queue, "items": len(found)}
        await catalogue.change(lambda tx, now: projects.noted(tx, now, actor, project, "project.fill", words))
    return Added(len(found), len(good) - len(found), refused[:100])


async def _shown(live: Live, one: Project) -> Shown:
    counts = await Bench(live, one.prefix).counts()
    return msgspec.convert({**_public(one), "counts": counts}, Shown, from_attributes=True)


def _public(one: Project) -> dict[str, Any]:
    return {name: getattr(one, name) for name in Shown.__struct_fields__ if name != "counts"}


handlers: list[HTTPRouteHandler] = [
    list_projects,
    add_project,
    show_project,
    change_project,
    add_items,
]
