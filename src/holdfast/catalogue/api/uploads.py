"""Uploads and their categories through the web door."""

import asyncio
from enum import StrEnum
from typing import Annotated, Any
from urllib.parse import quote

import msgspec
from litestar import Request, Response, get, patch, post
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromQuery, JSONBody, QueryParameter
from sqlalchemy import Connection

from holdfast.api import DEFAULT_LIMIT, Asker, Cursor, Kept, Limit, MemberName, Number, Search
from holdfast.catalogue import rules
from holdfast.catalogue.model import Category, Member, Page, Upload, UploadFile
from holdfast.catalogue.store import announce_keys, categories, members, uploads
from holdfast.errors import InvalidError
from holdfast.wire.metainfo import parse_torrent
from holdfast.wire.torrent_write import with_announce

TORRENT = "application/x-bittorrent"


class Standing(StrEnum):
    """Which uploads a listing shows."""

    STANDING = "false"
    REMOVED = "true"
    ANY = "any"


class UploadChange(msgspec.Struct, forbid_unknown_fields=True):
    name: str | None = None
    category: str | None = None
    multi_up: float | None = None
    multi_down: float | None = None
    reason: str | None = None
    """Why the multipliers are changed."""


class RemovalAsked(msgspec.Struct, forbid_unknown_fields=True):
    reason: str


class NewCategory(msgspec.Struct, forbid_unknown_fields=True):
    name: str
    points: int = 0


class CategoryChange(msgspec.Struct, forbid_unknown_fields=True):
    name: str | None = None
    points: int | None = None


@get("/uploads", may="upload.list", summary="List uploads")
async def list_uploads(
    catalogue: Kept,
    cursor: Cursor = None,
    limit: Limit = DEFAULT_LIMIT,
    q: Search = None,
    category: Annotated[str | None, QueryParameter(max_length=64)] = None,
    uploader: MemberName = None,
    removed: FromQuery[Standing] = Standing.STANDING,
) -> Page[Upload]:
    wanted = {Standing.STANDING: False, Standing.REMOVED: True, Standing.ANY: None}[removed]

    def read(tx: Connection) -> Page[Upload]:
        uploader_id = members.get(tx, uploader).id if uploader else None
        return uploads.listing(
            tx,
            cursor=cursor,
            limit=limit,
            q=q,
            category_name=category,
            uploader_id=uploader_id,
            removed=wanted,
        )

    return await catalogue.read(read)


@post("/uploads", may="upload.add", summary="Add an upload from a torrent")
async def add_upload(
    request: Request[Any, Any, Any],
    actor: Asker,
    catalogue: Kept,
    category: Annotated[str, QueryParameter(max_length=64, description="The category's name.")],
    by: MemberName = None,
    name: Annotated[
        str | None, QueryParameter(max_length=255, description="Absent: the torrent's own name.")
    ] = None,
) -> Upload:
    """The body is the .torrent file; it must be private, so that no other tracker learns of it."""
    if by is not None:
        rules.require(actor, "upload.add_for")
    elif actor.member_id is None:
        raise InvalidError("Say whose upload this is, with ?by=NAME (on the command line: --by NAME).")
    data = await request.body()
    metainfo = await asyncio.to_thread(parse_torrent, data, limit=catalogue.torrent_limit)
    if not metainfo.private:
        raise InvalidError(
            "This torrent is public; make it with the private flag set, as `holdfast upload add` does."
        )

    def add(tx: Connection, now: float) -> Upload:
        uploader = members.get(tx, by if by is not None else str(actor.member_id))
        return uploads.add(
            tx,
            now,
            actor,
            metainfo,
            data,
            uploader=uploader,
            category=category,
            name=name,
            award=catalogue.upload_award,
        )

    return await catalogue.change(add)


@get("/uploads/{upload_id:int}", may="upload.read", summary="Show an upload")
async def show_upload(catalogue: Kept, upload_id: Number) -> Upload:
    return await catalogue.read(lambda tx: uploads.get(tx, upload_id))


