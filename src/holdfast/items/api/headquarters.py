"""Headquarters of the warriors through the web door, and the keys for discovered items."""

from typing import Annotated

import msgspec
from litestar import get, patch, post
from litestar.handlers import HTTPRouteHandler
from litestar.params import JSONBody

from holdfast.api import Asker, Kept
from holdfast.items.api.projects import Slug
from holdfast.items.model import Headquarters
from holdfast.items.store import headquarters, projects


class HeadquartersChange(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """What is given is changed."""

    seesaw_version: Annotated[str, msgspec.Meta(max_length=32)] | None = None
    auto_project: Annotated[str, msgspec.Meta(max_length=63)] | None = None
    broadcast_message: Annotated[str, msgspec.Meta(max_length=4096)] | None = None


class NewKey(msgspec.Struct, frozen=True):
    key: str
    """It is shown this once."""
    path: str


@get("/headquarters", may="project.list", summary="Show what warriors are told beside the projects")
async def show_headquarters(catalogue: Kept) -> Headquarters:
    return await catalogue.read(headquarters.get)


@patch("/headquarters", may="project.change", summary="Change what warriors are told beside the projects")
async def change_headquarters(
    actor: Asker, catalogue: Kept, data: JSONBody[HeadquartersChange]
) -> Headquarters:
    given = msgspec.structs.asdict(data).items()
    values = {name: value for name, value in given if value is not None}
    return await catalogue.change(lambda tx, now: headquarters.change(tx, now, actor, values))


@post("/projects/{slug:str}/key", may="project.change", summary="Make a new key for discovered items")
async def new_key(actor: Asker, catalogue: Kept, slug: Slug) -> NewKey:
    key = await catalogue.change(lambda tx, now: projects.new_key(tx, now, actor, slug))
    return NewKey(key, f"/backfeed/legacy/{key}")


handlers: list[HTTPRouteHandler] = [show_headquarters, change_headquarters, new_key]
