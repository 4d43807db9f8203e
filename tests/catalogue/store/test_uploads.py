"""Uploads: one to a hash, worth what their category says, and never wholly gone."""

from dataclasses import replace

import pytest
from sqlalchemy import Connection, insert, select, update

from holdfast.catalogue.model import Category, MemberRef, Removal, Upload, UploadFile
from holdfast.catalogue.store import categories, members, notices, points, uploads
from holdfast.catalogue.tables import info_hash, upload
from holdfast.catalogue.tables import points as ledger
from holdfast.errors import ConflictError, InvalidError, NotFoundError
from holdfast.wire.metainfo import TorrentVersion, parse_torrent
from tests.catalogue.ground import (
    HYBRID,
    OPERATOR,
    V1,
    V2,
    Ground,
    Statements,
    as_member,
    metainfo,
    torrent,
)
from tests.wire import torrents


def hashes(tx: Connection) -> dict[str, int]:
    return {row.info_hash: row.upload_id for row in tx.execute(select(info_hash))}


@pytest.mark.parametrize("version", TorrentVersion)
def test_an_upload_is_what_its_torrent_says(ground: Ground, version: TorrentVersion) -> None:
    ann = ground.member("ann")
    data = torrent("film.mkv", version, comment=b"a comment")
    told = parse_torrent(data)
    added = ground.change(uploads.add, told, data, uploader=ann, category="general")
    assert added == Upload(
        id=added.id,
        name="film.mkv",
        category=Category(added.category.id, "General", 10),
        uploader=MemberRef(ann.id, "ann"),
        size=told.total_size,
        piece_length=told.piece_length,
        piece_count=told.piece_count,
        file_count=len(told.files),
        info_hash_v1=told.v1_hash.hex() if told.v1_hash else None,
        info_hash_v2=told.v2_hash.hex() if told.v2_hash else None,
        private=True,
        source=None,
        comment="a comment",
        created=ground.clock.now(),
        last_action=None,
        completed=0,
        seeders=0,
        leechers=0,
    )
    assert ground.ask(uploads.get, added.id) == added
    assert ground.ask(uploads.torrent_of, added.id) == data
    files = ground.ask(uploads.files, added.id).items
    assert files == [UploadFile("/".join(file.path), file.size) for file in told.files]


@pytest.mark.parametrize(("version", "count"), [(V1, 1), (V2, 1), (HYBRID, 2)])
def test_every_hash_that_clients_announce_means_the_upload(
    ground: Ground, version: TorrentVersion, count: int
) -> None:
    one = ground.upload(ground.member("ann"), "film.mkv", version)
    announced = {found.hex() for found in metainfo("film.mkv", version).tracker_hashes}
    assert len(announced) == count
    assert ground.ask(hashes) == dict.fromkeys(announced, one.id)
    assert {row.key for row in ground.behind() if row.kind == "info_hash"} == announced


def test_its_name_may_be_another_than_the_torrents(ground: Ground) -> None:
    assert ground.upload(ground.member("ann"), "film.mkv", name="  A film  ").name == "A film"


def test_a_name_that_cannot_be_shown_is_refused(ground: Ground) -> None:
    ann = ground.member("ann")
    for name in ("x" * 256, "a\nb", "a\0b", "\u202egpj.exe"):
        with pytest.raises(InvalidError, match="name of an upload"):
            ground.upload(ann, "film.mkv", name=name)
    assert ground.ask(uploads.totals) == {"uploads": 0, "size": 0, "removed": 0}


def test_a_category_that_does_not_exist_is_refused_with_those_that_do(ground: Ground) -> None:
    with pytest.raises(NotFoundError, match=r"no category “films”; there are: General"):
        ground.upload(ground.member("ann"), "film.mkv", category="films")


@pytest.mark.parametrize("again", [V1, V2, HYBRID])
@pytest.mark.parametrize("first", [V1, V2, HYBRID])
def test_the_same_torrent_is_refused_with_the_number_it_has(
    ground: Ground, first: TorrentVersion, again: TorrentVersion
) -> None:
    ann = ground.member("ann")
    there = ground.upload(ann, "film.mkv", first)
    if first is not again:
        assert ground.upload(ann, "film.mkv", again).id != there.id
        return
    before = ground.audited()
    with pytest.raises(ConflictError, match=f"This torrent is upload {there.id} already") as refused:
        ground.upload(ground.member("bob"), "film.mkv", again)
    assert refused.value.extra == {"upload_id": there.id}
    assert ground.ask(uploads.totals)["uploads"] == 1
    assert len(ground.audited()) == len(before) + 1  # bob
    assert ground.ask(points.balance, ann.id) == 10


