"""The truth about live keys: what stands has a value, what is gone or unknown has none."""

from holdfast.catalogue.store import members, truth, uploads, whitelist
from holdfast.catalogue.store.truth import Announced, Passholder, Removed
from tests.catalogue.ground import HYBRID, Ground


def test_an_active_passkey_means_its_member_as_he_is_now(ground: Ground) -> None:
    ann, key = ground.change(members.add, name="ann")
    thing = ("passkey", key)
    assert ground.ask(truth.of, [thing]) == {thing: Passholder(ann.id, True, True)}
    ground.change(members.change, "ann", enabled=False, may_leech=False)
    assert ground.ask(truth.of, [thing]) == {thing: Passholder(ann.id, False, False)}


def test_a_retired_passkey_means_nobody(ground: Ground) -> None:
    _, old = ground.change(members.add, name="ann")
    new = ground.change(members.rotate, "ann")
    found = ground.ask(truth.of, [("passkey", old), ("passkey", new)])
    assert found["passkey", old] is None
    assert found["passkey", new] is not None


def test_every_hash_means_its_upload_and_once_that_is_removed_the_reason(ground: Ground) -> None:
    one = ground.upload(ground.member("ann"), "film.mkv", HYBRID)
    things = [("info_hash", row.key) for row in ground.behind() if row.kind == "info_hash"]
    announced = Announced(one.id, one.info_hash_v1 or "")
    assert len(things) == 2
    assert ground.ask(truth.of, things) == dict.fromkeys(things, announced)
    ground.change(uploads.remove, one.id, "a fake")
    removed = Removed("a fake", ground.clock.now())
    assert ground.ask(truth.of, things) == dict.fromkeys(things, removed)


def test_what_nobody_knows_must_not_be_there(ground: Ground) -> None:
    things = [(kind, "unheard-of") for kind in truth.KINDS]
    assert ground.ask(truth.of, things) == dict.fromkeys(things)
    assert ground.ask(truth.of, []) == {}


def test_all_things_of_a_kind_are_walked_in_order_standing_or_gone(ground: Ground) -> None:
    keys = set()
    for n in range(7):
        _, key = ground.change(members.add, name=f"member-{n}")
        keys.add(key)
    keys.add(ground.change(members.rotate, "member-0"))
    ground.change(whitelist.put, "-TR4", "x")
    walked: list[str] = []
    last = ""
    while things := ground.ask(truth.after, "passkey", last, 3):
        assert all(kind == "passkey" for kind, _ in things)
        walked += [key for _, key in things]
        last = walked[-1]
    assert walked == sorted(keys)
