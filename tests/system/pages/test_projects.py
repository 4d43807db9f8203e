"""The pages of spread: what everybody may see of a project, and what staff does to keep it going."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.system.pages.conftest import Complaints
from tests.system.pages.house import House
from tests.system.pages.test_swarm import SOON, enter


@pytest.fixture(scope="module", name="reef")
def reef_fixture(house: House) -> House:
    """A project of which ann did two items and bobby one, who holds another."""
    house.project("reef", "The Reef", *[f"coral-{number}" for number in range(8)])
    house.ask("PATCH", "/projects/reef", json={"message": "Two at once, please.", "attempts": 1})
    taken = house.volunteer("reef", "ann-of-the-reef", "multi=2/request").json()["items"]
    house.done("reef", "ann-of-the-reef", *taken, bytes={"web": 3 * 2**20})
    taken = house.volunteer("reef", "bobby", "multi=2/request").json()["items"]
    house.done("reef", "bobby", taken[0], bytes={"web": 2**20})
    house.until_counted("ann-of-the-reef", 2)
    house.until_counted("bobby", 1)
    return house


def tab(page: Page, name: str) -> None:
    page.get_by_role("tab", name=name, exact=True).click()


def test_a_stranger_reads_a_board_and_finds_himself(
    reef: House, visitor: Callable[..., BrowserContext]
) -> None:
    page = visitor().new_page()
    page.goto(f"{reef.url}/projects/reef")
    expect(page.get_by_role("heading", name="The Reef", level=1)).to_be_visible()
    expect(page.get_by_text("Two at once, please.")).to_be_visible()
    bar = page.get_by_role("region", name="Progress").get_by_role("img")
    expect(bar).to_have_attribute("aria-label", re.compile("38 % done: 3 done, 1 out with volunteers"))
    rows = page.get_by_role("table", name="Volunteers").get_by_role("row")
    expect(rows).to_contain_text(["Place", "ann-of-the-reef", "bobby"])
    page.get_by_label("Your name as a volunteer").fill("bobby")
    page.get_by_role("button", name="Show me").click()
    expect(page.get_by_role("note", name="You")).to_contain_text("place 2")
    page.reload()
    expect(page.get_by_role("note", name="You")).to_contain_text("bobby")
    page.get_by_label("Search volunteers").fill("ANN")
    expect(rows).to_have_count(2)
    expect(rows.nth(1)).to_contain_text("ann-of-the-reef")
    expect(page.get_by_role("tab")).to_have_count(0)
    page.get_by_role("link", name="ann-of-the-reef").click()
    expect(page.get_by_role("heading", name="ann-of-the-reef", level=1)).to_be_visible()
    expect(page.get_by_role("region", name="All together")).to_contain_text("6 MiB")
    page.get_by_role("link", name="Its board").click()
    expect(page.get_by_role("heading", name="The Reef", level=1)).to_be_visible()
    page.get_by_role("link", name="Sign in").click()
    expect(page).to_have_url(re.compile(r"/sign-in\?to=%2Fprojects%2Freef"))


def test_a_board_moves_while_it_is_watched(reef: House, page: Page) -> None:
    page.goto(f"{reef.url}/projects/reef")
    legend = page.get_by_role("region", name="Progress")
    expect(legend).to_be_visible()
    before = reef.ask("GET", "/projects/reef")["counts"]["done"]
    item = reef.volunteer("reef", "ann-of-the-reef", "request").json()["item_name"]
    reef.done("reef", "ann-of-the-reef", item)
    bar = legend.get_by_role("img")
    expect(bar).to_have_attribute("aria-label", re.compile(f"{before + 1} done"), timeout=2 * SOON)


def test_reports_run_by_can_be_held_and_searched(reef: House, page: Page) -> None:
    page.goto(f"{reef.url}/projects/reef")
    live = page.get_by_role("region", name="Live")
    expect(live.get_by_text("Reports appear here the moment they come in.")).to_be_visible()
    reef.ask("POST", "/projects/reef/items", json={"items": ["wreck-1", "wreck-2", "wreck-3"]})
    items = reef.volunteer("reef", "diver", "multi=9/request").json()["items"]
    reef.done("reef", "diver", "wreck-1", bytes={"web": 0})
    lines = live.get_by_role("list", name="Reports").get_by_role("listitem")
    expect(lines).to_have_count(1)
    expect(lines.first).to_contain_text("wreck-1")
    expect(lines.first).to_contain_text("nothing")
    live.get_by_role("button", name="Hold still").click()
    reef.done("reef", "diver", "wreck-2", "wreck-3", bytes={"web": 2**20})
    expect(live.get_by_role("button", name="Go on, 2 more lines")).to_be_visible()
    expect(lines).to_have_count(1)
    live.get_by_role("button", name="Go on").click()
    expect(lines).to_have_count(3)
    expect(lines.first).to_contain_text("1 MiB")
    live.get_by_label("Search the log").fill("WRECK-3")
    expect(lines).to_have_count(1)
    live.get_by_label("Search the log").fill("")
    live.get_by_label("Only what brought nothing home").check()
    expect(lines).to_have_count(1)
    reef.volunteer("reef", "diver", "release", items=items)


def test_a_chart_is_looked_into_by_buttons(reef: House, page: Page) -> None:
    page.goto(f"{reef.url}/projects/reef")
    growth = page.get_by_role("region", name="How it grew")
    expect(growth.get_by_role("img", name="Items done")).to_be_visible()
    growth.get_by_label("What the line shows").select_option("Bytes")
    expect(growth.get_by_role("img", name="Bytes: ")).to_be_visible()
    words = "".join(
        f"20261101{hour:02}{minute:02}={hour * 60 + minute:x} " for hour in range(24) for minute in range(60)
    )
    reef.live("SET", "reef:chart:total_items", words)
    page.goto(f"{reef.url}/projects/reef")
    expect(growth.get_by_role("button", name="All of it")).to_be_disabled()
    growth.get_by_role("button", name="Look closer").click()
    growth.get_by_role("button", name="Earlier").click()
    expect(growth.get_by_role("button", name="Earlier")).to_be_disabled()
    growth.get_by_role("button", name="All of it").click()
    expect(growth.get_by_role("button", name="All of it")).to_be_disabled()


def test_a_chart_is_looked_into_by_drawing_over_it(reef: House, page: Page) -> None:
    page.goto(f"{reef.url}/projects/reef")
    growth = page.get_by_role("region", name="How it grew")
    place = growth.get_by_role("img", name="Items done").bounding_box()
    assert place is not None
    middle = place["y"] + place["height"] / 2
    page.mouse.move(place["x"] + 0.4 * place["width"], middle)
    page.mouse.down()
    with page.expect_response(re.compile("charts.*since=.*until=")) as answer:
        page.mouse.move(place["x"] + 0.6 * place["width"], middle, steps=3)
        page.mouse.up()
    assert answer.value.ok
    expect(growth.get_by_role("button", name="Earlier")).to_be_enabled()
    expect(growth.get_by_role("button", name="Later")).to_be_enabled()
    page.mouse.dblclick(place["x"] + 0.5 * place["width"], middle)
    expect(growth.get_by_role("button", name="All of it")).to_be_disabled()


def test_a_project_is_begun_filled_and_started(house: House, page: Page) -> None:
    page.goto(f"{house.url}/projects")
    page.get_by_role("button", name="New project").click()
    dialog = page.get_by_role("dialog", name="New project")
    dialog.get_by_label("Title").fill("Café des Îles")
    expect(dialog.get_by_label("Slug")).to_have_value("cafe-des-iles")
    dialog.get_by_role("button", name="Begin it as a draft").click()
    expect(page.get_by_text("A project begins with its items.")).to_be_visible()
    page.get_by_role("button", name="Fill a queue").click()
    page.get_by_label("Names").fill("one\ntwo\ntwo\nthis/is/none\n")
    page.get_by_role("button", name="Look at 3 names").click()
    seen = page.get_by_role("status", name="What would happen")
    expect(seen).to_contain_text("2 items new, none known already, 1 refused")
    expect(seen.get_by_role("listitem")).to_have_text("this/is/none")
    assert house.ask("GET", "/projects/cafe-des-iles")["counts"]["added"] == 0
    page.get_by_role("button", name="Add 2 items").click()
    expect(page.get_by_text("2 items added to todo.")).to_be_visible()
    page.get_by_role("button", name="Start it").click()
    expect(page.get_by_role("button", name="Pause it")).to_be_visible()
    assert house.ask("GET", "/projects/cafe-des-iles")["state"] == "active"
    tab(page, "Board")
    expect(page.get_by_text("Nobody has finished an item yet.")).to_be_visible()


def test_a_project_is_set_up(reef: House, page: Page, complaints: Complaints) -> None:
    page.goto(f"{reef.url}/projects/reef?part=setup")
    expect(page.get_by_role("button", name="Save")).to_be_disabled()
    page.get_by_label("Domains").fill("web = Web pages\nmedia")
    page.get_by_label("Hours somebody may hold one").fill("36")
    page.get_by_label("Refused versions").fill("20250101.01 20250101.02")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Saved.")).to_be_visible()
    found = reef.ask("GET", "/projects/reef")
    assert found["domains"] == {"web": "Web pages", "media": "media"}
    assert found["lease"] == 36 * 3600
    assert found["refused_versions"] == ["20250101.01", "20250101.02"]
    (entry, *_) = reef.ask("GET", "/audit", params={"action": "project.change", "limit": 1})["items"]
    changed = {name for name, value in entry["after"].items() if entry["before"][name] != value}
    assert changed == {"domains", "lease", "refused_versions"}
    page.get_by_label("Names look like").fill("(")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("alert")).to_contain_text("no regular expression")
    complaints.expect("400")


def test_claims_are_taken_back_after_a_look(reef: House, page: Page) -> None:
    reef.volunteer("reef", "slowpoke", "multi=2/request")
    page.goto(f"{reef.url}/projects/reef?part=claims")
    rows = page.get_by_role("table", name="Claims").get_by_role("row").filter(has_text="slowpoke")
    expect(rows).to_have_count(2)
    page.get_by_label("Volunteer, the whole name").fill("slowpoke")
    expect(page.get_by_text("2 claims")).to_be_visible()
    rows.first.get_by_role("button", name="Take coral-").click()
    page.get_by_role("dialog").get_by_role("button", name="Take it back").click()
    expect(rows).to_have_count(1)
    page.get_by_role("button", name="Take several back").click()
    dialog = page.get_by_role("dialog", name="Take several back")
    expect(dialog.get_by_label("Volunteer")).to_have_value("slowpoke")
    dialog.get_by_role("button", name="Look which").click()
    expect(dialog.get_by_role("status")).to_contain_text("1 item would go to somebody else")
    expect(rows).to_have_count(1)
    dialog.get_by_role("button", name="Take 1 item back").click()
    expect(page.get_by_text("slowpoke holds nothing.")).to_be_visible()


def test_an_item_s_story_is_looked_up(reef: House, page: Page) -> None:
    reef.ask("POST", "/projects/reef/items", json={"items": ["storied"], "queue": "todo:d:teller"})
    for command in ("request", "release", "request"):
        reef.volunteer("reef", "teller", command, items=["storied"])
    reef.done("reef", "teller", "storied", bytes={"web": 2**20})
    reef.until_counted("teller", 1)
    page.goto(f"{reef.url}/projects/reef?part=claims")
    page.get_by_label("Item", exact=True).fill("storied")
    story = page.get_by_role("list", name="The story of storied").get_by_role("listitem")
    page.get_by_role("button", name="Look it up").click()
    expect(story).to_contain_text(["released by", "done"])
    expect(story.last).to_contain_text("1 MiB web")


def test_somebody_is_blocked_and_the_block_is_lifted(reef: House, page: Page) -> None:
    page.goto(f"{reef.url}/projects/reef?part=blocks")
    page.get_by_role("button", name="Block somebody").click()
    dialog = page.get_by_role("dialog", name="Block somebody")
    dialog.get_by_label("Whom").fill("lobster")
    dialog.get_by_label("Reason").fill("sends empty files")
    dialog.get_by_label("Hours").fill("2")
    dialog.get_by_role("button", name="Block them").click()
    line = page.get_by_role("listitem").filter(has_text="sends empty files")
    expect(line).to_contain_text("lobster")
    (block,) = reef.ask("GET", "/blocks", params={"project": "reef"})["items"]
    assert (block["whom"], block["project"]) == ("lobster", "reef")
    line.get_by_role("button", name="Lift the block of lobster").click()
    page.get_by_role("button", name="Lift it").click()
    expect(page.get_by_text("Nobody is. Whoever is blocked")).to_be_visible()


def test_a_target_is_added_held_and_removed(reef: House, page: Page) -> None:
    page.goto(f"{reef.url}/projects/reef?part=targets")
    page.get_by_role("button", name="Add a target").click()
    page.get_by_role("dialog").get_by_label("Address").fill("rsync://lagoon.example/reef/:downloader/")
    page.get_by_role("button", name="Add it").click()
    row = page.get_by_role("table", name="Upload targets").get_by_role("row").filter(has_text="lagoon")
    expect(row).to_contain_text("takes")
    row.get_by_role("button", name="Change rsync://lagoon").click()
    dialog = page.get_by_role("dialog", name="Change this target")
    dialog.get_by_label("Hold it for so many minutes").fill("30")
    dialog.get_by_label("Why").fill("its disk is full")
    dialog.get_by_role("button", name="Save").click()
    expect(row).to_contain_text("held")
    expect(row).to_contain_text("its disk is full")
    row.get_by_role("button", name="Remove rsync://lagoon").click()
    page.get_by_role("button", name="Remove it").click()
    expect(page.get_by_text("None: the script itself knows")).to_be_visible()


def test_an_operator_says_what_warriors_read(reef: House, page: Page) -> None:
    page.goto(f"{reef.url}/projects")
    warriors = page.get_by_role("region", name="Warriors")
    warriors.get_by_role("button", name="Change").click()
    dialog = page.get_by_role("dialog", name="What warriors are told")
    dialog.get_by_label("Our choice").fill("reef")
    dialog.get_by_label("They read").fill("Low water at noon.")
    dialog.get_by_role("button", name="Save").click()
    expect(warriors).to_contain_text("Low water at noon.")
    expect(warriors.get_by_role("link", name="reef")).to_be_visible()
    assert reef.ask("GET", "/headquarters")["auto_project"] == "reef"


def test_a_key_for_discovered_items_is_shown_once(reef: House, page: Page) -> None:
    page.goto(f"{reef.url}/projects/reef?part=setup")
    page.get_by_label("Deadline").fill("2027-03-01")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Saved.")).to_be_visible()
    assert reef.ask("GET", "/projects/reef")["deadline"] == 1803859200
    page.get_by_role("button", name="New key").click()
    page.get_by_role("button", name="Make it").click()
    shown = page.get_by_role("dialog", name="The address for discovered items")
    expect(shown.get_by_role("status", name="Address")).to_contain_text("/backfeed/legacy/")
    page.get_by_role("button", name="I have it").click()
    expect(shown).to_have_count(0)


def test_a_failed_item_gets_another_chance(reef: House, page: Page) -> None:
    item = reef.volunteer("reef", "unlucky", "request").json()["item_name"]
    reef.volunteer("reef", "unlucky", "fail", items=[item], reason="the site says no")
    page.goto(f"{reef.url}/projects/reef?part=failed")
    row = page.get_by_role("table", name="Failed items").get_by_role("row").filter(has_text=item)
    expect(row).to_contain_text("the site says no")
    row.get_by_role("button", name=f"Try {item} again").click()
    expect(page.get_by_text("1 item back in the queue.")).to_be_visible()
    expect(row).to_have_count(0)


def test_a_limit_is_set_and_told_to_everybody(reef: House, page: Page) -> None:
    page.goto(f"{reef.url}/projects/reef?part=limits")
    page.get_by_label("Items a minute").fill("0")
    page.get_by_role("button", name="Set them").click()
    expect(page.get_by_text("Nothing is given out: the limit is 0.")).to_be_visible()
    tab(page, "Board")
    expect(page.get_by_text("none: it is held back")).to_be_visible()
    tab(page, "Limits")
    page.get_by_label("Items a minute").fill("")
    page.get_by_role("button", name="Set them").click()
    expect(page.get_by_text("Nothing is given out: the limit is 0.")).to_have_count(0)
    assert reef.ask("GET", "/projects/reef/limits")["per_minute"] is None


def test_a_version_is_refused(reef: House, page: Page) -> None:
    page.goto(f"{reef.url}/projects/reef?part=versions")
    row = (
        page.get_by_role("table", name="Versions in the field")
        .get_by_role("row")
        .filter(has_text="20261101.01")
    )
    row.get_by_role("button", name="Refuse version 20261101.01").click()
    expect(row).to_contain_text("refused")
    assert "20261101.01" in reef.ask("GET", "/projects/reef")["refused_versions"]
    row.get_by_role("button", name="Allow version 20261101.01").click()
    expect(row).not_to_contain_text("refused")


def test_a_moderator_keeps_a_project_going_and_leaves_its_set_up(
    reef: House, visitor: Callable[..., BrowserContext]
) -> None:
    reef.member("deckhand", "moderator")
    page = enter(reef, visitor(), "deckhand")
    page.goto(f"{reef.url}/projects")
    expect(page.get_by_role("button", name="New project")).to_have_count(0)
    page.get_by_role("link", name="The Reef").click()
    expect(page.get_by_role("button", name="Pause it")).to_have_count(0)
    tab(page, "Set-up")
    expect(page.get_by_text("Operators set projects up.")).to_be_visible()
    page.goto(reef.url)
    page.get_by_role("link", name="spread", exact=True).click()
    expect(page.get_by_role("heading", name="Projects", level=1)).to_be_visible()
