"""What the crew looks at: the audit, the system, the settings, the API."""

import json
import os
import signal
from collections.abc import Callable

from playwright.sync_api import BrowserContext, Page, expect

from tests.system.pages.conftest import sign_in
from tests.system.pages.house import House


def test_the_audit_tells_who_changed_what_and_grows_by_itself(house: House, page: Page) -> None:
    member = house.member("brackish")
    page.goto(f"{house.url}/audit?target_kind=member&target_id={member['id']}")
    expect(page.get_by_role("listitem").filter(has_text="member.add")).to_contain_text("brackish")
    house.ask("PATCH", "/members/brackish", json={"may_leech": False})
    entry = page.get_by_role("listitem").filter(has_text="member.change")
    expect(entry).to_contain_text("May leech")
    expect(entry).to_contain_text("yes → no")


def test_the_system_page_shows_every_part(house: House, page: Page) -> None:
    page.goto(f"{house.url}/system")
    parts = page.get_by_role("table", name="Parts")
    for part in house.ask("GET", "/system")["parts"]:
        expect(parts.get_by_role("row").filter(has_text=part["name"]).first).to_contain_text(str(part["pid"]))
    expect(page.get_by_text(house.url)).to_be_visible()


def test_the_system_page_tells_of_a_live_store_that_goes_away_and_comes_back(
    fresh: House, visitor: Callable[..., BrowserContext]
) -> None:
    fresh.first_operator()
    context = visitor()
    sign_in(context, fresh)
    page = context.new_page()
    page.goto(f"{fresh.url}/system")
    expect(page.get_by_text("No alarms.")).to_be_visible()
    config = fresh.folder / "data/live/valkey.conf"
    config.rename(config.with_suffix(".away"))  # so that it cannot be started again
    (live,) = [part["pid"] for part in fresh.ask("GET", "/system")["parts"] if part["name"] == "live"]
    os.kill(live, signal.SIGKILL)
    expect(page.get_by_role("list", name="Alarms")).to_contain_text("is away", timeout=60_000)
    config.with_suffix(".away").rename(config)
    expect(page.get_by_text("is away")).to_have_count(0, timeout=60_000)


def test_a_setting_is_found_with_its_source(house: House, page: Page) -> None:
    page.goto(f"{house.url}/settings")
    page.get_by_role("searchbox").fill("the name of the community")
    expect(page.locator("dt")).to_have_count(1)
    expect(page.locator("dt")).to_contain_text("community")
    expect(page.locator("dd")).to_contain_text("The Tidewater Archive")


def test_an_operation_of_the_api_is_tried_out(house: House, page: Page) -> None:
    page.goto(f"{house.url}/explore")
    page.get_by_role("searchbox", name="Search operations").fill("ledger")
    page.get_by_role("button", name="GET /api/v1/members/{who}/points").click()
    form = page.get_by_role("form", name="Try GET /api/v1/members/{who}/points")
    form.get_by_label("who").fill("marisol")
    form.get_by_role("button", name="Send").click()
    answer = page.get_by_role("region", name="Answer")
    expect(answer).to_contain_text("200")
    told = json.loads(answer.locator("pre").inner_text())
    assert told["balance"] == house.ask("GET", "/members/marisol")["points"]


def test_an_operation_that_changes_something_carries_the_csrf_token(house: House, page: Page) -> None:
    page.goto(f"{house.url}/explore?op=POST%20/api/v1/members")
    body = page.get_by_role("textbox", name="Body")
    body.fill(json.dumps({"name": "by-the-api"}))
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_role("region", name="Answer")).to_contain_text("201")
    assert house.ask("GET", "/members/by-the-api")["enabled"] is True
