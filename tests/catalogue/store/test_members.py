"""Members: one to a name, known by one passkey at a time, never without an operator."""

import re
from inspect import signature

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.catalogue.model import Member, Page, Preferences, Role, Sinks
from holdfast.catalogue.store import members
from holdfast.errors import ConflictError, InvalidError, NotFoundError
from tests.catalogue.ground import OPERATOR, Ground, as_member


def test_a_new_member_is_enabled_and_may_leech_and_has_nothing_yet(ground: Ground) -> None:
    added, key = ground.change(members.add, name="ann")
    assert added == Member(
        id=added.id,
        name="ann",
        enabled=True,
        may_leech=True,
        roles=(Role.MEMBER,),
        points=0,
        uploaded=0,
        downloaded=0,
        joined=ground.clock.now(),
        preferences=Preferences(),
    )
    assert ground.ask(members.get, added.id) == added
    assert ground.ask(members.passkey_of, added.id) == key


def test_what_is_said_at_the_start_is_kept(ground: Ground) -> None:
    added, _ = ground.change(
        members.add, name="Zoë", roles=("operator",), email="zoe@example.org", may_leech=False
    )
    assert (added.roles, added.email, added.may_leech) == (
        (Role.MEMBER, Role.OPERATOR),
        "zoe@example.org",
        False,
    )


def test_a_name_that_reads_the_same_is_taken(ground: Ground) -> None:
    for name, again in ALIKE.items():
        ground.member(name)
        before = ground.audited()
        with pytest.raises(ConflictError, match=f"a member named {again} already; choose another name"):
            ground.member(again)
        assert ground.audited() == before
    assert ground.ask(members.count) == len(ALIKE)


ALIKE = {"ann": "ann", "Bob": "bOB", "straße": "STRASSE", "å": "\u212b", "x": "\uff38", "Ян": "ЯН"}


def test_a_bad_name_adds_nobody(ground: Ground) -> None:
    for name in ("", "123", "a b", "../x", "ann\0"):
        with pytest.raises(InvalidError):
            ground.member(name)
    assert ground.ask(members.count) == 0
    assert ground.audited() == []
    assert ground.behind() == []


def test_a_member_is_found_by_number_and_by_name_in_any_case(ground: Ground) -> None:
    ann = ground.member("Ann")
    for who in (ann.id, str(ann.id), "Ann", "ANN", "ann"):
        assert ground.ask(members.get, who) == ann


def test_whoever_is_not_there_is_not_found(ground: Ground) -> None:
    ground.member("ann")
    names = ("bob", "", " ", "99", "9" * 64, "'; DROP TABLE member", "%", "_", "²", "\ufdfa")
    for who in (*names, 0, -1, 99, 2**63):
        with pytest.raises(NotFoundError, match=r"There is no member .*; `holdfast member list` shows all\."):
            ground.ask(members.get, who)


def test_a_nul_in_a_name_finds_nobody_and_breaks_nothing(ground: Ground) -> None:
    """PostgreSQL has no such character in its texts; what comes through a door may."""
    with pytest.raises((NotFoundError, InvalidError)):
        ground.ask(members.get, "a\0b")


def test_passkeys_are_32_hex_digits_and_never_the_same(ground: Ground) -> None:
    keys = {ground.change(members.add, name=f"member-{n}")[1] for n in range(50)}
    assert len(keys) == 50
    assert all(re.fullmatch("[0-9a-f]{32}", key) for key in keys)


def test_rotating_retires_the_old_passkey_and_gives_one_new(ground: Ground) -> None:
    ann, first = ground.change(members.add, name="ann")
    ground.clock.pass_by(5)
    second = ground.change(members.rotate, "ann")
    assert second != first
    assert ground.passkeys(ann) == {first: ground.clock.now(), second: None}
    assert ground.ask(members.passkey_of, ann.id) == second


def test_rotating_again_and_again_leaves_one_active(ground: Ground) -> None:
    ann, _ = ground.change(members.add, name="ann")
    for _ in range(10):
        ground.change(members.rotate, ann.id)
    retired = list(ground.passkeys(ann).values())
    assert len(retired) == 11
    assert retired.count(None) == 1


