"""What the catalogue decides: who may do what, which names are good, who is told."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.catalogue import rules
from holdfast.catalogue.model import Actor, Door, MemberRef, NoticeRole, Preferences, Role, Scope, Sinks
from holdfast.errors import InvalidError, RefusedError

ANN = MemberRef(1, "ann")
BOB = MemberRef(2, "bob")
ONLY_OPERATORS = {
    "member.private",
    "member.add",
    "member.change",
    "member.import",
    "upload.import",
    "participation.import",
    "member.link",
    "passkey.read",
    "passkey.rotate",
    "points.give",
    "upload.add_for",
    "category.change",
    "upload.credit",
    "freeleech.change",
    "whitelist.change",
    "notice.list_of",
    "settings.read",
    "metrics.read",
    "tracker.reap",
    "tracker.rebuild",
    "project.change",
    "target.change",
}
ALSO_MODERATORS = {
    "points.read",
    "upload.change",
    "upload.remove",
    "whitelist.list",
    "freeleech.plan",
    "audit.read",
    "system.read",
    "swarm.private",
    "tracker.read",
    "participation.read",
    "participation.exempt",
    "report.list",
    "report.settle",
    "project.fill",
    "project.limit",
    "claim.read",
    "claim.release",
    "target.list",
    "block.list",
    "block.change",
}


def actor(*roles: Role, scopes: frozenset[Scope] = frozenset(Scope), who: MemberRef = ANN) -> Actor:
    return Actor(who.id, who.name, Door.API, roles=frozenset(roles), scopes=scopes)


MEMBER = actor(Role.MEMBER)
MODERATOR = actor(Role.MEMBER, Role.MODERATOR)
OPERATOR = actor(Role.MEMBER, Role.OPERATOR)


@pytest.mark.parametrize("action", rules.MAY)
def test_each_role_may_do_what_the_table_says(action: str) -> None:
    assert rules.may(OPERATOR, action)
    assert rules.may(MODERATOR, action) == (action not in ONLY_OPERATORS)
    assert rules.may(MEMBER, action) == (action not in ONLY_OPERATORS | ALSO_MODERATORS)


@pytest.mark.parametrize("action", rules.MAY)
def test_without_any_role_nothing_may_be_done(action: str) -> None:
    nobody = actor()
    assert not rules.may(nobody, action)
    with pytest.raises(RefusedError):
        rules.require(nobody, action, own=ANN)


@pytest.mark.parametrize("action", rules.MAY)
def test_a_token_without_the_scope_is_refused_and_told_which_one_it_lacks(action: str) -> None:
    _, scope = rules.MAY[action]
    lacking = actor(Role.OPERATOR, scopes=frozenset(Scope) - {scope})
    assert not rules.may(lacking, action)
    with pytest.raises(RefusedError, match=f"lacks the scope “{scope}”"):
        rules.require(lacking, action)


def test_a_refusal_names_who_and_what() -> None:
    with pytest.raises(RefusedError, match=r"ann may not do this \(member\.add\); ask an operator\."):
        rules.require(MEMBER, "member.add")


@pytest.mark.parametrize("action", ["member.change", "passkey.read", "passkey.rotate", "points.read"])
def test_a_member_may_do_to_himself_what_only_staff_may_do_to_others(action: str) -> None:
    rules.require(MEMBER, action, own=ANN)
    with pytest.raises(RefusedError):
        rules.require(MEMBER, action, own=BOB)
    with pytest.raises(RefusedError):
        rules.require(MEMBER, action)


def test_a_token_that_only_reads_changes_nothing_of_its_owners_own() -> None:
    reading = actor(Role.MEMBER, scopes=frozenset({Scope.READ}))
    for action in ("member.change", "passkey.read", "passkey.rotate"):
        with pytest.raises(RefusedError):
            rules.require(reading, action, own=ANN)
    rules.require(reading, "points.read", own=ANN)


def test_a_token_that_writes_may_change_its_owners_own_without_being_an_operators() -> None:
    writing = actor(Role.MEMBER, scopes=frozenset({Scope.WRITE}))
    rules.require(writing, "member.change", own=ANN)


def test_what_belongs_to_nobody_is_nobodys_own() -> None:
    system = Actor(None, "system", Door.SYSTEM, roles=frozenset({Role.MEMBER}))
    with pytest.raises(RefusedError):
        rules.require(system, "member.change", own=MemberRef(None, "nobody"))


@pytest.mark.parametrize(
    "name", ["a", "Ann", "ann.b", "ann-b", "ann_b", "9lives", "Zoë", "Ōsaka", "李", "анна", "x" * 64, "a--b"]
)
def test_names_of_letters_digits_dots_dashes_and_underscores_are_good(name: str) -> None:
    assert rules.member_name(name) == name


@pytest.mark.parametrize(
    "name",
    [
        "",
        " ",
        "ann ",
        " ann",
        "ann b",
        "ann\n",
        "ann\0",
        "\u202eann",
        "ann\u200b",
        ".ann",
        "-ann",
        "_ann",
        "ann.",
        "../etc/passwd",
        "a/b",
        "a\\b",
        "a:b",
        "a@b",
        "<b>",
        "a%00",
        "x" * 65,
        "123",
        "٣",
        "²",
        "①",
        "\ud800",
        "e\u0301",
        "🐋",
    ],
)
def test_names_that_mislead_are_refused(name: str) -> None:
    with pytest.raises(InvalidError, match="cannot be a member's name; use 1 to 64 letters"):
        rules.member_name(name)


def test_an_endless_name_is_not_repeated_in_full() -> None:
    with pytest.raises(InvalidError) as refused:
        rules.member_name("x" * 1_000_000)
    assert len(str(refused.value)) < 300


@pytest.mark.parametrize(
    ("one", "other"),
    [("Ann", "aNN"), ("\uff21nn", "ann"), ("straße", "STRASSE"), ("å", "\u212b"), ("x²", "X2")],
)
def test_names_that_read_the_same_have_one_key(one: str, other: str) -> None:
    assert rules.name_key(one) == rules.name_key(other)


@given(st.text())
def test_the_key_of_a_key_is_the_key(name: str) -> None:
    once = rules.name_key(name)
    assert rules.name_key(rules.name_key(once)) == rules.name_key(once)


@given(st.from_regex(rules.NAME, fullmatch=True))
def test_a_good_name_is_never_taken_for_a_number(name: str) -> None:
    try:
        good = rules.member_name(name)
    except InvalidError:
        return
    assert not good.isdecimal()
    assert not rules.name_key(good).isdecimal()


@pytest.mark.parametrize("address", ["a@b.org", "a.b+c@sub.example.org", "x" * 64 + "@example.org"])
def test_addresses_as_people_have_them_are_taken(address: str) -> None:
    assert rules.email_address(address) == address


@pytest.mark.parametrize(
    "address",
    [
        "ann",
        "ann@",
        "@b.org",
        "ann@b",
        "a b@c.org",
        "ann@b.org\nBcc: all@b.org",
        "ann@b.org\r\n",
        "a\0b@c.org",
        "a\x07b@c.org",
        "Ann <ann@b.org>",
        "a,b@c.org",
        "a@b@c.org",
        "ann@b.org.",
        "x" * 65 + "@b.org",
        "a@" + "x" * 178 + "." + "y" * 63 + ".zz" * 10,
        "a@" + "b" * 180 + "." + "c" * 63 + "d",
    ],
)
def test_what_a_mail_server_would_misread_is_no_address(address: str) -> None:
    with pytest.raises(InvalidError, match="no e-mail address"):
        rules.email_address(address)


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=300).map(lambda text: f"a{text}@b.org"))
def test_an_address_that_is_taken_fits_and_is_one_word(address: str) -> None:
    try:
        good = rules.email_address(address)
    except InvalidError:
        return
    assert len(good) <= 254
    assert good.isprintable()
    assert " " not in good


@given(st.text(max_size=300))
def test_a_line_is_one_line_or_refused(text: str) -> None:
    clean = text.strip()
    if 1 <= len(clean) <= 255 and clean.isprintable():
        assert rules.line("name", text) == clean
    else:
        with pytest.raises(InvalidError, match="The name must be one line of 1 to 255 printable characters"):
            rules.line("name", text)


@pytest.mark.parametrize("roles", [[], ["member"], ["operator", "member"], ["moderator", "operator"]])
def test_every_member_is_a_member_and_the_order_never_varies(roles: list[str]) -> None:
    found = rules.roles_of(roles)
    assert found == rules.roles_of(reversed([*roles, *roles]))
    assert found[0] is Role.MEMBER
    assert set(found) == {Role.MEMBER, *map(Role, roles)}


def test_a_role_that_does_not_exist_is_refused_with_those_that_do() -> None:
    with pytest.raises(InvalidError, match=r"king.*member, moderator, operator"):
        rules.roles_of(["king"])


@pytest.mark.parametrize("prefix", ["-TR4", "A", "-qB4650-", "x" * 20, "{}*?[]\\"])
def test_a_prefix_is_visible_ascii(prefix: str) -> None:
    assert rules.client_prefix(prefix) == prefix


@pytest.mark.parametrize("prefix", ["", " ", "-TR 4", "x" * 21, "é", "\n", "-TR4\n", "\0"])
def test_what_no_peer_id_begins_with_is_refused(prefix: str) -> None:
    with pytest.raises(InvalidError, match="cannot begin a peer id"):
        rules.client_prefix(prefix)


@pytest.mark.parametrize("points", [-1, 1_000_001])
def test_a_category_is_worth_no_less_than_nothing_and_not_too_much(points: int) -> None:
    with pytest.raises(InvalidError):
        rules.points_value(points)
    assert rules.points_value(0) == 0
    assert rules.points_value(1_000_000) == 1_000_000


@pytest.mark.parametrize("amount", [0, 1_000_000_001, -1_000_000_001])
def test_points_are_given_or_taken_but_never_none_and_not_too_many(amount: int) -> None:
    with pytest.raises(InvalidError):
        rules.points_amount(amount)
    assert rules.points_amount(-1_000_000_000) == -1_000_000_000


def test_a_member_declines_what_he_is_sent_as_uploader_or_snatcher_and_nothing_else() -> None:
    nothing = Sinks(page=False, email=False, webhook=False)
    preferences = Preferences(as_uploader=nothing, as_snatcher=Sinks(email=False))
    assert rules.wanted_sinks(preferences, NoticeRole.UPLOADER) == nothing
    assert rules.wanted_sinks(preferences, NoticeRole.SNATCHER) == Sinks(email=False)
    assert rules.wanted_sinks(preferences, NoticeRole.MEMBER) == Sinks()
    assert rules.wanted_sinks(preferences, NoticeRole.OPERATOR) == Sinks()


def test_deliveries_are_tried_again_after_a_minute_then_twice_as_long_up_to_a_day() -> None:
    waits = [rules.next_delivery(attempts, 100.0) - 100.0 for attempts in range(1, 14)]
    assert waits[:4] == [60.0, 120.0, 240.0, 480.0]
    assert waits == sorted(waits)
    assert waits[-1] == 86_400.0
    assert rules.next_delivery(1000, 0.0) == 86_400.0


@pytest.mark.parametrize(
    ("multiplier", "thousandths"), [(0, 0), (0.001, 1), (0.07, 70), (1, 1000), (8, 8000)]
)
def test_a_multiplier_is_kept_in_thousandths(multiplier: float, thousandths: int) -> None:
    assert rules.share(multiplier) == thousandths


@pytest.mark.parametrize("multiplier", [-0.001, 0.0001, 8.001, float("nan"), float("inf"), -1])
def test_a_multiplier_that_cannot_be_kept_is_refused(multiplier: float) -> None:
    with pytest.raises(InvalidError, match="from 0 to 8 with at most three decimals"):
        rules.share(multiplier)


def test_multipliers_are_changed_for_a_reason_and_a_reason_is_for_multipliers() -> None:
    assert rules.shares(0.5, None, "why") == {"multi_up": 500}
    assert rules.shares(None, None, None) == {}
    with pytest.raises(InvalidError, match="Say why"):
        rules.shares(0.5, None, None)
    with pytest.raises(InvalidError, match="A reason goes with multipliers"):
        rules.shares(None, None, "why")
