"""Who gets no items, through the web door."""

from typing import Annotated

import msgspec
from litestar import delete, get, post
from litestar.handlers import HTTPRouteHandler
from litestar.params import JSONBody, QueryParameter
from sqlalchemy import Connection

from holdfast.api import DEFAULT_LIMIT, Asker, Cursor, Kept, Limit, Number
from holdfast.catalogue.model import Page
from holdfast.items.model import Block
from holdfast.items.store import blocks, projects

Of = Annotated[
    str | None, QueryParameter(max_length=63, description="Blocks that concern this project; absent: all.")
]


class NewBlock(msgspec.Struct, forbid_unknown_fields=True):
    whom: Annotated[str, msgspec.Meta(max_length=64)]
    """A downloader's name, an address or a network."""
    reason: Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
    project: str | None = None
    """Absent: of every project."""
    until: Annotated[float, msgspec.Meta(ge=0, le=4e9)] | None = None


class ShownBlock(msgspec.Struct, frozen=True):
    id: int
    whom: str
    project: str | None
    reason: str
    at: float
    until: float | None
    by: str


@get("/blocks", may="block.list", summary="List who gets no items")
async def list_blocks(
    catalogue: Kept, project: Of = None, cursor: Cursor = None, limit: Limit = DEFAULT_LIMIT
) -> Page[ShownBlock]:
    now = catalogue.clock.now()

    def read(tx: Connection) -> Page[ShownBlock]:
        wanted = projects.named(tx, project) if project is not None else None
        page = blocks.listing(tx, now, wanted, cursor=cursor, limit=limit)
        return Page(_shown(tx, page.items), page.next)

    return await catalogue.read(read)


@post("/blocks", may="block.change", summary="Give somebody no more items")
async def add_block(actor: Asker, catalogue: Kept, data: JSONBody[NewBlock]) -> ShownBlock:
    def add(tx: Connection, now: float) -> ShownBlock:
        project = projects.named(tx, data.project) if data.project is not None else None
        added = blocks.add(tx, now, actor, project, data.whom, data.reason, data.until)
        return _shown(tx, [added])[0]

    return await catalogue.change(add)


@delete("/blocks/{number:int}", may="block.change", summary="Give somebody items again")
async def lift_block(actor: Asker, catalogue: Kept, number: Number) -> None:
    await catalogue.change(lambda tx, now: blocks.lift(tx, now, actor, number))


def _shown(tx: Connection, found: list[Block]) -> list[ShownBlock]:
    slugs = {project.id: project.slug for project in projects.every(tx)}
    return [
        ShownBlock(
            one.id,
            one.whom,
            slugs[one.project_id] if one.project_id is not None else None,
            one.reason,
            one.at,
            one.until,
            one.by,
        )
        for one in found
    ]


handlers: list[HTTPRouteHandler] = [list_blocks, add_block, lift_block]
