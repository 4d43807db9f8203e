"""What a member seeds, fetches, has and owes, on his own page, and what staff may do about it."""

import re
from collections.abc import Callable

from playwright.sync_api import BrowserContext, Locator, Page, expect

from tests.system.pages.house import House
from tests.system.pages.test_swarm import SOON, enter

TAKEN = 60 << 20
"""More than may be taken without owing anything."""


def row_of(page: Page, standing: str, upload: str) -> Locator:
    table = page.get_by_role("table", name=f"Uploads: {standing}")
    return table.get_by_role("row").filter(has_text=upload)


def test_a_member_sees_what_his_client_does_upload_by_upload(
    house: House, visitor: Callable[..., BrowserContext]
) -> None:
    house.member("holder")
    made = house.upload("held fast")
    page = enter(house, visitor(), "holder")
    page.get_by_title("Your page").click()
    expect(page.get_by_text("You seed nothing right now.")).to_be_visible()
    panel = page.get_by_role("region", name="What you hold")
    expect(panel.get_by_role("link", name="All uploads")).to_be_visible()

    house.announce(made, house.passkey("holder"))
    row = row_of(page, "seeding", "held fast")
    expect(row).to_contain_text("1 client seeds", timeout=SOON)

    page.get_by_role("tab", name="I seed").focus()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("tab", name="I fetch")).to_be_focused()
    expect(page.get_by_text("You fetch nothing right now.")).to_be_visible()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("tab", name="I have")).to_have_attribute("aria-selected", "true")
    expect(page.get_by_role("tabpanel", name="I have").get_by_role("link", name="held fast")).to_be_visible()
    page.reload()
    expect(page.get_by_role("tab", name="I have")).to_have_attribute("aria-selected", "true")


def test_staff_frees_a_member_of_what_he_owes_with_a_reason(house: House, page: Page) -> None:
    made = house.upload("taken and owed")
    member = house.member("debtor")
    house.announce(made, member["passkey"], left=made["size"])
    house.announce(made, member["passkey"], downloaded=TAKEN, event="completed")

    page.goto(f"{house.url}/members/{member['id']}?shows=owing")
    row = row_of(page, "owing", "taken and owed")
    expect(row).to_contain_text("keep seeding", timeout=SOON)
    expect(row).to_contain_text(re.compile("1[34] d"))
    row.get_by_role("button", name="Exempt for taken and owed").click()
    dialog = page.get_by_role("dialog", name="Exempt debtor?")
    dialog.get_by_label("Reason").fill("His disk died.")
    dialog.get_by_role("button", name="Exempt", exact=True).click()
    expect(page.get_by_text("Nothing is owed.")).to_be_visible()

    page.get_by_role("tab", name="Has").click()
    row = row_of(page, "complete", "taken and owed")
    expect(row).to_contain_text("exempt")
    page.goto(f"{house.url}/audit?action=participation.exempt")
    expect(page.get_by_role("listitem").filter(has_text="debtor").first).to_contain_text("His disk died.")
