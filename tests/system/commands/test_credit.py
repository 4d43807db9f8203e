"""What is credited, as an operator types it, and what members are shown of it."""

from pathlib import Path

import pytest

from holdfast.errors import Exit
from tests.system.running import Running


def test_a_member_s_multipliers_are_changed_for_a_reason(house: Running, member: str) -> None:
    told = house.cli("member", "multipliers", member, "--up", "1.5", "--down", "0", "--reason", "a founder")
    assert told.code == 0, told.err
    assert "uploads times 1.5, downloads times 0" in told.err
    shown = house.cli("member", "show", member, "--json").json
    assert (shown["multi_up"], shown["multi_down"]) == (1.5, 0.0)
    assert "uploads times 1.5, downloads times 0" in house.cli("member", "show", member).out
    (entry, *_) = house.cli("audit", "--target", f"member:{shown['id']}", "--json").json
    assert entry["before"] == {"multi_up": 1.0, "multi_down": 1.0}
    assert entry["after"] == {"multi_up": 1.5, "multi_down": 0.0, "reason": "a founder"}


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--reason", "why"), "A reason goes with multipliers"),
        (("--up", "9", "--reason", "why"), "from 0 to 8 with at most three decimals"),
        (("--up", "-1", "--reason", "why"), "from 0 to 8"),
        (("--down", "0.0001", "--reason", "why"), "at most three decimals"),
        (("--down", "0.5", "--reason", " "), "The reason must be one line"),
    ],
)
def test_a_member_is_credited_nothing_that_cannot_be(
    house: Running, member: str, options: tuple[str, ...], sentence: str
) -> None:
    told = house.cli("member", "multipliers", member, *options)
    assert told.code == Exit.USAGE
    assert sentence in told.sentence
    assert house.cli("member", "show", member, "--json").json["multi_up"] == 1.0


@pytest.mark.parametrize("share", ["nan", "inf", "much"])
def test_a_share_is_a_number(house: Running, member: str, share: str) -> None:
    told = house.cli("member", "multipliers", member, "--up", share, "--reason", "why")
    assert told.code == Exit.USAGE
    assert "Invalid value for '--up'" in told.err


def test_an_upload_is_made_free_and_whole_again(house: Running, member: str, folder: Path) -> None:
    upload = house.cli("upload", "add", folder, "--by", member, "--json").json
    number, key = str(upload["id"]), f"t:t:{upload['info_hash_v1']}"
    free = house.cli("upload", "change", number, "--multi-down", "0", "--reason", "large", "--json").json
    assert (free["multi_up"], free["multi_down"], free["name"]) == (1.0, 0.0, folder.name)
    assert house.ask("HGET", key, "multi_dn") == b"0"
    assert "uploads times 1, downloads times 0" in house.cli("upload", "show", number).out
    whole = house.cli("upload", "change", number, "--multi-down", "1", "--reason", "no more", "--json").json
    assert whole["multi_down"] == 1.0
    assert house.ask("HGET", key, "multi_dn") is None
    refused = house.cli("upload", "change", number, "--multi-down", "0.5")
    assert refused.code == Exit.USAGE
    assert "with a reason" in refused.sentence


def test_a_freeleech_is_planned_listed_and_ended(house: Running) -> None:
    told = house.cli("freeleech", "add", "--for", "36 h", "--reason", "A birthday")
    assert told.code == 0, told.err
    planned = house.cli(
        "freeleech", "add", "--from", "2100-12-24T18:00", "--for", "2 days", "--multi-down", "0.5",
        "--reason", "Christmas",
    )  # fmt: skip
    assert "from 2100-12-24 18:00 until 2100-12-26 18:00" in planned.err
    later, now = house.cli("freeleech", "list", "--json").json[:2]
    assert (later["reason"], later["multi_down"]) == ("Christmas", 0.5)
    assert later["ends"] - later["starts"] == 2 * 86_400
    assert (now["reason"], now["multi_up"], now["multi_down"]) == ("A birthday", 1.0, 0.0)
    assert abs(now["ends"] - now["starts"] - 36 * 3600) <= 1
    listed = house.cli("freeleech", "list").out
    assert "planned" in listed
    assert "in force" in listed
    assert house.ask("HGET", "t:x:windows", str(now["id"])).endswith(b" 1 0")
    for one in (later, now):
        assert house.cli("freeleech", "end", str(one["id"])).code == 0
        assert house.ask("HGET", "t:x:windows", str(one["id"])) is None
        again = house.cli("freeleech", "end", str(one["id"]))
        assert again.code == Exit.CONFLICT
        assert "is over already" in again.sentence
    assert "in force" not in house.cli("freeleech", "list").out


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--for", "long"), "no length of time"),
        (("--for", "1 h", "--from", "soon"), "no time; write it as"),
        (("--for", "1 h", "--from", "2001-01-01"), "in the future"),
        (("--for", "40000 days"), "within a hundred years"),
    ],
)
def test_times_that_are_none_are_refused(house: Running, options: tuple[str, ...], sentence: str) -> None:
    told = house.cli("freeleech", "add", *options, "--reason", "why")
    assert told.code == Exit.USAGE
    assert sentence in told.sentence
