"""The whitelist of clients through the web door."""

from typing import Annotated

import msgspec
from litestar import delete, get, put
from litestar.handlers import HTTPRouteHandler
from litestar.params import JSONBody, PathParameter

from holdfast.api import DEFAULT_LIMIT, Asker, Cursor, Kept, Limit
from holdfast.catalogue.model import Page, WhitelistEntry
from holdfast.catalogue.store import whitelist

Prefix = Annotated[str, PathParameter(max_length=20, description="The beginning of a peer id, such as -TR4.")]


class ClientName(msgspec.Struct, forbid_unknown_fields=True):
    name: str


@get("/whitelist", may="whitelist.list", summary="List the clients that may take part")
async def list_clients(
    catalogue: Kept, cursor: Cursor = None, limit: Limit = DEFAULT_LIMIT
) -> Page[WhitelistEntry]:
    return await catalogue.read(lambda tx: whitelist.listing(tx, cursor=cursor, limit=limit))


@put("/whitelist/{prefix:str}", may="whitelist.change", summary="Let a client take part")
async def put_client(
    actor: Asker, catalogue: Kept, prefix: Prefix, data: JSONBody[ClientName]
) -> WhitelistEntry:
    return await catalogue.change(lambda tx, now: whitelist.put(tx, now, actor, prefix, data.name))


@delete("/whitelist/{prefix:str}", may="whitelist.change", summary="Take a client off the whitelist")
async def remove_client(actor: Asker, catalogue: Kept, prefix: Prefix) -> None:
    await catalogue.change(lambda tx, now: whitelist.remove(tx, now, actor, prefix))


handlers: list[HTTPRouteHandler] = [list_clients, put_client, remove_client]