def test_half_of_a_hybrid_that_is_known_already_is_refused_whole(ground: Ground) -> None:
    ann = ground.member("ann")
    there = ground.upload(ann, "film.mkv", HYBRID)
    other = metainfo("other.mkv", V2)
    with pytest.raises(ConflictError) as refused:
        ground.change(_as_second_half, there, other.v2_hash or b"")
    assert refused.value.extra == {"upload_id": there.id}
    assert set(ground.ask(hashes).values()) == {there.id}


def _as_second_half(tx: Connection, now: float, actor: object, there: Upload, whole: bytes) -> None:
    """A torrent whose v2 half is new and whose v1 half is taken: no real one can be made at will."""
    taken = bytes.fromhex(there.info_hash_v1 or "")
    spoiled = replace(metainfo("third.mkv", HYBRID), v1_hash=taken, v2_hash=whole)
    ann = members.get(tx, "ann")
    uploads.add(tx, now, OPERATOR, spoiled, b"", uploader=ann, category="General")


def test_a_v2_hash_that_begins_like_another_torrents_is_refused(ground: Ground) -> None:
    """Clients announce its first 20 bytes alone, and those can mean only one upload."""
    ann = ground.member("ann")
    there = ground.upload(ann, "film.mkv", V1)
    begins_alike = bytes.fromhex(there.info_hash_v1 or "") + bytes(12)
    colliding = replace(metainfo("other.mkv", V2), v2_hash=begins_alike)
    with pytest.raises(ConflictError, match=f"upload {there.id} already") as refused:
        ground.change(uploads.add, colliding, b"", uploader=ann, category="General")
    assert refused.value.extra == {"upload_id": there.id}


def test_the_uploader_is_given_what_the_category_is_worth_then(ground: Ground) -> None:
    ann = ground.member("ann")
    ground.change(categories.add, name="Films", points=25)
    one = ground.upload(ann, "film.mkv", category="films")
    ground.change(categories.change, one.category.id, name=None, points=99)
    assert ground.ask(points.balance, ann.id) == 25
    (entry,) = ground.ask(points.listing, ann.id).items
    assert (entry.amount, entry.upload_id, entry.reason) == (25, one.id, f"Upload {one.id}: film.mkv")
    ground.change(uploads.remove, one.id, "spam")
    assert ground.ask(points.balance, ann.id) == 0


def test_nothing_is_given_where_nothing_is_promised(ground: Ground) -> None:
    ann = ground.member("ann")
    ground.change(categories.add, name="Odds", points=0)
    ground.upload(ann, "odd.bin", category="Odds")
    ground.upload(ann, "film.mkv", award=False)
    assert ground.ask(points.listing, ann.id).items == []


def test_a_removed_upload_stays_as_a_tombstone(ground: Ground) -> None:
    ann = ground.member("ann")
    one = ground.upload(ann, "film.mkv", HYBRID)
    mod = ground.member("mod", "moderator")
    ground.forget_outbox()
    ground.clock.pass_by(60)
    gone = ground.change_as(as_member(mod), uploads.remove, one.id, "  a fake  ")
    assert gone.removed == Removal(ground.clock.now(), "a fake", MemberRef(mod.id, "mod"))
    assert ground.ask(uploads.get, one.id) == gone
    assert ground.ask(uploads.listing).items == []
    assert ground.ask(uploads.listing, removed=True).items == [gone]
    assert ground.ask(uploads.listing, removed=None).items == [gone]
    assert ground.ask(uploads.totals) == {"uploads": 0, "size": 0, "removed": 1}
    assert len(ground.behind()) == 2
    with pytest.raises(ConflictError, match=f"Upload {one.id} was removed: a fake"):
        ground.ask(uploads.torrent_of, one.id)
    with pytest.raises(ConflictError, match="was removed already: a fake"):
        ground.change(uploads.remove, one.id, "again")


def test_a_removed_torrent_cannot_come_back_under_another_number(ground: Ground) -> None:
    ann = ground.member("ann")
    one = ground.upload(ann, "film.mkv")
    ground.change(uploads.remove, one.id, "a fake")
    with pytest.raises(ConflictError, match=r"“film.mkv”, removed: a fake") as refused:
        ground.upload(ann, "film.mkv")
    assert refused.value.extra == {"upload_id": one.id}


def test_a_removal_takes_back_what_was_given_to_each(ground: Ground) -> None:
    ann, bob = ground.member("ann"), ground.member("bob")
    one = ground.upload(ann, "film.mkv")
    for who, amount in ((bob.id, 7), (bob.id, -2), (ann.id, 3)):
        ground.do(points.enter, 5.0, who, amount, "for seeding", upload_id=one.id)
    ground.change(points.give, bob, 100, "a present")
    ground.change(uploads.remove, one.id, "a fake")
    assert ground.ask(points.balance, ann.id) == 0
    assert ground.ask(points.balance, bob.id) == 100
    assert ground.ask(points.of_upload, one.id) == [(ann.id, 0), (bob.id, 0)]


