"""What must hold of swarms and books, in plain Python: the model that the atomic steps are compared with."""

from dataclasses import dataclass, field

from holdfast.tracker.model import Limits, Request, Role, Status
from holdfast.wire.announce import NUMWANT_ABSENT, Event

LARGEST = 2**53 - 1
Spot = tuple[int, str]


@dataclass
class Peer:
    user_id: int
    first: int
    last: int
    role: Role = Role.LEECH
    ep4: bytes = b""
    ep6: bytes = b""
    active: bool = False
    completed: bool = False
    owes: bool = False
    counted: tuple[int, int] | None = None
    lower: tuple[int, int] | None = None
    left: int = 0
    time: int = 0
    uploaded: int = 0
    downloaded: int = 0
    speed: tuple[int, int] = (0, 0)
    folded: tuple[int, int, int] = (0, 0, 0)


@dataclass
class Member:
    """Credits in thousandths of a byte."""

    uploaded: int = 0
    downloaded: int = 0
    snatches: int = 0
    time: int = 0
    born: bool = False
    complete: set[int] = field(default_factory=set)
    incomplete: set[int] = field(default_factory=set)
    hnr: set[int] = field(default_factory=set)


@dataclass
class Session:
    """A member on a torrent."""

    time: int = 0
    uploaded: int = 0
    downloaded: int = 0
    snatched: bool = False
    exempt: bool = False


@dataclass
class Swarm:
    info_hash: str
    snatches: int = 0
    announces: int = 0
    uploaded: int = 0
    downloaded: int = 0
    time: int = 0