def test_both_passkeys_fall_behind_when_one_is_rotated(ground: Ground) -> None:
    _, first = ground.change(members.add, name="ann")
    ground.forget_outbox()
    second = ground.change(members.rotate, "ann")
    assert [(row.kind, row.key) for row in ground.behind()] == [("passkey", first), ("passkey", second)]


def test_a_passkey_is_never_written_into_the_audit_or_an_event(ground: Ground) -> None:
    _, first = ground.change(members.add, name="ann")
    second = ground.change(members.rotate, "ann")
    ground.change(members.change, "ann", enabled=False)
    for text in [str(ground.audited()), *ground.told()]:
        assert first not in text
        assert second not in text


def test_a_change_names_only_what_it_changes(ground: Ground) -> None:
    ann = ground.member("ann", email="ann@example.org")
    changed = ground.change(members.change, "ann", may_leech=False)
    assert changed == ground.ask(members.get, "ann")
    assert (changed.may_leech, changed.enabled, changed.email) == (False, True, "ann@example.org")
    (entry, *_) = ground.audited()
    assert (entry.before, entry.after) == ({"may_leech": True}, {"may_leech": False})
    assert changed.id == ann.id


def test_an_empty_address_removes_the_address(ground: Ground) -> None:
    ground.member("ann", email="ann@example.org")
    assert ground.change(members.change, "ann", email="").email is None


def test_preferences_are_kept_whole(ground: Ground) -> None:
    ground.member("ann")
    wanted = Preferences(as_uploader=Sinks(email=False), as_snatcher=Sinks(page=False, webhook=False))
    assert ground.change(members.change, "ann", preferences=wanted).preferences == wanted
    assert ground.ask(members.get, "ann").preferences == wanted


def test_a_change_that_changes_nothing_leaves_no_trace(ground: Ground) -> None:
    ann = ground.member("ann")
    before = ground.audited()
    ground.forget_outbox()
    same = ground.change(
        members.change, "ann", enabled=True, may_leech=True, roles=("member",), email="", preferences=None
    )
    assert same == ann
    assert ground.audited() == before
    assert ground.behind() == []
    assert ground.told() == []


def test_a_change_that_is_refused_changes_nothing(ground: Ground) -> None:
    ann = ground.member("ann")
    with pytest.raises(InvalidError):
        ground.change(members.change, "ann", enabled=False, email="nonsense")
    with pytest.raises(InvalidError):
        ground.change(members.change, "ann", enabled=False, roles=("king",))
    assert ground.ask(members.get, "ann") == ann


def test_the_live_store_must_follow_whoever_is_changed(ground: Ground) -> None:
    _, key = ground.change(members.add, name="ann")
    ground.forget_outbox()
    ground.change(members.change, "ann", enabled=False)
    assert [(row.kind, row.key, row.request_id) for row in ground.behind()] == [
        ("passkey", key, OPERATOR.request_id)
    ]


def test_a_name_cannot_be_changed_by_any_of_this() -> None:
    assert "name" not in signature(members.change).parameters


@pytest.mark.parametrize("how", [{"roles": ("member",)}, {"roles": ("moderator",)}, {"enabled": False}])
def test_the_last_operator_stays(ground: Ground, how: dict[str, object]) -> None:
    ann = ground.member("ann", "operator")
    with pytest.raises(ConflictError, match="ann is the last operator; make somebody else one first"):
        ground.change(members.change, "ann", **how)  # type: ignore[arg-type]
    assert ground.ask(members.get, "ann") == ann


@pytest.mark.parametrize("how", [{"roles": ("member",)}, {"enabled": False}])
def test_a_disabled_operator_is_not_counted_as_one(ground: Ground, how: dict[str, object]) -> None:
    ground.member("ann", "operator")
    ground.member("bob", "operator")
    ground.change(members.change, "bob", enabled=False)
    with pytest.raises(ConflictError, match="last operator"):
        ground.change(members.change, "ann", **how)  # type: ignore[arg-type]
    ground.change(members.change, "bob", enabled=True)
    ground.change(members.change, "ann", **how)  # type: ignore[arg-type]
    assert ground.ask(members.operators) == [ground.ask(members.get, "bob").id]


def test_a_moderator_may_go_even_when_there_is_no_operator_yet(ground: Ground) -> None:
    ground.member("mod", "moderator")
    assert ground.change(members.change, "mod", roles=()).roles == (Role.MEMBER,)


