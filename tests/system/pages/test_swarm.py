"""The swarm on an upload's page: as it is now, and no more of it than one may see."""

import re
from collections.abc import Callable

from playwright.sync_api import BrowserContext, Locator, Page, expect

from tests.system.pages.house import NAME, House

SOON = 30_000
"""The page asks every ten seconds; nothing is measured by it."""


def figures(page: Page) -> Locator:
    return page.get_by_role("region", name="Swarm").locator("dl")


def enter(house: House, context: BrowserContext, name: str) -> Page:
    page = context.new_page()
    page.goto(house.link_for(name))
    page.get_by_role("button", name="Go in").click()
    expect(page.get_by_role("heading", name="The Tidewater Archive")).to_be_visible()
    return page


def test_a_swarm_grows_and_withers_while_one_watches(house: House, page: Page) -> None:
    made, passkey = house.upload("a growing swarm"), house.passkey(NAME)
    page.goto(f"{house.url}/uploads/{made['id']}")
    expect(page.get_by_text("Bare rock: no client is here.")).to_be_visible()
    expect(page.get_by_text("Nobody seeds this right now.")).to_be_visible()
    page.evaluate("window.sameWindow = true")

    house.announce(made, passkey)
    expect(figures(page)).to_contain_text(re.compile("seeder ?1"), timeout=SOON)
    expect(page.get_by_role("img", name="1 reach the surface")).to_be_visible()
    row = page.get_by_role("table", name="Peers").get_by_role("row").filter(has_text="Transmission 4.0.6")
    expect(row).to_contain_text("yours")
    expect(row).to_contain_text("all")
    expect(page.get_by_text("Nobody seeds this right now.")).to_have_count(0)

    house.announce(made, passkey, event="stopped")
    expect(page.get_by_text("Bare rock: no client is here.")).to_be_visible(timeout=SOON)
    expect(page.get_by_role("table", name="Peers")).to_have_count(0)
    assert page.evaluate("window.sameWindow") is True


def test_members_see_how_far_clients_are_and_staff_whose_they_are(
    house: House, page: Page, visitor: Callable[..., BrowserContext]
) -> None:
    made = house.upload("a shared swarm")
    for name in ("swarmer", "neighbour"):
        house.member(name)
    house.announce(made, house.passkey("swarmer"), 1)
    house.announce(made, house.passkey("neighbour"), 2, left=made["size"] // 4)

    address = f"{house.url}/uploads/{made['id']}"
    page.goto(address)
    peers = page.get_by_role("table", name="Peers")
    theirs = peers.get_by_role("row").filter(has_text="75 %")
    expect(theirs.get_by_role("link", name="neighbour")).to_be_visible()
    expect(theirs).to_contain_text("127.0.0.1:20002")
    took_part = page.get_by_role("table", name="Participants").get_by_role("row").filter(has_text="swarmer")
    expect(took_part).to_contain_text("1 client seeds", timeout=SOON)

    page = enter(house, visitor(), "swarmer")
    page.goto(address)
    peers = page.get_by_role("table", name="Peers")
    expect(peers.get_by_role("row").filter(has_text="yours")).to_contain_text("127.0.0.1:20001")
    theirs = peers.get_by_role("row").filter(has_text="75 %")
    expect(theirs).to_contain_text("Transmission 4.0.6")
    expect(theirs).not_to_contain_text("127.0.0.1")
    expect(page.get_by_text("neighbour")).to_have_count(0)
    expect(page.get_by_role("table", name="Participants")).to_have_count(0)


def test_of_a_large_swarm_some_are_drawn_and_all_are_listed(house: House, page: Page) -> None:
    made, size = house.upload("a large swarm"), 50_000
    for one in range(20):
        key = house.member(f"shoal-{one}")["passkey"]
        for peer in range(3):
            house.announce(made, key, 3 * one + peer, left=size // 2 if peer else 0)
    page.goto(f"{house.url}/uploads/{made['id']}")
    expect(figures(page)).to_contain_text(re.compile("seeders ?20"))
    expect(page.get_by_text("stands for about 2 clients")).to_be_visible()
    stalks = page.get_by_role("img", name="20 reach the surface, 40 still grow").locator(".plant")
    expect(stalks).to_have_count(40)
    rows = page.get_by_role("table", name="Peers").get_by_role("row")
    expect(rows).to_have_count(51)
    page.get_by_role("button", name="Show more").click()
    expect(rows).to_have_count(61)


def test_the_overview_counts_who_takes_part_now(house: House, page: Page) -> None:
    made = house.upload("counted at a glance")
    before = house.ask("GET", "/tracker")["totals"]["seeders"]
    house.announce(made, house.passkey(NAME), 640)
    page.goto(house.url)
    share = page.get_by_role("listitem").filter(has=page.get_by_role("heading", name="share"))
    expect(share).to_contain_text(re.compile(rf"seeders? ?{before + 1}"))


def test_an_operator_says_what_of_an_uploads_traffic_counts(house: House, page: Page) -> None:
    made = house.upload("free to fetch")
    page.goto(f"{house.url}/uploads/{made['id']}")
    page.get_by_role("button", name="Change…").click()
    dialog = page.get_by_role("dialog", name="Change this upload")
    expect(dialog.get_by_label("Reason")).to_have_count(0)
    dialog.get_by_label("Downloads count").fill("0")
    dialog.get_by_label("Reason").fill("Nobody else has it.")
    dialog.get_by_role("button", name="Save").click()
    expect(page.get_by_text("uploads count as they are, downloads nothing")).to_be_visible()
    assert house.ask("GET", f"/uploads/{made['id']}")["multi_down"] == 0
