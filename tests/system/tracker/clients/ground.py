"""A community whose members use real BitTorrent clients, and its books beside what these have counted."""

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from random import Random
from typing import Any, Protocol

from holdfast.tracker.model import Limits
from tests.system.running import Running, until
from tests.system.tracker.live_swarm import Books, LiveSwarm, assert_sound

SLOWLY = 250_000
"""Bytes a second: slow enough that a client can be stopped on its way."""
names = count(1)


@dataclass(frozen=True)
class Member:
    name: str
    id: int


class Client(Protocol):
    """A BitTorrent client with one torrent, that of its member."""

    def limit(self, rate: int) -> None:
        """Send no more bytes a second than this; 0: as many as it can."""

    def announce(self) -> None:
        """Ask the tracker for peers now."""

    def share(self) -> float:
        """How much of it it has, from 0 to 1."""

    def moved(self) -> tuple[int, int]:
        """What it has told the tracker of, uploaded and downloaded, once it has been stopped."""

    def stop(self) -> None:
        """Stop the torrent, as its user would; returns when the tracker knows."""

    def end(self) -> None:
        """Leave nothing running."""


@dataclass(frozen=True)
class Entry:
    """What the books must hold of a member on an upload."""

    member: Member
    moved: Sequence[tuple[int, int]]
    """What each of his clients has counted, one after the other."""
    active: bool = False
    whole: bool = True
    snatched: bool = False


class Community:
    """One running house that all share, each test with members and uploads of its own."""

    def __init__(self, house: Running) -> None:
        self.house = house

    def member(self) -> Member:
        with self.house.door() as door:
            added = door.post("/members", {"name": f"member{next(names)}"})
        return Member(added["name"], added["id"])

    def members(self, many: int) -> list[Member]:
        return [self.member() for _ in range(many)]

    def upload(self, folder: Path, by: Member, version: str = "hybrid") -> int:
        answer = self.house.cli("upload", "add", folder, "--by", by.name, "--version", version, "--json")
        number: int = answer.json["id"]
        return number

    def torrent(self, upload: int, member: Member) -> bytes:
        with self.house.door() as door:
            return door.fetch(f"/uploads/{upload}/torrent", member=member.name)

    def peers(self, upload: int, member: Member) -> set[str]:
        """The peer ids under which a member is active on an upload."""
        fields = self.house.ask("HKEYS", f"t:ut:{member.id}:{upload}")
        return {field.decode()[1:] for field in fields if field.startswith(b"@")}

    def swarm(self, upload: int) -> tuple[int, int]:
        """Seeders and leechers, as the site sees them."""
        named = self.house.ask("GET", f"t:x:ih:{upload}")
        seeders, leechers = self.house.ask("HMGET", f"t:t:{(named or b'').decode()}", "seeders", "leechers")
        return int(seeders or 0), int(leechers or 0)

    def until_swarm(self, upload: int, seeders: int, leechers: int) -> None:
        until(f"{seeders} seeders and {leechers} leechers", lambda: self.swarm(upload) == (seeders, leechers))

    def booked(self, upload: int, peer: str) -> tuple[int, int]:
        up, down = self.house.ask("HMGET", f"t:p:{upload}:{peer}", "uploaded", "downloaded")
        return int(up), int(down)

    def books(self) -> Books:
        where = self.house.run.live.removeprefix("embedded, ")
        with closing(LiveSwarm(where, Limits())) as live:
            return live.books()

    def assert_booked(self, upload: int, *entries: Entry) -> None:
        """Every key that tells of the upload and of these members, who have no other."""
        books = self.books()
        assert_sound(books)
        for entry in entries:
            _assert_entry(books, upload, entry)
        torrent = books[f"t:t:{books[f't:x:ih:{upload}']}"]
        found = tuple(int(torrent.get(name, 0)) for name in ("uploaded", "downloaded", "snatches"))
        ups, downs = zip(*(_sum(entry.moved) for entry in entries), strict=True)
        assert found == (sum(ups), sum(downs), sum(entry.snatched for entry in entries))
        assert int(books["t:i:snatches"][str(upload)]) == found[2]
        wanted = [found[2], *(count for entry in entries for count in _sum(entry.moved))]
        until("the records have it, too", lambda: self._recorded(upload, entries) == wanted)

    def _recorded(self, upload: int, entries: Sequence[Entry]) -> list[int]:
        """What the pages show, which the clerk brings over from the live store."""
        with self.house.door() as door:
            members = [door.get(f"/members/{entry.member.name}") for entry in entries]
            completed: int = door.get(f"/uploads/{upload}")["completed"]
        return [completed, *(one[name] for one in members for name in ("uploaded", "downloaded"))]


def _assert_entry(books: Books, upload: int, entry: Entry) -> None:
    member, number = entry.member, str(upload)
    totals: dict[str, str] = books.get(f"t:u:{member.id}", {})
    assert _moved(totals) == _sum(entry.moved), (entry, totals)
    assert int(totals.get("snatches", 0)) == entry.snatched
    peers = [
        peer
        for name, peer in books.items()
        if name.startswith(f"t:p:{upload}:") and peer["user_id"] == str(member.id)
    ]
    peers.sort(key=lambda peer: peer["first_announce"])
    assert [_moved(peer) for peer in peers] == list(entry.moved)
    assert sum(peer["active"] == "1" for peer in peers) == entry.active
    assert (number in books.get(f"t:u:{member.id}:active", set())) == entry.active
    assert (number in books.get(f"t:u:{member.id}:complete", set())) == entry.whole
    assert (number in books.get(f"t:u:{member.id}:incomplete", set())) != entry.whole
    session: dict[str, str] = books[f"t:ut:{member.id}:{upload}"]
    assert ("snatched" in session) == entry.snatched
    if not entry.active:
        assert _moved(session) == _sum(entry.moved)


def _moved(fields: dict[str, Any]) -> tuple[int, int]:
    return int(fields.get("uploaded", 0)), int(fields.get("downloaded", 0))


def _sum(moved: Sequence[tuple[int, int]]) -> tuple[int, int]:
    return sum(up for up, _ in moved), sum(down for _, down in moved)


def something(folder: Path, size: int = 1_000_000) -> Path:
    """A folder that is like no other: some files, one of them in a folder of its own."""
    random = Random(str(folder))
    (folder / "inner").mkdir(parents=True)
    for name, share in (("one.bin", 0.5), ("two.bin", 0.4), ("inner/three.bin", 0.1)):
        (folder / name).write_bytes(random.randbytes(int(size * share)))
    return folder


def contents(folder: Path) -> dict[str, bytes]:
    """Every file below; without the padding that clients of old write out, too."""
    found = {str(path.relative_to(folder)): path for path in folder.rglob("*") if path.is_file()}
    return {name: path.read_bytes() for name, path in found.items() if not name.startswith(".pad")}
