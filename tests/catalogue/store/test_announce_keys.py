"""Announce keys: one for each member and upload, dead with the passkey that they hang on."""

import re

import sqlalchemy as sa

from holdfast.catalogue.store import announce_keys, members, truth, uploads
from holdfast.catalogue.store.truth import Keyed
from holdfast.catalogue.tables import announce_key
from tests.catalogue.ground import Ground


def test_a_key_is_like_a_passkey_and_nobody_else_has_it(ground: Ground) -> None:
    ann, bob = ground.member("ann"), ground.member("bob")
    film, book = ground.upload(ann, "film.mkv"), ground.upload(ann, "book.epub")
    assert ground.ask(announce_keys.of, ann, film) is None
    made = {(who.id, what.id): ground.change(announce_keys.make, who, what) for who in (ann, bob)
            for what in (film, book)}  # fmt: skip
    known = {*made.values(), *(ground.ask(members.passkey_of, who.id) for who in (ann, bob))}
    assert len(known) == 6
    assert all(re.fullmatch("[0-9a-f]{32}", key) for key in known)
    for who in (ann, bob):
        for what in (film, book):
            assert ground.ask(announce_keys.of, who, what) == made[who.id, what.id]


def test_whoever_comes_second_gets_the_key_that_was_made_first(ground: Ground) -> None:
    ann = ground.member("ann")
    film = ground.upload(ann, "film.mkv")
    first = ground.change(announce_keys.make, ann, film)
    known = (ground.audited(), ground.behind())
    assert ground.change(announce_keys.make, ann, film) == first
    assert (ground.audited(), ground.behind()) == known


def test_a_key_stands_in_for_the_passkey_until_that_is_rotated(ground: Ground) -> None:
    ann, bob = ground.member("ann"), ground.member("bob")
    film = ground.upload(ann, "film.mkv")
    old, other = (ground.change(announce_keys.make, who, film) for who in (ann, bob))
    things = [("announce_key", key) for key in (old, other)]
    stands_for = [Keyed(ground.ask(members.passkey_of, who.id), film.id) for who in (ann, bob)]
    assert ground.ask(truth.of, things) == dict(zip(things, stands_for, strict=True))
    ground.forget_outbox()
    ground.change(members.rotate, "ann")
    assert things[0] in [row.thing for row in ground.behind()]
    assert things[1] not in [row.thing for row in ground.behind()]
    assert ground.ask(truth.of, things) == {things[0]: None, things[1]: stands_for[1]}
    assert ground.ask(announce_keys.of, ann, film) is None
    assert ground.change(announce_keys.make, ann, film) != old


def test_the_keys_of_a_removed_upload_die_and_no_others(ground: Ground) -> None:
    ann = ground.member("ann")
    film, book = ground.upload(ann, "film.mkv"), ground.upload(ann, "book.epub")
    things = [("announce_key", ground.change(announce_keys.make, ann, what)) for what in (film, book)]
    ground.forget_outbox()
    ground.change(uploads.remove, film.id, "a fake")
    assert things[0] in [row.thing for row in ground.behind()]
    assert things[1] not in [row.thing for row in ground.behind()]
    found = ground.ask(truth.of, things)
    assert found[things[0]] is None
    assert found[things[1]] is not None


def test_all_of_them_are_walked_for_a_rebuilding(ground: Ground) -> None:
    ann = ground.member("ann")
    for number in range(3):
        ground.change(announce_keys.make, ann, ground.upload(ann, f"film {number}"))
    ground.change(members.rotate, "ann")
    every = ground.ask(lambda tx: sorted(tx.execute(sa.select(announce_key.c.announce_key)).scalars()))
    assert ground.ask(truth.after, "announce_key", "", 10) == [("announce_key", key) for key in every]
