"""Claims, limits and failed items through the web door, for staff."""

import re
from typing import Annotated

import msgspec
from litestar import get, post, put
from litestar.handlers import HTTPRouteHandler
from litestar.params import JSONBody, QueryParameter

from holdfast.api import DEFAULT_LIMIT, Asker, Cursor, Folder, Kept, Limit, Live
from holdfast.catalogue.model import Page
from holdfast.errors import InvalidError, NotFoundError
from holdfast.items.api.boards import Slug
from holdfast.items.model import Project
from holdfast.items.service.history import History, history
from holdfast.items.service.releasing import Choice, Releasing
from holdfast.items.store import projects
from holdfast.items.store.archive import archive_in
from holdfast.items.store.claims import Claims, Limits, Open
from holdfast.items.store.live import Bench
from holdfast.wire.volunteers import LONGEST_ITEM

Item = Annotated[str, QueryParameter(max_length=LONGEST_ITEM, description="The item.")]
Holds = Annotated[str, QueryParameter(max_length=30, description="The volunteer who holds them.")]
Many = Annotated[int, msgspec.Meta(ge=0, le=1_000_000_000)]


class Failed(msgspec.Struct, frozen=True):
    item: str
    why: str


class NewLimits(msgspec.Struct, forbid_unknown_fields=True):
    """What is not given is not limited; 0 a minute pauses."""

    per_minute: Many | None = None
    each: Many | None = None


class Release(msgspec.Struct, forbid_unknown_fields=True):
    """Which claims: all that every given word is true of; at least one must be given."""

    hours: Annotated[float, msgspec.Meta(ge=0, le=100_000)] | None = None
    """Claims older than this."""
    downloader: Annotated[str, msgspec.Meta(max_length=30)] | None = None
    pattern: Annotated[str, msgspec.Meta(max_length=200)] | None = None
    """A regular expression that matches whole items."""
    items: Annotated[list[str], msgspec.Meta(max_length=10_000)] | None = None
    preview: bool = False


class Released(msgspec.Struct, frozen=True):
    count: int
    some: list[str]
    """A hundred of them at most."""


class Items(msgspec.Struct, forbid_unknown_fields=True):
    items: Annotated[list[str], msgspec.Meta(min_length=1, max_length=10_000)]


@get("/projects/{slug:str}/claims", may="claim.read", summary="List who holds what")
async def list_claims(
    catalogue: Kept,
    live: Live,
    slug: Slug,
    downloader: Holds = "",
    cursor: Cursor = None,
    limit: Limit = DEFAULT_LIMIT,
) -> Page[Open]:
    """In no order; a page may have a few more or fewer than asked for."""
    one = await _named(catalogue, slug)
    return Page(*await Claims(live, one.prefix).page(cursor, limit, downloader))


@post(
    "/projects/{slug:str}/releases", may="claim.release", summary="Take claims back, or see which it would be"
)
async def release_claims(
    actor: Asker, catalogue: Kept, live: Live, slug: Slug, data: JSONBody[Release]
) -> Released:
    one, now = await _named(catalogue, slug), catalogue.clock.now()
    choice = _choice(data, now)
    releasing = Releasing(live, one)
    found = await (releasing.matching(choice) if data.preview else releasing.release(choice, now))
    if found and not data.preview:
        words = {"claims": len(found), "hours": data.hours, "downloader": data.downloader}
        await catalogue.change(lambda tx, at: projects.noted(tx, at, actor, one, "project.release", words))
    return Released(len(found), found[:100])


@get("/projects/{slug:str}/limits", may="claim.read", summary="Show a project's limits")
async def show_limits(catalogue: Kept, live: Live, slug: Slug) -> Limits:
    return await Claims(live, (await _named(catalogue, slug)).prefix).limits()


@put("/projects/{slug:str}/limits", may="project.limit", summary="Set a project's limits")
async def set_limits(
    actor: Asker, catalogue: Kept, live: Live, slug: Slug, data: JSONBody[NewLimits]
) -> Limits:
    one = await _named(catalogue, slug)
    claims = Claims(live, one.prefix)
    before = await claims.limits()
    old = {"per_minute": before.per_minute, "each": before.each}
    new = {"per_minute": data.per_minute, "each": data.each}
    await catalogue.change(lambda tx, at: projects.noted(tx, at, actor, one, "project.limit", new, old))
    await claims.limit(data.per_minute, data.each)
    return await claims.limits()


@get("/projects/{slug:str}/failed", may="claim.read", summary="List the items that were given up, and why")
async def list_failed(
    catalogue: Kept, live: Live, slug: Slug, cursor: Cursor = None, limit: Limit = DEFAULT_LIMIT
) -> Page[Failed]:
    one = await _named(catalogue, slug)
    found, following = await Claims(live, one.prefix).failed(cursor, limit)
    return Page([Failed(item, why) for item, why in found.items()], following)


@post("/projects/{slug:str}/retries", may="claim.release", summary="Give failed items another chance")
async def retry_items(
    actor: Asker, catalogue: Kept, live: Live, slug: Slug, data: JSONBody[Items]
) -> Released:
    one = await _named(catalogue, slug)
    count = await Bench(live, one.prefix).retry(data.items)
    await catalogue.change(
        lambda tx, at: projects.noted(tx, at, actor, one, "project.retry", {"items": count})
    )
    return Released(count, data.items[:100])


@get("/projects/{slug:str}/item", may="claim.read", summary="Show what is known of an item")
async def show_item(catalogue: Kept, live: Live, folder: Folder, slug: Slug, name: Item) -> History:
    one = await _named(catalogue, slug)
    found = await history(catalogue.records, live, archive_in(folder), one, name)
    if found.where is None and not found.attempts:
        raise NotFoundError(f"The project {slug} has no item “{name[:80]}”.")
    return found


async def _named(catalogue: Kept, slug: str) -> Project:
    return await catalogue.read(lambda tx: projects.named(tx, slug))


def _choice(data: Release, now: float) -> Choice:
    if data.hours is None and not data.downloader and not data.pattern and not data.items:
        raise InvalidError("Say which claims: by `hours`, `downloader`, `pattern` or `items`.")
    try:
        pattern = re.compile(data.pattern) if data.pattern else None
    except re.error as error:
        raise InvalidError(f"The pattern is no regular expression: {error}.") from error
    before = None if data.hours is None else now - data.hours * 3600
    return Choice(before, data.downloader, pattern, frozenset(data.items or ()))


handlers: list[HTTPRouteHandler] = [
    list_claims,
    release_claims,
    show_limits,
    set_limits,
    list_failed,
    retry_items,
    show_item,
]
