"""What another tracker knew comes in through the web door, a batch at a time."""

import asyncio
from typing import Annotated, Any

import msgspec
from litestar import Request, post
from litestar.handlers import HTTPRouteHandler
from litestar.params import JSONBody, QueryParameter
from sqlalchemy import Connection

from holdfast.api import Asker, Kept, MemberName
from holdfast.catalogue.model import Upload
from holdfast.catalogue.store import imports, members, uploads
from holdfast.catalogue.store.imports import LARGEST_ID, Fate, Newcomer, Outcome, Terms
from holdfast.catalogue.store.uploads import Before
from holdfast.errors import InvalidError
from holdfast.wire.metainfo import parse_torrent

MOST_AT_ONCE = 500


class MemberToImport(msgspec.Struct, forbid_unknown_fields=True):
    """`line` comes back with what became of it; `joined` is in seconds since 1970.

    What is wrong with one is told by its line, so nothing but the kinds of the values is asked for here.
    """

    line: int
    name: str
    passkey: str
    id: int | None = None
    email: str | None = None
    uploaded: int = 0
    downloaded: int = 0
    enabled: bool = True
    may_leech: bool = True
    joined: float | None = None
    roles: list[str] = []


class MembersToImport(msgspec.Struct, forbid_unknown_fields=True):
    members: Annotated[list[MemberToImport], msgspec.Meta(max_length=MOST_AT_ONCE)]
    keep_ids: bool = False
    mend_names: bool = False
    dry_run: bool = False


class Imported(msgspec.Struct):
    """What became of each line; where one is refused, nobody of the batch was added."""

    entered: bool
    outcomes: list[Outcome]


@post(
    "/members/import", may="member.import", status_code=200, summary="Take over members with their passkeys"
)
async def import_members(actor: Asker, catalogue: Kept, data: JSONBody[MembersToImport]) -> Imported:
    """All of them or none: lines that are refused say why. Who is here already is left as he is."""
    newcomers = [
        Newcomer(
            **{name: getattr(one, name) for name in one.__struct_fields__ if name != "roles"},
            roles=tuple(one.roles),
        )
        for one in data.members
    ]
    terms = Terms(data.keep_ids, data.mend_names, data.dry_run)
    outcomes = await catalogue.change(lambda tx, now: imports.take(tx, now, actor, newcomers, terms))
    refused = any(outcome.fate is Fate.REFUSED for outcome in outcomes)
    return Imported(not refused and not data.dry_run, outcomes)


class ImportedUpload(msgspec.Struct):
    """The upload, as it is here; `refused` is one that was removed here."""

    fate: Fate
    upload: Upload


@post("/uploads/import", may="upload.import", status_code=200, summary="Take over an upload from its torrent")
async def import_upload(
    request: Request[Any, Any, Any],
    actor: Asker,
    catalogue: Kept,
    category: Annotated[str, QueryParameter(max_length=64, description="The category's name.")],
    by: MemberName = None,
    number: Annotated[
        int | None,
        QueryParameter(
            name="id", ge=1, le=LARGEST_ID, description="Its number there, kept where it is free."
        ),
    ] = None,
    completed: Annotated[int, QueryParameter(ge=0, le=2**31 - 1, description="Its snatches there.")] = 0,
    name: Annotated[
        str | None, QueryParameter(max_length=255, description="Absent: the torrent's own name.")
    ] = None,
) -> ImportedUpload:
    """The body is the .torrent file, which must be private. An upload that is here already stays as it is."""
    data = await request.body()
    metainfo = await asyncio.to_thread(parse_torrent, data, limit=catalogue.torrent_limit)
    if not metainfo.private:
        raise InvalidError("This torrent is public: other trackers know of it, and its hash cannot be kept.")

    def take(tx: Connection, now: float) -> ImportedUpload:
        there = uploads.of_hashes(tx, metainfo)
        if there is not None:
            return ImportedUpload(Fate.REFUSED if there.removed else Fate.KNOWN, there)
        uploader = None if by is None else members.get(tx, by)
        added = uploads.add(
            tx,
            now,
            actor,
            metainfo,
            data,
            uploader=uploader,
            category=category,
            name=name,
            award=False,
            before=Before(number, completed),
        )
        return ImportedUpload(Fate.ADDED, added)

    return await catalogue.change(take)


handlers: list[HTTPRouteHandler] = [import_members, import_upload]
