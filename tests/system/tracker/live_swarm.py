"""Swarms in a real live store, asked as a worker asks and read key by key, beside what a model wants."""

import socket
from collections.abc import Sequence
from ipaddress import IPv4Address, IPv6Address
from typing import Any

import hiredis

from holdfast.tracker import records
from holdfast.tracker.desk import ANNOUNCE, EXEMPT, HOLD_TO_ACCOUNT, LIBRARY, REAP
from holdfast.tracker.model import Holder, Limits, Request, Role, Torrent
from holdfast.wire.announce import NUMWANT_ABSENT, Announce, Event
from tests.servers import RunningServer
from tests.system.tracker.swarm_model import Model, Spot

OPAQUE = {"raw", "folded", "lists", "first_place", "ip", "port"}
DEADLINES = "t:x:deadlines"
DIRTY = "t:x:dirty"
Books = dict[str, Any]


def make_request(
    tid: int,
    uid: int,
    peer: int,
    *,
    up: int = 0,
    down: int = 0,
    left: int = 0,
    event: Event = Event.NONE,
    numwant: int = NUMWANT_ABSENT,
    ep4: bytes = b"",
    ep6: bytes = b"",
    shares: tuple[int, int] = (1000, 1000),
) -> Request:
    """Without an endpoint, one that is the peer's alone."""
    ih = bytes((tid,)) * 20
    if not ep4 and not ep6:
        ep4 = bytes((10, uid, 0, peer % 256)) + (6881 + peer // 256).to_bytes(2, "big")
    announce = Announce(ih, b"-XX1000-%012d" % peer, 6881, up, down, left, event, numwant)
    return Request(announce, Holder(uid, True, True), Torrent(tid, ih.hex(), True, "", *shares), ep4, ep6)


def spot_of(request: Request) -> Spot:
    return request.torrent.torrent_id, request.announce.peer_id.hex()


class LiveSwarm:
    """One connection to the store; several of these are several workers."""

    def __init__(self, server: RunningServer | str, limits: Limits, prefix: str = "t:") -> None:
        self.limits = limits
        self._prefix = prefix
        where = server if isinstance(server, str) else server.where
        self._socket = socket.socket(socket.AF_UNIX if isinstance(where, str) else socket.AF_INET)
        self._socket.settimeout(30)
        self._socket.connect(where if isinstance(where, str) else ("127.0.0.1", where))
        self._reader = hiredis.Reader()
        self.ask("FUNCTION", "LOAD", LIBRARY.code)

    def close(self) -> None:
        self._socket.close()

    def ask(self, *command: Any) -> Any:
        return self.ask_all([command])[0]

    def send(self, command: Sequence[Any]) -> None:
        self._socket.sendall(hiredis.pack_command(tuple(command)))

    def receive(self) -> Any:
        return self._next()

    def ask_all(self, commands: Sequence[Sequence[Any]]) -> list[Any]:
        self._socket.sendall(b"".join(hiredis.pack_command(tuple(each)) for each in commands))
        return [self._next() for _ in commands]

    def _next(self) -> Any:
        while (reply := self._reader.gets()) is False:
            data = self._socket.recv(1 << 18)
            assert data, "the server closed the connection"
            self._reader.feed(data)
        return reply

    def announce_command(self, requests: Sequence[Request], now: int, chance: int) -> tuple[Any, ...]:
        packed = b"".join(records.pack(each, self.limits, chance + at) for at, each in enumerate(requests))
        return ("FCALL", ANNOUNCE.full_name, 1, DEADLINES, now, self.limits.packed(), packed)

    def announce(self, requests: Sequence[Request], now: int, chance: int = 0) -> list[records.Answer]:
        answers = self.ask(*self.announce_command(requests, now, chance))
        if isinstance(answers, Exception):
            raise answers
        return [
            records.unpack(each, request, self.limits)
            for each, request in zip(answers, requests, strict=True)
        ]

    def reap(self, spots: Sequence[Spot], now: int) -> int:
        named = [f"{tid}:{pid}" for tid, pid in spots]
        answer = self.ask("FCALL", REAP.full_name, 1, DEADLINES, now, self.limits.packed(), *named)
        assert isinstance(answer, int), answer
        return answer

    def hold_to_account(self, pairs: Sequence[tuple[int, int]], now: int) -> int:
        named = [f"{uid}:{tid}" for uid, tid in pairs]
        answer = self.ask("FCALL", HOLD_TO_ACCOUNT.full_name, 1, DEADLINES, now, self.limits.packed(), *named)
        assert isinstance(answer, int), answer
        return answer

    def exempt(self, uid: int, tid: int, *, on: bool) -> None:
        self.ask("FCALL", EXEMPT.full_name, 1, DEADLINES, uid, tid, int(on))

    def taken(self) -> set[str]:
        """Whom the records must be told of; afterwards nobody."""
        found, _ = self.ask_all([("HKEYS", DIRTY), ("DEL", DIRTY)])
        return {each.decode() for each in found}

    def expire(self, spot: Spot) -> None:
        self.ask("DEL", f"t:ptimeout:{spot[0]}:{spot[1]}")

    def books(self) -> Books:
        """Every key of the tracker, in plain words; the packed lists are checked on the way."""
        names = sorted(name.decode() for name in self.ask("KEYS", f"{self._prefix}*"))
        kinds = [kind.decode() for kind in self.ask_all([("TYPE", name) for name in names])]
        reads = {
            "hash": ("HGETALL",),
            "set": ("SMEMBERS",),
            "zset": ("ZRANGE", 0, -1, "WITHSCORES"),
            "string": ("GET",),
            "stream": ("XRANGE", "-", "+"),
        }
        values = self.ask_all(
            [(reads[kind][0], name, *reads[kind][1:]) for name, kind in zip(names, kinds, strict=True)]
        )
        found = {
            "t:" + name.removeprefix(self._prefix): _plain(kind, value)
            for name, kind, value in zip(names, kinds, values, strict=True)
        }
        return self._checked(found)

    def _checked(self, found: Books) -> Books:
        self._check_places(found)
        kept = {name: value for name, value in found.items() if not _is_packed(name)}
        for name, value in kept.items():
            if isinstance(value, dict) and name.startswith(("t:t:", "t:p:")):
                if value.get("active") == "1":
                    _check_address(value)
                for each in OPAQUE & value.keys() | {"p4", "p6"} & value.keys():
                    del value[each]
        return {name: value for name, value in kept.items() if value}

    def _check_places(self, found: Books) -> None:
        """Each packed list holds just those who say that they are in it, at the places they say."""
        said: dict[str, dict[int, bytes]] = {}
        for name, peer in found.items():
            if not isinstance(peer, dict) or not name.startswith("t:p:") or "x" not in peer:
                continue
            tid, pid = name.split(":")[2:]
            x = peer["x"].encode("latin-1")
            side = "s" if x[0] == Role.SEED else "l"
            if len(x) != 23:
                record = x[1:11] + bytes.fromhex(pid)
                assert said.setdefault(f"{side}4:{tid}", {}).setdefault(int(peer["p4"]), record) == record
            if len(x) > 11:
                record = x[1:5] + x[-18:] + bytes.fromhex(pid)
                assert said.setdefault(f"{side}6:{tid}", {}).setdefault(int(peer["p6"]), record) == record
            assert ("p4" in peer, "p6" in peer) == (len(x) != 23, len(x) > 11)
        for name, torrent in found.items():
            if not name.startswith("t:t:") or "lists" not in torrent:
                continue
            packed, tid = torrent["lists"].encode("latin-1"), torrent["torrent_id"]
            for at, each in enumerate(("s4", "l4", "s6", "l6")):
                many, width = int.from_bytes(packed[at * 4 : at * 4 + 4], "big"), 10 if each[1] == "4" else 22
                whole = found.get(f"t:x:{each}:{tid}", "").encode("latin-1")
                pids = found.get(f"t:x:{each}:{tid}:p", "").encode("latin-1")
                held = {
                    place: whole[place * width : (place + 1) * width] + pids[place * 20 : (place + 1) * 20]
                    for place in range(many)
                }
                assert held == said.get(f"{each}:{tid}", {}), each


def _is_packed(name: str) -> bool:
    return name.startswith(("t:x:s4", "t:x:l4", "t:x:s6", "t:x:l6")) or name in {
        DIRTY,
        "t:x:step",
        "t:x:era",
        "t:x:suspicions",
    }


def _plain(kind: str, value: Any) -> Any:
    if kind == "string":
        return value.decode("latin-1")
    if kind == "stream":
        return value
    words = [each.decode("latin-1") for each in value]
    return set(words) if kind == "set" else dict(zip(words[::2], words[1::2], strict=True))


def _check_address(peer: dict[str, str]) -> None:
    x = peer["x"].encode("latin-1")
    endpoint = x[5:11] if len(x) != 23 else x[5:23]
    host = IPv4Address(endpoint[:4]) if len(endpoint) == 6 else IPv6Address(endpoint[:16])
    assert (str(host), peer["port"]) == (
        str(IPv4Address(peer["ip"]) if len(endpoint) == 6 else IPv6Address(peer["ip"])),
        str(int.from_bytes(endpoint[-2:], "big")),
    )


def expected_books(model: Model, deadlines: dict[str, str]) -> Books:
    """Every key that the model wants; when to look again is taken from what is there, but for whom is not."""
    active = {spot: peer for spot, peer in model.peers.items() if peer.active}
    books: Books = {f"t:ptimeout:{tid}:{pid}": "1" for tid, pid in model.alive}
    for (tid, pid), peer in model.peers.items():
        books[f"t:p:{tid}:{pid}"] = _peer_fields(peer)
        if peer.active:
            books.setdefault(f"t:p:{pid}:torrents", set()).add(str(tid))
            books.setdefault(f"t:tpeers:{model.swarms[tid].info_hash}", set()).add(pid)
            books.setdefault(f"t:u:{peer.user_id}:active", set()).add(str(tid))
    if active:
        books["t:x:deadlines"] = {f"{tid}:{pid}": deadlines.get(f"{tid}:{pid}") for tid, pid in active}
    if model.owing:
        books["t:x:owing"] = {f"{uid}:{tid}": str(due) for (uid, tid), due in model.owing.items()}
    _member_books(model, books)
    _swarm_books(model, books)
    return {name: value for name, value in books.items() if value}


def _peer_fields(peer: Any) -> dict[str, str]:
    fields = {
        "user_id": str(peer.user_id),
        "active": "1" if peer.active else "0",
        "completed": "1" if peer.completed else "0",
        "first_announce": str(peer.first),
        "last_announce": str(peer.last),
        "total_time": str(peer.time),
        "uploaded": str(peer.uploaded),
        "downloaded": str(peer.downloaded),
        "left": str(peer.left),
        "speed_up": str(peer.speed[0]),
        "speed_dn": str(peer.speed[1]),
    }
    if peer.active:
        x = bytes((peer.role,)) + peer.user_id.to_bytes(4, "big") + peer.ep4 + peer.ep6
        fields["x"] = x.decode("latin-1")
    return fields


def _member_books(model: Model, books: Books) -> None:
    for uid, member in model.members.items():
        totals = {
            "uploaded": member.uploaded // 1000,
            "uploaded_rest": member.uploaded % 1000,
            "downloaded": member.downloaded // 1000,
            "downloaded_rest": member.downloaded % 1000,
            "snatches": member.snatches,
            "time": member.time,
        }
        books[f"t:u:{uid}"] = {name: str(value) for name, value in totals.items() if value}
        if member.born:
            books[f"t:u:{uid}"]["born"] = "yes"
        for name, held in (
            ("complete", member.complete),
            ("incomplete", member.incomplete),
            ("hnr", member.hnr),
        ):
            books[f"t:u:{uid}:{name}"] = {str(tid) for tid in held}
    pairs = {*model.sessions, *((peer.user_id, tid) for (tid, _), peer in model.peers.items())}
    for uid, tid in pairs:
        session = model.session(uid, tid)
        sums = {"time": session.time, "uploaded": session.uploaded, "downloaded": session.downloaded}
        fields = {name: str(value) for name, value in sums.items() if value}
        fields |= {f"@{pid}": str(int(peer.role)) for pid, peer in model.clients(uid, tid).items()}
        for name, there in (
            ("snatched", session.snatched),
            ("hnr", tid in model.member(uid).hnr),
            ("exempt", session.exempt),
        ):
            if there:
                fields[name] = "yes"
        books[f"t:ut:{uid}:{tid}"] = fields


def _swarm_books(model: Model, books: Books) -> None:
    totals = {"seeders": 0, "leechers": 0}
    for tid, swarm in model.swarms.items():
        roles = [peer.role for peer in model.active(tid).values()]
        seeders = sum(role is Role.SEED for role in roles)
        counts = {"seeders": seeders, "leechers": len(roles) - seeders, "snatches": swarm.snatches}
        for name, many in counts.items():
            books.setdefault(f"t:i:{name}", {})[str(tid)] = str(many)
            if name in totals:
                totals[name] += many
        fields = counts | {"announces": swarm.announces, "torrent_id": tid}
        more = {
            "uploaded": swarm.uploaded,
            "downloaded": swarm.downloaded,
            "partial": sum(role is Role.PARTIAL for role in roles),
            "time": swarm.time,
        }
        fields |= {name: value for name, value in more.items() if value}
        books[f"t:t:{swarm.info_hash}"] = {name: str(value) for name, value in fields.items()} | {
            "born": "yes"
        }
        books[f"t:x:ih:{tid}"] = swarm.info_hash
    for name, many in totals.items():
        books[f"t:stats:{name}"] = str(many)
    books["t:stats:announces"] = str(model.announces)


OPTIONAL = {"partial", "uploaded", "downloaded", "time", "uploaded_rest", "downloaded_rest"}
TOTALS = {"t:stats:seeders", "t:stats:leechers", "t:stats:announces"}


def same_terms(books: Books) -> Books:
    """Times of day that the model does not keep, and zeros that may be there or not, taken out."""
    plain = {name: _without_zeros(name, value) for name, value in books.items()}
    return {name: value for name, value in plain.items() if value and not (name in TOTALS and value == "0")}


def _without_zeros(name: str, value: Any) -> Any:
    if not name.startswith(("t:u:", "t:t:", "t:ut:")) or not isinstance(value, dict):
        return value
    return {
        field: "yes" if field in {"snatched", "hnr", "exempt", "born"} else said
        for field, said in value.items()
        if not (field in OPTIONAL and said == "0")
    }


def assert_agree(live: LiveSwarm, model: Model) -> None:
    found = same_terms(live.books())
    wanted = same_terms(expected_books(model, found.get("t:x:deadlines", {})))
    assert found == wanted


def assert_sound(books: Books) -> None:
    """Without any model: every set, count, index and sum is what the active peers make of it."""
    active = {
        (name.split(":")[2], name.split(":")[3]): peer
        for name, peer in books.items()
        if name.startswith("t:p:") and isinstance(peer, dict) and peer["active"] == "1"
    }
    wanted: Books = {"t:x:deadlines": {f"{tid}:{pid}" for tid, pid in active}}
    for (tid, pid), peer in active.items():
        wanted.setdefault(f"t:tpeers:{books[f't:x:ih:{tid}']}", set()).add(pid)
        wanted.setdefault(f"t:p:{pid}:torrents", set()).add(tid)
        wanted.setdefault(f"t:u:{peer['user_id']}:active", set()).add(tid)
        wanted.setdefault(f"t:ut:{peer['user_id']}:{tid}", set()).add(f"@{pid}")
    sums = {"seeders": 0, "leechers": 0}
    for name in [name for name in books if name.startswith("t:t:")]:
        torrent = books[name]
        roles = [peer["x"][0] for (tid, _), peer in active.items() if tid == torrent["torrent_id"]]
        seeders = roles.count(chr(Role.SEED))
        for index, many in (("seeders", seeders), ("leechers", len(roles) - seeders)):
            assert (torrent[index], books[f"t:i:{index}"][torrent["torrent_id"]]) == (str(many), str(many))
            sums[index] += many
    assert {name: int(books.get(f"t:stats:{name}", 0)) for name in sums} == sums
    for name, members in wanted.items():
        found = books.get(name, set())
        if name.startswith("t:ut:"):
            found = {field for field in found if field.startswith("@")}
        assert set(found) == members, name
    for name in books:
        if name.startswith("t:tpeers:") or name.endswith((":torrents", ":active")):
            assert name in wanted