class Model:
    """Every swarm, member and peer; `announce` and `reap` do what the store's steps must do."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.announces = 0
        self.peers: dict[Spot, Peer] = {}
        self.alive: set[Spot] = set()
        self.swarms: dict[int, Swarm] = {}
        self.members: dict[int, Member] = {}
        self.sessions: dict[tuple[int, int], Session] = {}
        self.owing: dict[tuple[int, int], int] = {}

    def active(self, torrent_id: int) -> dict[str, Peer]:
        return {pid: peer for (tid, pid), peer in self.peers.items() if tid == torrent_id and peer.active}

    def member(self, user_id: int) -> Member:
        return self.members.setdefault(user_id, Member())

    def session(self, user_id: int, torrent_id: int) -> Session:
        return self.sessions.setdefault((user_id, torrent_id), Session())

    def clients(self, user_id: int, torrent_id: int) -> dict[str, Peer]:
        return {pid: peer for pid, peer in self.active(torrent_id).items() if peer.user_id == user_id}

    def totals(self) -> dict[str, tuple[int, ...]]:
        """What the records keep of members and uploads, by the names that the store tells them."""
        found: dict[str, tuple[int, ...]] = {
            f"u{uid}": (each.uploaded // 1000, each.downloaded // 1000, each.snatches)
            for uid, each in self.members.items()
            if each.uploaded >= 1000 or each.downloaded >= 1000 or each.snatches
        }
        for tid, swarm in self.swarms.items():
            roles = [peer.role for peer in self.active(tid).values()]
            seeders = sum(role is Role.SEED for role in roles)
            found[f"t{tid}"] = (
                seeders,
                len(roles) - seeders,
                swarm.snatches,
                swarm.uploaded,
                swarm.downloaded,
            )
        pairs = {*self.sessions, *((peer.user_id, tid) for (tid, _), peer in self.peers.items())}
        return found | {f"s{uid}:{tid}": self._standing_of(uid, tid) for uid, tid in pairs}

    def _standing_of(self, uid: int, tid: int) -> tuple[int, ...]:
        member, session = self.member(uid), self.session(uid, tid)
        roles = sorted(peer.role for peer in self.clients(uid, tid).values())
        whole = (tid in member.complete, tid in member.incomplete)
        return (session.snatched, tid in member.hnr, session.exempt, *whole, *roles)

    # Steps ------------------------------------------------------------

    def announce(self, request: Request, now: int) -> Status:
        self.announces += 1
        asked, torrent, uid = request.announce, request.torrent, request.holder.user_id
        spot = (torrent.torrent_id, asked.peer_id.hex())
        peer = self.peers.get(spot)
        if peer and peer.user_id != uid:
            if peer.active:
                return Status.FOREIGN
            peer = None
        was_active, was_role = (peer.active, peer.role) if peer else (False, None)
        status = self._early(peer, request, now)
        gap = now - peer.last if peer else 0
        if asked.event is Event.STOPPED:
            if peer is None:
                self._count_announce(torrent.torrent_id, 0, 0)
                return Status.OK
        else:
            entered = self._enter(spot, peer, request, now)
            if isinstance(entered, Status):
                return entered
            peer = entered
        up, down = self._account(spot, peer, request, now, gap, was_active)
        self._credit(request, up, down)
        if asked.event is Event.COMPLETED:
            self._snatch(spot, peer, request, was_role if was_active else None)
        if asked.event is Event.STOPPED and was_active:
            self._leave(spot, now)
        elif asked.event is not Event.STOPPED:
            self.alive.add(spot)
        self._count_announce(torrent.torrent_id, up, down)
        return status

    def expire(self, spot: Spot) -> None:
        """Its time has run out; nobody has looked yet."""
        self.alive.discard(spot)

    def reap(self, spots: list[Spot], now: int) -> int:
        gone = [spot for spot in spots if spot not in self.alive]
        count = 0
        for spot in gone:
            if spot in self.peers and self.peers[spot].active:
                self._leave(spot, now)
                count += 1
        return count

    def forget(self, spot: Spot) -> None:
        """What is remembered of a peer who left is gone."""
        if spot in self.peers and not self.peers[spot].active:
            del self.peers[spot]

    def hold_to_account(self, pairs: list[tuple[int, int]], now: int) -> int:
        due = {pair for pair in pairs if self.owing.get(pair, now + 1) <= now}
        for uid, tid in due:
            del self.owing[uid, tid]
            if not self.clients(uid, tid):
                self._judge(uid, tid, now, grace=0)
        return len(due)

    def free(self, user_id: int, torrent_id: int, *, on: bool) -> None:
        """Staff frees a member of what he owes an upload, or takes that back."""
        self.session(user_id, torrent_id).exempt = on
        if on:
            self.member(user_id).hnr.discard(torrent_id)
            self.owing.pop((user_id, torrent_id), None)

    # Answers ------------------------------------------------------------

    def others(self, request: Request, *, six: bool) -> set[bytes]:
        """The endpoints of a family that the announcer may be told of."""
        seeds = request.announce.left == 0
        return {
            endpoint
            for peer in self.active(request.torrent.torrent_id).values()
            if (endpoint := peer.ep6 if six else peer.ep4)
            and peer.user_id != request.holder.user_id
            and not (seeds and peer.role is Role.SEED)
        }

    def wanted(self, request: Request) -> int:
        asked = request.announce.numwant
        return self.limits.numwant if asked == NUMWANT_ABSENT else min(asked, self.limits.most_peers)

    # Coming and going ------------------------------------------------------------

    def _early(self, peer: Peer | None, request: Request, now: int) -> Status:
        """A client with two addresses announces over both at once: neither comes too early."""
        asked = request.announce
        same = (
            peer is not None
            and peer.active
            and asked.event in {Event.NONE, Event.PAUSED}
            and peer.role is _role(request)
            and (peer.ep4, peer.ep6) == (request.ep4, request.ep6)
        )
        return Status.EARLY if same and peer and now - peer.last < self.limits.min_interval else Status.OK

    def _enter(self, spot: Spot, peer: Peer | None, request: Request, now: int) -> Peer | Status:
        tid, uid, role = spot[0], request.holder.user_id, _role(request)
        active = peer is not None and peer.active
        takes_slot = role is not Role.SEED and not (active and peer and peer.role is not Role.SEED)
        if takes_slot and not self._slot_free(uid, tid):
            if active:
                self._leave(spot, now)
            return Status.NO_SLOT
        ghosts: list[str] = []
        if not active:
            found = self._room(uid, tid, request, now)
            if found is None:
                return Status.FULL
            ghosts = found
        if peer is None:
            peer = self.peers[spot] = Peer(uid, now, now)
        if not active:
            peer.ep4 = peer.ep6 = b""
            peer.owes = tid in self.member(uid).hnr
            self.member(uid).born = True
            self.owing.pop((uid, tid), None)
            self.swarms.setdefault(tid, Swarm(request.torrent.info_hash))
        changes = not active or peer.role is not role
        peer.active, peer.role = True, role
        peer.ep4, peer.ep6 = request.ep4 or peer.ep4, request.ep6 or peer.ep6
        if changes:
            self._standing(uid, tid)
        for pid in ghosts:
            self._leave((tid, pid), now)
        return peer

    def _slot_free(self, uid: int, tid: int) -> bool:
        taken = {each for each in self.member(uid).incomplete if self.clients(uid, each)}
        return self.limits.download_slots == 0 or tid in taken or len(taken) < self.limits.download_slots

    def _room(self, uid: int, tid: int, request: Request, now: int) -> list[str] | None:
        here = self.clients(uid, tid)
        ghosts = [
            pid
            for pid, each in here.items()
            if (request.ep4 and each.ep4 == request.ep4) or (request.ep6 and each.ep6 == request.ep6)
        ]
        most = self.limits.peers_per_upload
        if not most or len(here) - len(ghosts) < most:
            return ghosts
        silent = [
            (each.last, pid)
            for pid, each in here.items()
            if pid not in ghosts
            and each.last < now - self.limits.min_interval
            and (
                (request.ep4 and each.ep4[:4] == request.ep4[:4])
                or (request.ep6 and each.ep6[:16] == request.ep6[:16])
            )
        ]
        return [*ghosts, min(silent)[1]] if silent else None

    def _standing(self, uid: int, tid: int) -> None:
        """The client that has least tells what the member has."""
        member = self.member(uid)
        clients = self.clients(uid, tid).values()
        if not clients:
            return
        whole = all(each.role is Role.SEED for each in clients)
        (member.incomplete if whole else member.complete).discard(tid)
        (member.complete if whole else member.incomplete).add(tid)
        if whole and self.limits.hnr_clear_on_complete:
            member.hnr.discard(tid)

    def _leave(self, spot: Spot, now: int) -> None:
        peer, tid = self.peers[spot], spot[0]
        peer.active, peer.speed = False, (0, 0)
        self.alive.discard(spot)
        self._fold(spot)
        self._standing(peer.user_id, tid)
        if not self.clients(peer.user_id, tid):
            self._judge(peer.user_id, tid, now, grace=self.limits.hnr_grace)

    def _judge(self, uid: int, tid: int, now: int, *, grace: int) -> None:
        session, member, limits = self.session(uid, tid), self.member(uid), self.limits
        took_enough = session.downloaded >= limits.hnr_bytes
        cleared = limits.hnr_clear_on_complete and tid in member.complete
        if took_enough and session.time < limits.hnr_seconds and not session.exempt and not cleared:
            if grace and tid not in member.hnr:
                self.owing[uid, tid] = now + grace
            else:
                member.hnr.add(tid)

    def _fold(self, spot: Spot) -> None:
        peer = self.peers[spot]
        session = self.session(peer.user_id, spot[0])
        time, up, down = peer.folded
        session.time += peer.time - time
        self.member(peer.user_id).time += peer.time - time
        self.swarms[spot[0]].time += peer.time - time
        session.uploaded = min(LARGEST, session.uploaded + peer.uploaded - up)
        session.downloaded = min(LARGEST, session.downloaded + peer.downloaded - down)
        peer.folded = (peer.time, peer.uploaded, peer.downloaded)

    # Accounts ------------------------------------------------------------

    def _account(
        self, spot: Spot, peer: Peer, request: Request, now: int, gap: int, was_active: bool
    ) -> tuple[int, int]:
        asked = request.announce
        known = peer.counted is not None
        up, down = self._moved(peer, asked.uploaded, asked.downloaded, asked.event, was_active)
        if was_active and 0 < gap < 4 * self.limits.interval:
            peer.time += gap
        if gap > 0:
            peer.speed = (up // gap, down // gap)
        elif not known:
            peer.speed = (0, 0)
        peer.last, peer.left = now, asked.left
        peer.uploaded = min(LARGEST, peer.uploaded + up)
        peer.downloaded = min(LARGEST, peer.downloaded + down)
        if peer.owes:
            self._fold(spot)
            hnr, session = self.member(peer.user_id).hnr, self.session(peer.user_id, spot[0])
            if session.time >= self.limits.hnr_seconds:
                hnr.discard(spot[0])
            peer.owes = spot[0] in hnr
        return up, down

    def _moved(self, peer: Peer, up: int, down: int, event: Event, was_active: bool) -> tuple[int, int]:
        before, lower = peer.counted, peer.lower
        fresh = before is None or (event is Event.STARTED and not was_active)
        peer.counted, peer.lower = (up, down), None
        if fresh or before is None:
            return 0, 0
        if up >= before[0] and down >= before[1]:
            return up - before[0], down - before[1]
        if event is Event.STARTED:
            return 0, 0
        if lower and up >= lower[0] and down >= lower[1] and (up, down) != lower:
            return up - lower[0], down - lower[1]
        peer.counted, peer.lower = before, (up, down)
        return 0, 0

    def _credit(self, request: Request, up: int, down: int) -> None:
        member, holder, torrent = self.member(request.holder.user_id), request.holder, request.torrent
        member.uploaded = _at_most(member.uploaded + up * (holder.share_up * torrent.share_up // 1000))
        member.downloaded = _at_most(
            member.downloaded + down * (holder.share_down * torrent.share_down // 1000)
        )

    def _snatch(self, spot: Spot, peer: Peer, request: Request, was_role: Role | None) -> None:
        lacked = was_role in {Role.LEECH, Role.PARTIAL}
        if request.announce.left or not (lacked or request.announce.downloaded):
            return
        peer.completed = True
        session = self.session(peer.user_id, spot[0])
        if not session.snatched:
            session.snatched = True
            self.member(peer.user_id).snatches += 1
            self.swarms[spot[0]].snatches += 1

    def _count_announce(self, tid: int, up: int, down: int) -> None:
        swarm = self.swarms.get(tid)
        if swarm:
            swarm.announces += 1
            swarm.uploaded = min(LARGEST, swarm.uploaded + up)
            swarm.downloaded = min(LARGEST, swarm.downloaded + down)


def _at_most(thousandths: int) -> int:
    return min(LARGEST, thousandths // 1000) * 1000 + thousandths % 1000


def _role(request: Request) -> Role:
    if request.announce.left == 0:
        return Role.SEED
    return Role.PARTIAL if request.announce.event is Event.PAUSED else Role.LEECH
