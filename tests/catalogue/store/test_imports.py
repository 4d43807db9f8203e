"""What comes from another tracker: members with passkeys, a batch whole or not at all, and nothing twice."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.catalogue import rules
from holdfast.catalogue.model import Role, Upload
from holdfast.catalogue.store import imports, members, uploads
from holdfast.catalogue.store.imports import LARGEST_ID, Fate, Newcomer, Outcome, Terms
from holdfast.catalogue.store.uploads import Before
from holdfast.errors import InvalidError
from holdfast.tracker.store import participations
from holdfast.tracker.store.books import of_pairs
from holdfast.tracker.store.participations import Formerly
from holdfast.wire.metainfo import parse_torrent
from tests.catalogue.ground import HYBRID, Ground, metainfo, torrent

ZOE = Newcomer(2, "Zoë", "oldKey1", id=501, uploaded=10, downloaded=20, joined=5.0)
YAN = Newcomer(3, "yan", "f" * 32, id=7, roles=(Role.MODERATOR,), enabled=False, may_leech=False)


def taken(ground: Ground, *newcomers: Newcomer, **terms: bool) -> list[Outcome]:
    return ground.change(imports.take, newcomers, Terms(**terms))


def fates(outcomes: list[Outcome]) -> list[str]:
    return [outcome.fate.value for outcome in outcomes]


def names(ground: Ground) -> list[str]:
    return [one.name for one in ground.ask(members.listing, limit=1000).items]


def test_a_member_comes_with_his_passkey_and_his_totals(ground: Ground) -> None:
    ground.forget_outbox()
    zoe, yan = taken(ground, ZOE, YAN)
    assert zoe.id is not None
    found = ground.ask(members.get, zoe.id)
    assert (found.name, found.uploaded, found.downloaded, found.joined) == ("Zoë", 10, 20, 5.0)
    assert ground.ask(members.passkey_of, found.id) == "oldKey1"
    found = ground.ask(members.get, yan.id or 0)
    assert (found.enabled, found.may_leech, found.roles) == (False, False, (Role.MEMBER, Role.MODERATOR))
    assert found.joined == ground.clock.now()
    assert [row.thing for row in ground.behind()] == [("passkey", "oldKey1"), ("passkey", "f" * 32)]


def test_a_batch_stands_once_in_the_audit_with_its_counts(ground: Ground) -> None:
    ground.member("ann")
    before = len(ground.audited())
    first, last = taken(ground, ZOE, YAN)
    entry, *others = ground.audited()
    assert len(others) == before
    assert entry.action == "member.import"
    assert entry.after == {"added": 2, "known": 0, "first_id": first.id, "last_id": last.id}


def test_the_same_batch_again_changes_nothing_not_even_after_a_change_here(ground: Ground) -> None:
    zoe, yan = taken(ground, ZOE, YAN)
    ground.change(members.rotate, zoe.id or 0)
    ground.change(members.change, yan.id or 0, enabled=True)
    before, audited = ground.ask(members.listing).items, len(ground.audited())
    again = taken(ground, replace(ZOE, uploaded=999), YAN, keep_ids=True)
    assert fates(again) == ["known", "known"]
    assert [outcome.id for outcome in again] == [zoe.id, yan.id]
    assert ground.ask(members.listing).items == before
    assert len(ground.audited()) == audited


def test_a_dry_run_tells_the_same_and_changes_nothing(ground: Ground) -> None:
    ground.forget_outbox()
    assert fates(taken(ground, ZOE, YAN, dry_run=True)) == ["added", "added"]
    assert (names(ground), ground.behind(), ground.audited()) == ([], [], [])
    taken(ground, ZOE)
    assert fates(taken(ground, ZOE, YAN, dry_run=True)) == ["known", "added"]


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        (Newcomer(9, "ann", "x1"), "There is a member named ann already"),
        (Newcomer(9, "ANN", "x1"), "in whatever case"),
        (Newcomer(9, "\N{FULLWIDTH LATIN SMALL LETTER A}nn", "x1"), "There is a member named"),
        (Newcomer(9, "zoe", "oldKey1"), "This passkey is that of Zoë already"),
        (Newcomer(9, "zoë", "x1"), "There is a member named"),
        (Newcomer(9, "two words", "x1"), "cannot be a member's name"),
        (Newcomer(9, "12345", "x1"), "not digits alone"),
        (Newcomer(9, "", "x1"), "cannot be a member's name"),
        (Newcomer(9, "x", ""), "A passkey is"),
        (Newcomer(9, "x", "a" * 33), "A passkey is"),
        (Newcomer(9, "x", "a:b"), "A passkey is"),
        (Newcomer(9, "x", "ключ"), "A passkey is"),
        (Newcomer(9, "x", "x1", email="nobody"), "no e-mail address"),
        (Newcomer(9, "x", "x1", uploaded=2**64 - 5), "number of bytes"),
        (Newcomer(9, "x", "x1", downloaded=-1), "number of bytes"),
        (Newcomer(9, "x", "x1", joined=-1.0), "joined between 1970"),
        (Newcomer(9, "x", "x1", joined=1e12), "joined between 1970"),
        (Newcomer(9, "x", "x1", roles=("king",)), "roles are"),
        (Newcomer(9, "x\0", "x1"), "cannot be a member's name"),
        (Newcomer(9, "x", "x\0"), "A passkey is"),
        (Newcomer(9, "x", "x1", email="a\0@example.org"), "no e-mail address"),
        (Newcomer(9, "x" * 5000, "x1"), "cannot be a member's name"),
        (Newcomer(9, "x", "x1", uploaded=10**30), "number of bytes"),
        (Newcomer(9, "x", "x1", id=0), "number is from 1"),
        (Newcomer(9, "x", "x1", id=LARGEST_ID + 1), "number is from 1"),
    ],
)
def test_one_wrong_line_holds_back_its_batch_and_says_why(ground: Ground, wrong: Newcomer, why: str) -> None:
    ground.member("ann")
    ground.forget_outbox()
    good, bad, _ = taken(ground, ZOE, wrong, YAN)
    assert (good.fate, bad.fate, bad.line) == (Fate.ADDED, Fate.REFUSED, 9)
    assert why in bad.why
    assert (names(ground), ground.behind()) == (["ann"], [])


def test_a_passkey_that_was_retired_here_is_nobody_elses(ground: Ground) -> None:
    (zoe,) = taken(ground, ZOE)
    ground.change(members.rotate, zoe.id or 0)
    (refused,) = taken(ground, Newcomer(9, "other", "oldKey1"))
    assert "that of Zoë" in refused.why


def test_a_line_that_stands_twice_is_one_member(ground: Ground) -> None:
    first, twice = taken(ground, ZOE, replace(ZOE, line=8))
    assert (first.fate, twice.fate, first.id == twice.id) == (Fate.ADDED, Fate.KNOWN, True)
    assert names(ground) == ["Zoë"]


def test_passkeys_that_differ_in_case_are_two(ground: Ground) -> None:
    assert fates(taken(ground, ZOE, Newcomer(9, "x", "OLDKEY1"))) == ["added", "added"]


def test_numbers_are_kept_where_asked_for_and_free(ground: Ground) -> None:
    ann = ground.member("ann")
    same = replace(YAN, id=ann.id)
    first = taken(ground, ZOE, same, Newcomer(9, "third", "x1", id=501), keep_ids=True)
    assert first[0].id == 501
    assert len({ann.id, *[outcome.id for outcome in first]}) == 4
    assert ground.member("later").id > 501, "who joins later counts on from there"
    (unasked,) = taken(ground, Newcomer(9, "fourth", "x2", id=9000))
    assert unasked.id != 9000


def test_names_that_do_not_fit_are_mended_where_asked_for(ground: Ground) -> None:
    ground.member("ann")
    odd = ["two words", "ANN", "12345", "<b>", "ann ", "", "two_words", "x" * 90, "x" * 91, "Ünï code."]
    newcomers = [Newcomer(line, name, f"key{line}") for line, name in enumerate(odd)]
    outcomes = taken(ground, *newcomers, mend_names=True)
    assert fates(outcomes) == ["added"] * len(odd)
    assert [outcome.name for outcome in outcomes] == [
        "two_words", "ANN-2", "member-12345", "b", "ann-3", "member", "two_words-2", "x" * 64,
        "x" * 62 + "-2", "Ünï_code",
    ]  # fmt: skip
    assert fates(taken(ground, *newcomers, mend_names=True)) == ["known"] * len(odd)


@given(st.text(max_size=100))
def test_a_mended_name_is_a_members_name_and_mending_it_again_changes_nothing(name: str) -> None:
    mended = rules.mended_name(name)
    assert rules.member_name(mended) == mended
    assert rules.mended_name(mended) == mended
    assert rules.member_name(rules.next_name(mended, 999))


@given(st.from_regex(r"[0-9A-Za-z]{1,32}", fullmatch=True))
def test_any_passkey_of_letters_and_digits_is_kept(key: str) -> None:
    assert rules.passkey(key) == key


@pytest.mark.parametrize("wrong", ["", "a" * 33, "a b", "a\n", "é", "a:b", "٣"])
def test_others_are_refused(wrong: Any) -> None:
    with pytest.raises(InvalidError):
        rules.passkey(wrong)


# Uploads ---------------------------------------------------------------------------------------------------


def brought(ground: Ground, name: str, before: Before) -> Upload:
    data = torrent(name)
    return ground.change(
        uploads.add, parse_torrent(data), data, uploader=None, category="General", award=False, before=before
    )


def test_an_upload_keeps_its_number_and_its_snatches(ground: Ground) -> None:
    one = brought(ground, "film", Before(id=9000, completed=41))
    assert (one.id, one.completed, one.uploader) == (9000, 41, None)
    entry = ground.audited()[0]
    assert (entry.action, entry.target_id) == ("upload.import", "9000")
    ann = ground.member("ann")
    assert ground.upload(ann, "another").id > 9000, "what is added later counts on from there"


def test_a_number_that_is_taken_gives_way(ground: Ground) -> None:
    there = ground.upload(ground.member("ann"), "one")
    assert brought(ground, "two", Before(id=there.id)).id != there.id


def test_an_upload_is_found_by_either_of_its_hashes(ground: Ground) -> None:
    there = ground.upload(ground.member("ann"), "one", HYBRID)
    assert ground.ask(uploads.of_hashes, metainfo("one", HYBRID)) == there
    v1 = replace(metainfo("one", HYBRID), v2_hash=None)
    assert ground.ask(uploads.of_hashes, v1) == there
    assert ground.ask(uploads.of_hashes, metainfo("two")) is None


# Participations --------------------------------------------------------------------------------------------


def test_former_participations_are_entered_once_and_strangers_are_counted(ground: Ground) -> None:
    ann = ground.member("ann")
    film, show = ground.upload(ann, "film"), ground.upload(ann, "show")
    former = [
        Formerly(ann.id, film.id, complete=True),
        Formerly(ann.id, show.id, hnr=True),
        Formerly(ann.id, 999_999),
        Formerly(999_999, film.id),
    ]
    assert ground.change(participations.take_over, former) == (2, 2)
    entry = ground.audited()[0]
    assert (entry.action, entry.after) == ("participation.import", {"added": 2, "known": 0})
    audited = len(ground.audited())
    assert ground.change(participations.take_over, former) == (0, 2)
    assert len(ground.audited()) == audited
    stood = ground.ask(of_pairs, [(ann.id, film.id), (ann.id, show.id)])
    now = ground.clock.now()
    assert (stood[ann.id, film.id].complete, stood[ann.id, film.id].snatched) == (True, now)
    assert (stood[ann.id, show.id].complete, stood[ann.id, show.id].hnr) == (False, now)