@patch("/uploads/{upload_id:int}", may="upload.change", summary="Change an upload")
async def change_upload(
    actor: Asker, catalogue: Kept, upload_id: Number, data: JSONBody[UploadChange]
) -> Upload:
    """Staff renames and moves uploads; operators say what of their traffic is credited."""
    if data.multi_up is not None or data.multi_down is not None:
        rules.require(actor, "upload.credit")
    return await catalogue.change(
        lambda tx, now: uploads.change(
            tx,
            now,
            actor,
            upload_id,
            name=data.name,
            category=data.category,
            multi_up=data.multi_up,
            multi_down=data.multi_down,
            reason=data.reason,
        )
    )


@get("/uploads/{upload_id:int}/files", may="upload.read", summary="List an upload's files")
async def list_files(
    catalogue: Kept, upload_id: Number, cursor: Cursor = None, limit: Limit = DEFAULT_LIMIT
) -> Page[UploadFile]:
    return await catalogue.read(lambda tx: uploads.files(tx, upload_id, cursor=cursor, limit=limit))


@get("/uploads/{upload_id:int}/torrent", may="upload.fetch", media_type=TORRENT, summary="Fetch the torrent")
async def fetch_torrent(
    actor: Asker, catalogue: Kept, upload_id: Number, member: MemberName = None
) -> Response[bytes]:
    """The torrent with the announce address of whoever fetches it; it is his alone, like his passkey."""
    if member is not None:
        rules.require(actor, "passkey.read")
    elif actor.member_id is None:
        raise InvalidError(
            "Say for whom the torrent is, with ?member=NAME: each member announces under his own address."
        )

    def read(tx: Connection) -> tuple[bytes, Member, Upload, str | None]:
        owner = members.get(tx, member if member is not None else str(actor.member_id))
        torrent, one = uploads.torrent_of(tx, upload_id), uploads.get(tx, upload_id)
        if catalogue.announce_keys:
            return torrent, owner, one, announce_keys.of(tx, owner, one)
        return torrent, owner, one, members.passkey_of(tx, owner.id)

    torrent, owner, one, key = await catalogue.read(read)
    if key is None:
        key = await catalogue.change(lambda tx, now: announce_keys.make(tx, now, actor, owner, one))
    announced = with_announce(torrent, catalogue.announce_urls(key))
    disposition = f"attachment; filename*=UTF-8''{quote(one.name, safe='')}.torrent"
    headers = {"Content-Disposition": disposition, "Cache-Control": "no-store"}
    return Response(announced, media_type=TORRENT, headers=headers)


@post("/uploads/{upload_id:int}/removal", may="upload.remove", status_code=200, summary="Remove an upload")
async def remove_upload(
    actor: Asker, catalogue: Kept, upload_id: Number, data: JSONBody[RemovalAsked]
) -> Upload:
    """A tombstone with the reason stays; the tracker refuses the upload from the moment this answers."""
    return await catalogue.change(
        lambda tx, now: uploads.remove(tx, now, actor, upload_id, data.reason, sinks=catalogue.sinks)
    )


@get("/categories", may="category.list", summary="List categories")
async def list_categories(catalogue: Kept) -> Page[Category]:
    return Page(await catalogue.read(categories.listing))


@post("/categories", may="category.change", summary="Add a category")
async def add_category(actor: Asker, catalogue: Kept, data: JSONBody[NewCategory]) -> Category:
    return await catalogue.change(
        lambda tx, now: categories.add(tx, now, actor, name=data.name, points=data.points)
    )


@patch("/categories/{category_id:int}", may="category.change", summary="Change a category")
async def change_category(
    actor: Asker, catalogue: Kept, category_id: Number, data: JSONBody[CategoryChange]
) -> Category:
    return await catalogue.change(
        lambda tx, now: categories.change(tx, now, actor, category_id, name=data.name, points=data.points)
    )


handlers: list[HTTPRouteHandler] = [
    list_uploads,
    add_upload,
    show_upload,
    change_upload,
    list_files,
    fetch_torrent,
    remove_upload,
    list_categories,
    add_category,
    change_category,
]
