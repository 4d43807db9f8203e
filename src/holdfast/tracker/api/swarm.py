"""An upload's swarm through the web door, as it is this moment."""

from typing import Literal

import msgspec
from litestar import get
from litestar.handlers import HTTPRouteHandler

from holdfast.api import DEFAULT_LIMIT, Asker, Cursor, Kept, Limit, Live, Number
from holdfast.catalogue import rules
from holdfast.catalogue.model import Actor, MemberRef, Page, Upload
from holdfast.catalogue.service import lent
from holdfast.tracker import swarm
from holdfast.tracker.model import Role
from holdfast.tracker.swarm import Counts, LiveKey, SwarmPeer

ROLES: dict[Role, Literal["seeder", "leecher", "partial"]] = {
    Role.SEED: "seeder",
    Role.LEECH: "leecher",
    Role.PARTIAL: "partial",
}


class Peer(msgspec.Struct, frozen=True):
    """One client; what would tell strangers who it is, is for its member and for staff."""

    role: Literal["seeder", "leecher", "partial"]
    client: str
    progress: float
    """From 0 to 1."""
    speed_up: int
    speed_down: int
    own: bool
    member: MemberRef | None = None
    peer_id: str | None = None
    ip: str | None = None
    port: int | None = None
    uploaded: int | None = None
    downloaded: int | None = None
    time: int | None = None
    first_announce: float | None = None
    last_announce: float | None = None


@get("/uploads/{upload_id:int}/swarm", may="swarm.read", summary="Show an upload's swarm")
async def show_swarm(catalogue: Kept, live: Live, upload_id: Number) -> Counts:
    await catalogue.read(lambda tx: lent.upload(tx, upload_id))
    return (await swarm.counts(live, [upload_id]))[upload_id]


@get("/uploads/{upload_id:int}/peers", may="swarm.read", summary="List the peers of an upload's swarm")
async def list_peers(
    actor: Asker,
    catalogue: Kept,
    live: Live,
    upload_id: Number,
    cursor: Cursor = None,
    limit: Limit = DEFAULT_LIMIT,
) -> Page[Peer]:
    """In no order. Names and addresses are for staff; of his own clients a member sees everything."""
    upload = await catalogue.read(lambda tx: lent.upload(tx, upload_id))
    found, following = await swarm.peers(live, upload_id, cursor=cursor, limit=limit)
    owners = {peer.user_id for peer in found}
    names = await catalogue.read(lambda tx: lent.members(tx, owners))
    return Page([_shown(actor, upload, peer, names.get(peer.user_id)) for peer in found], following)


@get("/uploads/{upload_id:int}/keys", may="tracker.read", summary="List the live keys of an upload")
async def list_keys(catalogue: Kept, live: Live, upload_id: Number) -> Page[LiveKey]:
    """As scripts and sites find them that read the live store themselves."""
    upload = await catalogue.read(lambda tx: lent.upload(tx, upload_id))
    announced = [whole[:40] for whole in (upload.info_hash_v1, upload.info_hash_v2) if whole]
    return Page(await swarm.keys_of(live, upload_id, announced))


def _shown(actor: Actor, upload: Upload, peer: SwarmPeer, member: MemberRef | None) -> Peer:
    own = peer.user_id == actor.member_id
    shown = Peer(
        role=ROLES[peer.role],
        client=str(peer.client),
        progress=1 - min(peer.left / upload.size, 1) if upload.size else 1.0,
        speed_up=peer.speed_up,
        speed_down=peer.speed_down,
        own=own,
    )
    if not own and not rules.may(actor, "swarm.private"):
        return shown
    return msgspec.structs.replace(
        shown,
        member=member,
        peer_id=peer.peer_id,
        ip=peer.ip,
        port=peer.port,
        uploaded=peer.uploaded,
        downloaded=peer.downloaded,
        time=peer.time,
        first_announce=peer.first_announce,
        last_announce=peer.last_announce,
    )


handlers: list[HTTPRouteHandler] = [show_swarm, list_peers, list_keys]