def test_being_seen_is_kept_and_is_no_change(ground: Ground) -> None:
    ann = ground.member("ann")
    before = ground.audited()
    ground.do(members.seen, 77.0, ann.id)
    assert ground.ask(members.get, "ann").last_seen == 77.0
    assert ground.audited() == before


def test_members_are_listed_in_the_order_in_which_they_joined(ground: Ground) -> None:
    for name in ("zoe", "ann", "bob"):
        ground.member(name)
    assert names(ground.ask(members.listing)) == ["zoe", "ann", "bob"]


def test_a_listing_finds_part_of_a_name_as_it_stands(ground: Ground) -> None:
    for name in ("ann_b", "annxb", "Ann-C", "bob"):
        ground.member(name)
    assert names(ground.ask(members.listing, q="ANN")) == ["ann_b", "annxb", "Ann-C"]
    assert names(ground.ask(members.listing, q="n_b")) == ["ann_b"]
    assert names(ground.ask(members.listing, q="%")) == []
    assert names(ground.ask(members.listing, q="\\")) == []


def test_a_listing_shows_a_role_or_who_is_enabled(ground: Ground) -> None:
    ground.member("ann", "operator")
    ground.member("bob", "moderator")
    ground.member("cat")
    ground.change(members.change, "cat", enabled=False)
    assert names(ground.ask(members.listing, role=Role.OPERATOR)) == ["ann"]
    assert names(ground.ask(members.listing, role=Role.MEMBER)) == ["ann", "bob", "cat"]
    assert names(ground.ask(members.listing, enabled=False)) == ["cat"]
    assert names(ground.ask(members.listing, enabled=True, role=Role.MODERATOR)) == ["bob"]


def test_the_audit_says_who_did_it_and_from_where(ground: Ground) -> None:
    ann = ground.member("ann", "operator")
    bob = ground.member("bob")
    ground.change_as(as_member(ann), members.change, bob.id, enabled=False)
    (entry, *_) = ground.audited()
    assert (entry.actor.id, entry.actor.name, entry.door, entry.address, entry.request_id) == (
        ann.id,
        "ann",
        "page",
        "192.0.2.1",
        "request-2",
    )
    assert (entry.target_kind, entry.target_id, entry.target_name) == ("member", str(bob.id), "bob")


CHANGES = st.fixed_dictionaries(
    {},
    optional={
        "enabled": st.booleans(),
        "may_leech": st.booleans(),
        "roles": st.lists(st.sampled_from(list(Role)), max_size=3).map(tuple),
        "email": st.sampled_from(["", "a@example.org", "b@example.org"]),
    },
)


@settings(max_examples=25)
@given(plan=st.lists(st.tuples(st.sampled_from(["ann", "bob"]), CHANGES), max_size=8))
def test_whatever_is_changed_an_operator_remains_and_the_audit_tells_it_all(
    ground: Ground, plan: list[tuple[str, dict[str, object]]]
) -> None:
    """Replaying the audit over what a member was gives what he is."""
    for name in ("ann", "bob"):
        if ground.ask(members.listing, q=name).items:
            ground.change(members.change, name, enabled=True, roles=("operator",), email="", may_leech=True)
        else:
            ground.member(name, "operator")
    start = {name: said(ground.ask(members.get, name)) for name in ("ann", "bob")}
    marker = ground.audited()[0].id
    for name, changes in plan:
        try:
            ground.change(members.change, name, **changes)  # type: ignore[arg-type]
        except ConflictError:
            assert ground.ask(members.operators) == [ground.ask(members.get, name).id]
        assert ground.ask(members.operators)
    for entry in reversed([one for one in ground.audited() if one.id > marker]):
        held = start[entry.target_name]
        assert entry.before is not None
        assert entry.after is not None
        assert {key: held[key] for key in entry.before} == entry.before
        assert entry.before != entry.after
        held |= entry.after
    assert start == {name: said(ground.ask(members.get, name)) for name in ("ann", "bob")}


def said(one: Member) -> dict[str, object]:
    return {
        "enabled": one.enabled,
        "may_leech": one.may_leech,
        "roles": list(one.roles),
        "email": one.email,
    }


def names(page: Page[Member]) -> list[str]:
    return [one.name for one in page.items]
