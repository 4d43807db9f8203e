"""`holdfast import csv` as an operator types it when his community moves in."""

from itertools import count
from pathlib import Path

import pytest

from holdfast.errors import Exit
from tests.system.running import Answer, Running, command

numbers = count(1)


class Sheet:
    """A file of members whom no other test knows."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "members.csv"
        self.mark = f"imp{next(numbers)}"

    def write(self, *rows: str, header: str = "name,passkey,id,uploaded,downloaded") -> Path:
        self.path.write_text("\n".join([header, *rows, ""]))
        return self.path

    def row(self, number: int, rest: str = ",,") -> str:
        return f"{self.mark}-{number},{self.passkey(number)}{rest}"

    def passkey(self, number: int) -> str:
        return f"{self.mark}key{number}"


@pytest.fixture
def sheet(tmp_path: Path) -> Sheet:
    return Sheet(tmp_path)


def came(house: Running, sheet: Sheet) -> list[str]:
    found = house.cli("member", "list", "--search", sheet.mark, "--limit", "0", "--json").json
    return [one["name"] for one in found]


def csv(house: Running, sheet: Sheet, *options: str) -> Answer:
    return house.cli("import", "csv", str(sheet.path), *options)


def test_members_come_with_passkeys_that_announce_at_once_and_with_their_totals(
    house: Running, sheet: Sheet
) -> None:
    sheet.write(sheet.row(1, ",,1073741824,5"), sheet.row(2, ",,,"))
    told = csv(house, sheet)
    assert (told.code, told.out) == (0, "")
    assert "2 members added, 0 here already." in told.err
    assert b"not in the catalogue" in house.announce(sheet.passkey(1), "0" * 40), "the passkey is known"
    shown = house.cli("member", "show", f"{sheet.mark}-1", "--json").json
    assert (shown["uploaded"], shown["downloaded"]) == (1 << 30, 5)
    (entry,) = house.cli("audit", "--limit", "1", "--json").json
    assert (entry["action"], entry["after"]["added"]) == ("member.import", 2)


def test_a_second_run_changes_nothing(house: Running, sheet: Sheet) -> None:
    sheet.write(*[sheet.row(number, ",,1,1") for number in range(1200)])
    assert csv(house, sheet, "--json").json == {"added": 1200, "known": 0, "refused": 0, "held_back": 0}
    assert len(came(house, sheet)) == 1200
    before = house.cli("audit", "--limit", "5", "--json").json
    assert csv(house, sheet, "--json").json == {"added": 0, "known": 1200, "refused": 0, "held_back": 0}
    assert house.cli("audit", "--limit", "5", "--json").json == before


def test_an_import_that_was_cut_off_goes_on_where_it_was(house: Running, sheet: Sheet) -> None:
    rows = [sheet.row(number, ",,,") for number in range(700)]
    sheet.write(*rows[:500])
    assert csv(house, sheet).code == 0
    sheet.write(*rows)
    assert csv(house, sheet, "--json").json == {"added": 200, "known": 500, "refused": 0, "held_back": 0}


def test_a_dry_run_adds_nobody_and_tells_what_is_wrong(house: Running, sheet: Sheet) -> None:
    sheet.write(sheet.row(1, ",,,"), "two words,abc,,,")
    told = csv(house, sheet, "--dry-run")
    assert told.code == Exit.FAILED
    assert "line 3: “two words” cannot be a member's name" in told.err
    sheet.write(sheet.row(1, ",,,"))
    assert "1 members would be added" in csv(house, sheet, "--dry-run").err
    assert came(house, sheet) == []


def test_a_wrong_line_holds_back_its_batch_alone_and_all_wrong_lines_are_told_at_once(
    house: Running, sheet: Sheet
) -> None:
    rows = [sheet.row(number, ",,,") for number in range(1000)]
    rows[7] = sheet.row(7, ",,much,")
    rows[9] = f"{sheet.mark} nine,{sheet.passkey(9)},,,"
    sheet.write(*rows)
    told = csv(house, sheet)
    assert told.code == Exit.FAILED
    assert "line 9: The column uploaded must be a whole number." in told.err
    assert "line 11: “" in told.err
    assert "2 lines were not taken, and 498 beside them" in told.sentence
    assert sheet.passkey(9) not in told.err, "passkeys are not printed"
    assert len(came(house, sheet)) == 500
    rows[7], rows[9] = sheet.row(7, ",,5,"), sheet.row(9, ",,,")
    sheet.write(*rows)
    assert csv(house, sheet, "--json").json == {"added": 500, "known": 500, "refused": 0, "held_back": 0}


def test_whatever_a_cell_holds_is_told_by_its_line(house: Running, sheet: Sheet) -> None:
    columns = "name,passkey,id,uploaded,joined,roles"
    wrong = ["9" * 18 + ",,,", ",9999999999999999,,", ",,1969-01-01,", ",,9999-12-31,", ",,,king operator"]
    rows = [f"{sheet.mark}-{at},{sheet.passkey(at)},{rest}" for at, rest in enumerate(wrong)]
    sheet.write(*rows, f"{sheet.mark}-good,{sheet.passkey(99)},,,,", header=columns)
    told = csv(house, sheet)
    assert told.code == Exit.FAILED
    for line in range(2, 7):
        assert f"line {line}: " in told.err
    assert "5 lines were not taken, and 1 beside them" in told.sentence


def test_names_and_passkeys_that_collide_are_told_by_line(house: Running, sheet: Sheet) -> None:
    sheet.write(
        sheet.row(1, ",,,"),
        sheet.row(1, ",,,"),
        f"{sheet.mark.upper()}-1,another,,,",
        f"{sheet.mark}-other,{sheet.passkey(1)},,,",
    )
    told = csv(house, sheet)
    assert f"line 4: There is a member named {sheet.mark.upper()}-1 already" in told.err
    assert f"line 5: This passkey is that of {sheet.mark}-1 already" in told.err
    assert "line 3" not in told.err, "the same line twice is one member"
    assert came(house, sheet) == []


def test_names_are_mended_and_numbers_kept_or_mapped(house: Running, sheet: Sheet, tmp_path: Path) -> None:
    sheet.write(
        f"{sheet.mark} one,{sheet.passkey(1)},90000{sheet.mark[3:]},,",
        f"{sheet.mark}_one,{sheet.passkey(2)},1,,",
        f"{sheet.mark}-three,{sheet.passkey(3)},,,",
    )
    house.cli("member", "add", f"{sheet.mark}-somebody")
    mapping = tmp_path / "numbers.csv"
    for _ in range(2):
        assert csv(house, sheet, "--keep-ids", "--mend-names", "--mapping", str(mapping)).code == 0
        head, first, second = mapping.read_text().splitlines()
        assert head == "old_id,id,name"
        assert first == f"90000{sheet.mark[3:]},90000{sheet.mark[3:]},{sheet.mark}_one"
        assert second.startswith("1,")
        assert second.endswith(f",{sheet.mark}_one-2")
    mine = house.cli("member", "show", f"{sheet.mark}_one", "--json").json
    assert mine["id"] == int(f"90000{sheet.mark[3:]}")


def test_what_cannot_be_read_or_written_is_said_in_one_sentence(house: Running, sheet: Sheet) -> None:
    sheet.write("ann,1", header="name,secret")
    assert "The first line must name the columns" in csv(house, sheet).sentence
    sheet.write()
    assert "0 members added" in csv(house, sheet).err
    assert "cannot be written" in csv(house, sheet, "--mapping", "/nowhere/at/all.csv").sentence
    assert house.cli("import", "csv", "/nowhere.csv").code == Exit.USAGE


def test_only_operators_may_import(house: Running, sheet: Sheet, tmp_path: Path) -> None:
    sheet.write(sheet.row(1, ",,,"))
    env = {"HOLDFAST_URL": house.run.web, "HOLDFAST_TOKEN": "hf_nobody"}
    assert command("import", "csv", str(sheet.path), cwd=tmp_path, env=env).code == Exit.REFUSED
