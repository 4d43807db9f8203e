"""What another tracker knew comes in through the web door, a batch at a time."""

from typing import Annotated

import msgspec
from litestar import post
from litestar.handlers import HTTPRouteHandler
from litestar.params import JSONBody

from holdfast.api import Asker, Kept
from holdfast.catalogue.model import Role
from holdfast.catalogue.store import imports
from holdfast.catalogue.store.imports import Newcomer, Outcome, Terms

MOST_AT_ONCE = 500
Bytes = Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)]


class MemberToImport(msgspec.Struct, forbid_unknown_fields=True):
    """`line` comes back with what became of it; `joined` is in seconds since 1970."""

    line: Annotated[int, msgspec.Meta(ge=0, le=2**53)]
    name: Annotated[str, msgspec.Meta(max_length=1000)]
    passkey: Annotated[str, msgspec.Meta(max_length=1000)]
    id: int | None = None
    email: str | None = None
    uploaded: Bytes = 0
    downloaded: Bytes = 0
    enabled: bool = True
    may_leech: bool = True
    joined: Annotated[float, msgspec.Meta(ge=0, le=1e11)] | None = None
    roles: list[Role] = []


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
    refused = any(outcome.fate is imports.Fate.REFUSED for outcome in outcomes)
    return Imported(not refused and not data.dry_run, outcomes)


handlers: list[HTTPRouteHandler] = [import_members]