def test_a_removal_needs_a_reason(ground: Ground) -> None:
    one = ground.upload(ground.member("ann"), "film.mkv")
    for reason in ("", "   ", "x" * 501, "a\nb"):
        with pytest.raises(InvalidError, match="reason"):
            ground.change(uploads.remove, one.id, reason)
    assert ground.ask(uploads.get, one.id).removed is None


def test_the_uploader_is_told_who_removed_it_and_why(ground: Ground) -> None:
    ann, mod = ground.member("ann"), ground.member("mod", "moderator")
    one = ground.upload(ann, "film.mkv")
    ground.change_as(as_member(mod), uploads.remove, one.id, "a fake")
    (told,) = ground.ask(notices.listing, ann.id).items
    assert told.subject == "Your upload “film.mkv” was removed"
    assert told.body == f"Upload {one.id}, “film.mkv”, was removed by mod. Reason: a fake"


def test_who_removes_his_own_upload_is_not_told_what_he_knows(ground: Ground) -> None:
    ann = ground.member("ann")
    one = ground.upload(ann, "film.mkv")
    ground.change_as(as_member(ann), uploads.remove, one.id, "my mistake")
    assert ground.ask(notices.listing, ann.id).items == []


def test_a_change_of_name_or_category_is_told_with_what_was(ground: Ground) -> None:
    one = ground.upload(ground.member("ann"), "film.mkv")
    ground.change(categories.add, name="Films", points=5)
    changed = ground.change(uploads.change, one.id, name="A film", category="FILMS")
    assert (changed.name, changed.category.name) == ("A film", "Films")
    (entry, *_) = ground.audited()
    assert entry.before == {"name": "film.mkv", "category": "General"}
    assert entry.after == {"name": "A film", "category": "Films"}
    assert ground.ask(uploads.listing, q="a FILM").items == [changed]
    assert ground.ask(uploads.listing, q="mkv").items == []


def test_a_change_that_changes_nothing_is_no_change(ground: Ground) -> None:
    one = ground.upload(ground.member("ann"), "film.mkv")
    before = ground.audited()
    ground.change(uploads.change, one.id, name="film.mkv", category=None)
    assert ground.audited() == before


def test_an_upload_that_is_not_there_is_not_found(ground: Ground) -> None:
    for number in (0, -1, 99, 2**63 - 1):
        for ask in (uploads.get, uploads.files, uploads.torrent_of):
            with pytest.raises(NotFoundError, match=f"There is no upload {number};"):
                ground.ask(ask, number)
        with pytest.raises(NotFoundError):
            ground.change(uploads.remove, number, "reason")
        with pytest.raises(NotFoundError):
            ground.change(uploads.change, number, name="x", category=None)


def test_a_listing_is_the_newest_first_and_can_be_narrowed(ground: Ground) -> None:
    ann, bob = ground.member("ann"), ground.member("bob")
    ground.change(categories.add, name="Films", points=5)
    first = ground.upload(ann, "Ünder 100%.mkv", category="Films")
    second = ground.upload(bob, "other.mkv")
    third = ground.upload(ann, "third.mkv", HYBRID)
    assert ground.ask(uploads.listing).items == [third, second, first]
    assert ground.ask(uploads.listing, uploader_id=ann.id).items == [third, first]
    assert ground.ask(uploads.listing, category_name="FILMS").items == [first]
    assert ground.ask(uploads.listing, category_name="nothing").items == []
    assert ground.ask(uploads.listing, q="ÜNDER").items == [first]
    assert ground.ask(uploads.listing, q="0%.").items == [first]
    assert ground.ask(uploads.listing, q="%m").items == []


def test_a_search_for_what_no_text_can_hold_finds_nothing(ground: Ground) -> None:
    ground.upload(ground.member("ann"), "film.mkv")
    try:
        assert ground.ask(uploads.listing, q="a\0b").items == []
    except InvalidError as error:
        assert "NUL" in str(error)  # noqa: PT017 - either answer will do, a crash will not


