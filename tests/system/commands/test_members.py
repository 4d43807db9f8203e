"""`holdfast member`, `points`, `notices` and `whitelist` as a person types them."""

import pytest

from holdfast.errors import Exit
from tests.system.running import Running


def test_a_member_is_added_with_all_that_he_needs_to_begin(house: Running) -> None:
    told = house.cli("member", "add", "Åsa-1", "--email", "asa@example.org", "--role", "moderator")
    assert told.code == 0
    assert told.out.startswith("member    Åsa-1 (")
    assert f"{house.run.tracker}/" in told.out
    assert f"{house.run.web}/welcome#" in told.out
    shown = house.cli("member", "show", "Åsa-1", "--json").json
    assert (shown["name"], shown["roles"], shown["email"]) == (
        "Åsa-1",
        ["member", "moderator"],
        "asa@example.org",
    )


def test_adding_as_json_tells_a_script_the_passkey_and_the_link(house: Running) -> None:
    added = house.cli("member", "add", "scripted", "--json").json
    assert added["announce_url"] == f"{house.run.tracker}/{added['passkey']}/announce"
    assert added["sign_in_link"].startswith(f"{house.run.web}/welcome#")


def test_a_member_is_shown_by_name_and_by_number(house: Running, member: str) -> None:
    by_name = house.cli("member", "show", member, "--json").json
    assert house.cli("member", "show", str(by_name["id"]), "--json").json == by_name
    assert f"member        {member} ({by_name['id']})" in house.cli("member", "show", member).out


def test_members_are_listed_and_searched(house: Running, member: str) -> None:
    (found,) = house.cli("member", "list", "--search", member, "--json").json
    assert found["name"] == member
    heading, row = house.cli("member", "list", "--search", member).out.splitlines()
    assert heading.split()[:3] == ["id", "name", "roles"]
    assert row.split()[1] == member
    nobody = house.cli("member", "list", "--search", "nobody at all")
    assert (nobody.code, nobody.out) == (0, "")
    assert "holdfast member add NAME" in nobody.err


def test_a_listing_ends_where_it_is_told_to(house: Running, member: str) -> None:
    assert len(house.cli("member", "list", "--limit", "1", "--json").json) == 1
    everybody = house.cli("member", "list", "--limit", "0", "--json").json
    assert member in [one["name"] for one in everybody]


def test_a_disabled_member_is_refused_until_enabled(house: Running, member: str) -> None:
    passkey = house.cli("member", "add", f"{member}-x", "--json").json["passkey"]
    assert "disabled" in house.cli("member", "disable", f"{member}-x").err
    assert b"membership is disabled" in house.announce(passkey, "0" * 40)
    assert f"{member}-x" in house.cli("member", "list", "--disabled").out
    assert "enabled" in house.cli("member", "enable", f"{member}-x").err
    assert b"not in the catalogue" in house.announce(passkey, "0" * 40)


def test_a_rotated_passkey_is_refused_at_once(house: Running) -> None:
    old = house.cli("member", "add", "rotating", "--json").json["passkey"]
    new = house.cli("member", "rotate", "rotating", "--json").json["passkey"]
    assert old != new
    assert b"not known" in house.announce(old, "0" * 40)
    assert b"not in the catalogue" in house.announce(new, "0" * 40)
    assert f"{house.run.tracker}/" in house.cli("member", "rotate", "rotating").out


def test_roles_and_the_right_to_download_are_set(house: Running, member: str) -> None:
    roles = house.cli("member", "role", member, "member", "operator", "--json").json["roles"]
    assert roles == ["member", "operator"]
    assert "may not download" in house.cli("member", "leech", member, "--no").err
    assert house.cli("member", "show", member, "--json").json["may_leech"] is False
    assert "may download" in house.cli("member", "leech", member, "--yes").err


def test_a_sign_in_link_is_made(house: Running, member: str) -> None:
    link = house.cli("member", "link", member, "--json").json
    assert link["sign_in_link"].startswith(f"{house.run.web}/welcome#")
    assert "until" in house.cli("member", "link", member).out


@pytest.mark.parametrize(
    ("arguments", "code", "word"),
    [
        (["member", "show", "nobody"], Exit.NOT_FOUND, "holdfast member list"),
        (["member", "show", "a/b?c#d"], Exit.NOT_FOUND, "nothing"),
        (["member", "add", "not a name"], Exit.USAGE, "letters"),
        (["member", "add", "\x1b[31mred"], Exit.USAGE, "letters"),
        (["member", "add", "x", "--role", "king"], Exit.USAGE, "king"),
        (["member", "add", "x", "--email", "nowhere"], Exit.USAGE, "mail"),
        (["points", "give", "nobody", "5", "--reason", "x"], Exit.NOT_FOUND, "nobody"),
        (["points", "give", "nobody", "many", "--reason", "x"], Exit.USAGE, "integer"),
        (["notices", "--member", "nobody"], Exit.NOT_FOUND, "nobody"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_sentence(
    house: Running, arguments: list[str], code: Exit, word: str
) -> None:
    answer = house.cli(*arguments)
    assert answer.code == code, answer.err
    assert word in answer.sentence
    assert "\x1b" not in answer.err


def test_a_second_member_of_one_name_is_refused(house: Running, member: str) -> None:
    again = house.cli("member", "add", member)
    assert again.code == Exit.CONFLICT
    assert member in again.sentence


def test_points_are_given_and_taken_with_a_reason(house: Running, member: str) -> None:
    assert "has 7 points" in house.cli("points", "give", member, "7", "--reason", "a gift").err
    assert "has 5 points" in house.cli("points", "give", member, "-2", "--reason", "a fine").err
    ledger = house.cli("points", "show", member, "--json").json
    assert [(one["amount"], one["reason"], one["balance_after"]) for one in ledger] == [
        (-2, "a fine", 5),
        (7, "a gift", 7),
    ]
    assert [line.split()[2] for line in house.cli("points", "show", member).out.splitlines()[1:]] == [
        "-2",
        "+7",
    ]


def test_the_whitelist_is_kept(house: Running) -> None:
    assert house.cli("whitelist", "add", "--name", "Transmission 4", "--", "-TR4").code == 0
    assert house.cli("whitelist", "list", "--json").json == [{"prefix": "-TR4", "name": "Transmission 4"}]
    assert house.ask("HGETALL", "t:whitelist") == [b"-TR4", b"Transmission 4"]
    assert "-TR4    Transmission 4" in house.cli("whitelist", "list").out
    assert house.cli("whitelist", "remove", "--", "-TR4").code == 0
    assert house.cli("whitelist", "list", "--json").json == []
    assert house.ask("HGETALL", "t:whitelist") == []
