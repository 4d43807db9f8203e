"""Who took part in what, and what he owes, through the web door."""

from typing import Annotated

import msgspec
from litestar import get, post
from litestar.di import NamedDependency
from litestar.handlers import HTTPRouteHandler
from litestar.params import JSONBody, QueryParameter

from holdfast.api import DEFAULT_LIMIT, Asker, Cursor, Kept, Limit, Live, Number, Who
from holdfast.catalogue import rules
from holdfast.catalogue.model import MemberRef, Page
from holdfast.catalogue.service import lent
from holdfast.tracker.model import Limits
from holdfast.tracker.service.exempt import tell_exemptions_soon
from holdfast.tracker.store import participations
from holdfast.tracker.store.participations import Formerly, Participant, State, Taken

InState = Annotated[
    State | None, QueryParameter(name="state", description="Only those on which he stands like this.")
]


MOST_AT_ONCE = 500


class Exemption(msgspec.Struct, forbid_unknown_fields=True):
    exempt: bool
    reason: str


@get(
    "/members/{who:str}/torrents",
    own=True,
    may="participation.read",
    summary="List the uploads that a member took part in",
)
async def list_torrents(
    actor: Asker,
    catalogue: Kept,
    limits: NamedDependency[Limits],
    who: Who,
    standing: InState = None,
    cursor: Cursor = None,
    limit: Limit = DEFAULT_LIMIT,
) -> Page[Taken]:
    """The newest uploads first; `time_owed` is what he must still seed, in seconds."""
    found = await catalogue.read(lambda tx: lent.member(tx, who))
    rules.require(actor, "participation.read", own=MemberRef(found.id, found.name))
    return await catalogue.read(
        lambda tx: participations.of_member(tx, limits, found.id, state=standing, cursor=cursor, limit=limit)
    )


@get(
    "/uploads/{upload_id:int}/participants",
    may="participation.read",
    summary="List the members who took part in an upload",
)
async def list_participants(
    catalogue: Kept,
    limits: NamedDependency[Limits],
    upload_id: Number,
    cursor: Cursor = None,
    limit: Limit = DEFAULT_LIMIT,
) -> Page[Participant]:
    return await catalogue.read(
        lambda tx: participations.of_upload(tx, limits, upload_id, cursor=cursor, limit=limit)
    )


@post(
    "/members/{who:str}/torrents/{upload_id:int}/exempt",
    may="participation.exempt",
    status_code=200,
    summary="Free a member of what he owes an upload, or take that back",
)
async def exempt(
    actor: Asker,
    catalogue: Kept,
    live: Live,
    limits: NamedDependency[Limits],
    who: Who,
    upload_id: Number,
    data: JSONBody[Exemption],
) -> Taken:
    """Whoever is freed leaves the list of hit-and-runs, and is not put there again for this upload."""
    found = await catalogue.read(lambda tx: lent.member(tx, who))
    reason = rules.line("reason", data.reason, 500)
    taken = await catalogue.change(
        lambda tx, now: participations.exempt(
            tx, now, actor, limits, found, upload_id, on=data.exempt, reason=reason
        )
    )
    await tell_exemptions_soon(catalogue.records, live)
    return taken


class FormerStanding(msgspec.Struct, forbid_unknown_fields=True):
    member_id: Annotated[int, msgspec.Meta(ge=1, le=2**63 - 1)]
    upload_id: Annotated[int, msgspec.Meta(ge=1, le=2**63 - 1)]
    complete: bool = False
    hnr: bool = False


class FormerStandings(msgspec.Struct, forbid_unknown_fields=True):
    participations: Annotated[list[FormerStanding], msgspec.Meta(max_length=MOST_AT_ONCE)]


class TakenOver(msgspec.Struct):
    added: int
    known: int
    """Left as they are."""
    strangers: int
    """About members or uploads that are not here."""


@post(
    "/participations/import",
    may="participation.import",
    status_code=200,
    summary="Take over who took part in what",
)
async def import_participations(actor: Asker, catalogue: Kept, data: JSONBody[FormerStandings]) -> TakenOver:
    former = [Formerly(one.member_id, one.upload_id, one.complete, one.hnr) for one in data.participations]
    added, strangers = await catalogue.change(
        lambda tx, now: participations.take_over(tx, now, actor, former)
    )
    return TakenOver(added, len(former) - added - strangers, strangers)


handlers: list[HTTPRouteHandler] = [list_torrents, list_participants, exempt, import_participations]
