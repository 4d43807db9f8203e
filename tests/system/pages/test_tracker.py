"""The tracker's page: how much is going on, and what staff and operators do about it."""

import re
from collections.abc import Callable

from playwright.sync_api import BrowserContext, Page, expect

from tests.system.pages.house import NAME, House
from tests.system.pages.test_swarm import SOON, enter


def test_the_busiest_swarms_are_shown_as_they_are_now(house: House, page: Page) -> None:
    page.goto(f"{house.url}/tracker")
    expect(page.get_by_text("1 worker answers announces.")).to_be_visible()
    made = house.upload("busy water")
    house.announce(made, house.passkey(NAME), 801, left=made["size"])
    row = page.get_by_role("table", name="Busiest swarms").get_by_role("row").filter(has_text="busy water")
    expect(row).to_be_visible(timeout=SOON)
    page.get_by_label("Busy by").select_option("Most seeders")
    expect(page).to_have_url(re.compile("by=seeders"))
    expect(row).to_have_count(0)
    house.announce(made, house.passkey(NAME), 801, event="completed")
    expect(row).to_be_visible(timeout=SOON)
    expect(page.get_by_role("listitem").filter(has_text="of a processor")).to_contain_text("tracker")


def test_an_operator_looks_for_silent_peers_and_rebuilds_the_indexes(house: House, page: Page) -> None:
    page.goto(f"{house.url}/tracker")
    page.get_by_role("button", name="Look for silent peers").click()
    expect(page.get_by_text("Nobody had fallen silent unnoticed.")).to_be_visible()
    page.get_by_role("button", name="Rebuild the indexes").click()
    expect(page.get_by_text("The indexes were right.")).to_be_visible()
    done = {one["action"] for one in house.ask("GET", "/audit", params={"limit": 20})["items"]}
    assert {"tracker.reap", "tracker.rebuild"} <= done


def test_a_freeleech_is_begun_and_ended(house: House, page: Page) -> None:
    page.goto(f"{house.url}/tracker")
    page.get_by_role("button", name="Begin one").click()
    dialog = page.get_by_role("dialog", name="Begin a freeleech")
    dialog.get_by_label("Reason").fill("Spring tide")
    dialog.get_by_label("Downloads count").fill("9")
    dialog.get_by_role("button", name="Begin it").click()  # the browser refuses what is too much
    expect(dialog).to_be_visible()
    dialog.get_by_label("Downloads count").fill("0.5")
    dialog.get_by_role("button", name="Begin it").click()
    item = page.get_by_role("region", name="Freeleech").get_by_role("listitem").filter(has_text="Spring tide")
    expect(item).to_contain_text("in force")
    expect(item).to_contain_text("downloads half")
    page.goto(house.url)
    expect(page.get_by_text("Spring tide: uploads count as they are, downloads half")).to_be_visible()
    page.go_back()
    item.get_by_role("button", name="End").click()
    page.get_by_role("button", name="End it now").click()
    expect(item).to_contain_text("over")


def test_a_client_is_allowed_and_taken_off_the_list(house: House, page: Page) -> None:
    page.goto(f"{house.url}/tracker")
    page.get_by_role("button", name="Allow a client").click()
    dialog = page.get_by_role("dialog", name="Allow a client")
    dialog.get_by_label("Peer ids begin with").fill("-TR4")
    dialog.get_by_label("Name").fill("Transmission 4")
    dialog.get_by_role("button", name="Allow it").click()
    expect(page.get_by_role("listitem").filter(has_text="Transmission 4")).to_contain_text("-TR4")
    assert house.ask("GET", "/whitelist")["items"] == [{"prefix": "-TR4", "name": "Transmission 4"}]
    page.get_by_role("button", name="Take Transmission 4 off the list").click()
    page.get_by_role("button", name="Take it off").click()
    expect(page.get_by_text("The list is empty")).to_be_visible()


def test_a_moderator_settles_a_report(house: House, visitor: Callable[..., BrowserContext]) -> None:
    house.member("harbourmaster", "moderator")
    braggart = house.member("braggart")["id"]
    made = house.upload("too much water")
    seen = ("uid", braggart, "tid", made["id"], "pid", "2d", "up", 9 * 2**40, "down", 0, "seconds", 1024)
    house.live("XADD", "t:x:suspicions", "*", "kind", "speed", *seen, "at", 1_800_000_000)
    page = enter(house, visitor(), "harbourmaster")
    page.goto(f"{house.url}/tracker")
    row = page.get_by_role("table", name="Reports").get_by_role("row").filter(has_text="braggart")
    expect(row).to_contain_text("claimed 9 GiB a second", timeout=2 * SOON)
    row.get_by_role("button", name="Settle the report about braggart").click()
    dialog = page.get_by_role("dialog", name="Settle this report")
    dialog.get_by_label("It was").select_option("mistake")
    dialog.get_by_label("Note").fill("His clock jumped.")
    dialog.get_by_role("button", name="Settle it").click()
    expect(page.get_by_text("Nothing looks wrong.")).to_be_visible()
    page.get_by_role("combobox", name="Reports").select_option("Settled")
    expect(row).to_contain_text("His clock jumped.")
    expect(page.get_by_role("button", name="Look for silent peers")).to_have_count(0)
