"""A project's board through the web door: what everybody may read, signed in or not."""

from datetime import UTC, date, datetime, timedelta
from typing import Annotated

import msgspec
from litestar import get
from litestar.handlers import HTTPRouteHandler
from litestar.params import PathParameter, QueryParameter

from holdfast.api import DEFAULT_LIMIT, Cursor, Kept, Limit, Live
from holdfast.catalogue.model import Page
from holdfast.catalogue.service.catalogue import Catalogue
from holdfast.errors import NotFoundError
from holdfast.items.model import Counts, Leader, Project, State, Window, Work
from holdfast.items.store import leaders, projects
from holdfast.items.store.claims import Claims, Limits
from holdfast.items.store.figures import Figures, Series
from holdfast.items.store.live import Bench

Slug = Annotated[str, PathParameter(max_length=63, description="The project's slug.")]
Name = Annotated[str, PathParameter(max_length=30, description="A volunteer's name.")]
Since = Annotated[Window, QueryParameter(description="How far back to look, in whole days.")]
Moment = Annotated[float | None, QueryParameter(ge=0, le=1e11, description="Seconds UTC.")]
Somebody = Annotated[str | None, QueryParameter(max_length=30, description="A volunteer's name.")]
Wanted = Annotated[str, QueryParameter(max_length=30, description="Part of a volunteer's name.")]
DAYS = {Window.DAY: 1, Window.WEEK: 7}


class Board(msgspec.Struct, frozen=True):
    """What a project's page shows first."""

    slug: str
    title: str
    state: State
    message: str
    item_type: str
    domains: dict[str, str]
    counts: Counts
    limits: Limits
    domain_bytes: dict[str, int]
    versions: dict[str, int]
    """Versions of scripts, and how many volunteers' last report named each."""
    at: float


class Volunteer(msgspec.Struct, frozen=True):
    """One volunteer over all projects."""

    name: str
    items: int
    bytes: int
    projects: list[Work]


@get("/projects/{slug:str}/board", public=True, summary="Show a project's board")
async def show_board(catalogue: Kept, live: Live, slug: Slug) -> Board:
    one = await _public(catalogue, slug)
    figures = Figures(live, one.prefix)
    return Board(
        slug=one.slug,
        title=one.title,
        state=one.state,
        message=one.message,
        item_type=one.item_type,
        domains=one.domains,
        counts=await Bench(live, one.prefix).counts(),
        limits=await Claims(live, one.prefix).limits(),
        domain_bytes=await figures.domains(),
        versions=await figures.versions_in_use(),
        at=catalogue.clock.now(),
    )


@get("/projects/{slug:str}/leaders", public=True, summary="List a project's volunteers by what they carried")
async def list_leaders(
    catalogue: Kept,
    slug: Slug,
    window: Since = Window.ALL,
    q: Wanted = "",
    volunteer: Somebody = None,
    cursor: Cursor = None,
    limit: Limit = DEFAULT_LIMIT,
) -> Page[Leader]:
    one = await _public(catalogue, slug)
    since = _since(window, catalogue.clock.now())
    return await catalogue.read(
        lambda tx: leaders.listing(tx, one.id, since, q=q, name=volunteer, cursor=cursor, limit=limit)
    )


@get("/projects/{slug:str}/charts", public=True, summary="Show how a project's sums grew")
async def show_charts(
    catalogue: Kept,
    live: Live,
    slug: Slug,
    volunteer: Somebody = None,
    since: Moment = None,
    until: Moment = None,
) -> Series:
    """A few hundred points however long it took; a narrower span has finer ones. Of one volunteer: bytes."""
    one = await _public(catalogue, slug)
    return await Figures(live, one.prefix).series(volunteer, since, until)


@get("/volunteers/{name:str}", public=True, summary="Show a volunteer over all projects")
async def show_volunteer(catalogue: Kept, name: Name) -> Volunteer:
    found = await catalogue.read(lambda tx: leaders.work_of(tx, name))
    if not found:
        raise NotFoundError(f"No volunteer named “{name}” has finished an item yet.")
    return Volunteer(name, sum(one.items for one in found), sum(one.bytes for one in found), found)


async def _public(catalogue: Catalogue, slug: str) -> Project:
    """A draft is nobody's business."""
    one = await catalogue.read(lambda tx: projects.named(tx, slug))
    if one.state is State.DRAFT:
        raise NotFoundError(f"There is no project “{slug}” to look at yet.")
    return one


def _since(window: Window, now: float) -> date | None:
    days = DAYS.get(window)
    return None if days is None else datetime.fromtimestamp(now, UTC).date() - timedelta(days=days - 1)


handlers: list[HTTPRouteHandler] = [show_board, list_leaders, show_charts, show_volunteer]