def test_what_a_torrent_says_of_itself_cannot_break_or_swamp_the_catalogue(ground: Ground) -> None:
    """A comment may be as long as the torrent may, and hold characters that PostgreSQL has no room for."""
    ann = ground.member("ann")
    data = torrent("film.mkv", comment=b"nul \0 here " + b"x" * 1_000_000)
    one = ground.change(uploads.add, parse_torrent(data), data, uploader=ann, category="General")
    assert "\0" not in one.comment
    assert one.comment.startswith("nul ")
    assert len(one.comment) < 10_000
    assert ground.ask(uploads.torrent_of, one.id) == data
    fields = dict(torrents.one_file()) | {b"private": 1, b"source": b"s\0" * 100_000}
    spoiled = torrents.torrent(fields)
    other = ground.change(uploads.add, parse_torrent(spoiled), spoiled, uploader=ann, category="General")
    assert "\0" not in (other.source or "")
    assert len(other.source or "") < 10_000


def test_ten_thousand_uploads_of_one_member_are_listed_in_few_statements(ground: Ground) -> None:
    ann = ground.member("ann")
    ten_thousand(ground, ann.id)
    with Statements(ground.records) as sent:
        page = ground.ask(uploads.listing, uploader_id=ann.id, limit=200)
    assert len(page.items) == 200
    assert sent.count <= 4
    seen = [one.id for one in page.items]
    while page.next:
        page = ground.ask(uploads.listing, uploader_id=ann.id, limit=200, cursor=page.next)
        seen += [one.id for one in page.items]
    assert len(set(seen)) == 10_000
    assert seen == sorted(seen, reverse=True)
    with Statements(ground.records) as sent:
        assert ground.ask(members.get, "ann").points == 100_000
        ground.ask(members.listing)
        ground.ask(uploads.totals)
        ground.ask(points.listing, ann.id, limit=200)
    assert sent.count <= 8


def ten_thousand(ground: Ground, member_id: int) -> None:
    """As `add` would have written them, but by the thousand."""
    standing: dict[str, object] = {
        "category_id": 1,
        "uploader_id": member_id,
        "size": 1,
        "piece_length": 16384,
    }
    standing |= {"piece_count": 1, "file_count": 1, "private": True, "comment": "", "created": 5.0}
    rows = [standing | {"name": f"upload {n}", "name_key": f"upload {n}"} for n in range(10_000)]

    def write(tx: Connection) -> None:
        tx.execute(insert(upload), rows)
        ids = list(tx.execute(select(upload.c.id).order_by(upload.c.id)).scalars())
        tx.execute(
            insert(info_hash),
            [
                {"info_hash": f"{one:040x}", "version": 1, "whole": f"{one:040x}", "upload_id": one}
                for one in ids
            ],
        )
        given = {"member_id": member_id, "at": 5.0, "amount": 10, "reason": "upload"}
        tx.execute(insert(ledger), [given | {"upload_id": one} for one in ids])

    ground.do(write)


def test_an_upload_of_a_hundred_thousand_files_is_kept_and_paged(ground: Ground) -> None:
    ann = ground.member("ann")
    entries = [torrents.entry(b"%06d" % n, size=1) for n in range(100_000)]
    fields = dict(torrents.folder(*entries, pieces=7)) | {b"private": 1}
    data = torrents.torrent(fields)
    with Statements(ground.records) as sent:
        one = ground.change(uploads.add, parse_torrent(data), data, uploader=ann, category="General")
    assert one.file_count == 100_000
    assert sent.count < 200  # PostgreSQL's driver sends them a thousand at a time
    with Statements(ground.records) as sent:
        page = ground.ask(uploads.files, one.id, limit=200)
    assert sent.count <= 4
    assert [file.path for file in page.items] == [f"{n:06d}" for n in range(200)]
    page = ground.ask(uploads.files, one.id, limit=200, cursor=page.next)
    assert page.items[0].path == "000200"


def test_a_tombstone_can_still_be_found_by_its_remover_who_is_gone(ground: Ground) -> None:
    """Whoever acts without being a member leaves his name in the audit alone."""
    one = ground.upload(ground.member("ann"), "film.mkv")
    gone = ground.change(uploads.remove, one.id, "a fake")
    assert gone.removed is not None
    assert gone.removed.by is None
    (entry, *_) = ground.audited()
    assert (entry.action, entry.actor.name, entry.after) == (
        "upload.remove",
        "operator",
        {"reason": "a fake"},
    )


def test_seeders_and_leechers_are_shown_as_they_are_written(ground: Ground) -> None:
    one = ground.upload(ground.member("ann"), "film.mkv")
    values = {"seeders": 3, "leechers": 2, "completed": 9, "last_action": 55.0}
    ground.do(lambda tx: tx.execute(update(upload).where(upload.c.id == one.id).values(values)))
    found = ground.ask(uploads.get, one.id)
    assert (found.seeders, found.leechers, found.completed, found.last_action) == (3, 2, 9, 55.0)
