"""Going about: by keyboard alone, back and forth, by day and by night, and when the server goes away."""

from collections.abc import Callable

from playwright.sync_api import BrowserContext, Page, expect

from tests.system.pages.conftest import sign_in
from tests.system.pages.house import House

Visitor = Callable[..., BrowserContext]
GROUND = "getComputedStyle(document.documentElement).backgroundColor"


def focused(page: Page) -> str:
    name: str = page.evaluate(
        "document.activeElement.getAttribute('aria-label') ?? document.activeElement.innerText ?? ''"
    )
    return name.strip()


def test_a_member_is_added_by_keyboard_alone(house: House, page: Page) -> None:
    page.goto(f"{house.url}/members")
    expect(page.get_by_role("heading", name="Members", level=1)).to_be_visible()
    page.keyboard.press("Tab")
    assert focused(page) == "Skip to the content"
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert focused(page) == "Add a member"
    outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    assert outline == "solid"
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog").get_by_label("Name")).to_be_focused()

    for _ in range(15):  # more often than the dialog has things to use
        page.keyboard.press("Tab")
        inside = page.evaluate(
            "document.activeElement === document.body || !!document.activeElement.closest('dialog')"
        )
        assert inside, f"the focus left the dialog for {focused(page)!r}"
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    assert focused(page) == "Add a member"

    page.keyboard.press("Enter")
    page.keyboard.type("by-keyboard")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="by-keyboard is in")).to_be_visible()


def test_every_place_is_reached_by_keyboard_and_takes_the_focus(page: Page) -> None:
    places = page.get_by_role("navigation", name="Places").get_by_role("link")
    expect(places.first).to_be_visible()
    for index in range(places.count()):
        name = places.nth(index).inner_text().strip().split("\n")[0]
        places.nth(index).focus()
        page.keyboard.press("Enter")
        expect(places.nth(index)).to_have_attribute("aria-current", "page")
        if name != "Overview":
            expect(page.get_by_role("heading", name=name, level=1)).to_be_focused()


def test_the_menu_of_a_phone_opens_goes_and_closes(
    house: House, operator: Callable[..., BrowserContext]
) -> None:
    page = operator(phone=True).new_page()
    page.goto(house.url)
    page.get_by_role("button", name="Menu").click()
    page.get_by_role("dialog").get_by_role("link", name="Members").click()
    expect(page.get_by_role("heading", name="Members", level=1)).to_be_visible()
    expect(page.get_by_role("dialog")).to_have_count(0)


def test_going_back_leads_to_the_same_spot(house: House, page: Page) -> None:
    for number in range(30):
        if not house.ask("GET", "/members", params={"q": f"diver{number}-"})["items"]:
            house.member(f"diver{number}-")
    page.goto(f"{house.url}/members?q=diver")
    last = page.get_by_role("table", name="Members").get_by_role("link").last
    last.scroll_into_view_if_needed()
    before = page.evaluate("window.scrollY")
    assert before > 300
    last.click()
    expect(page.get_by_role("heading", name="Passkey")).to_be_visible()
    assert page.evaluate("window.scrollY") == 0
    page.go_back()
    expect(last).to_be_visible()
    page.wait_for_function("(before) => Math.abs(window.scrollY - before) < 3", arg=before)


def test_the_theme_follows_the_system_until_somebody_chooses(house: House, visitor: Visitor) -> None:
    night = visitor(dark=True)
    sign_in(night, house)
    page = night.new_page()
    page.goto(house.url)
    dark = page.evaluate(GROUND)
    page.get_by_role("button", name="Theme: as the system").click()
    light = page.evaluate(GROUND)
    assert light != dark
    page.reload()
    expect(page.get_by_role("button", name="Theme: light")).to_be_visible()
    assert page.evaluate(GROUND) == light
    page.get_by_role("button", name="Theme: light").click()
    assert page.evaluate(GROUND) == dark
    page.get_by_role("button", name="Theme: dark").click()
    page.emulate_media(color_scheme="light")
    assert page.evaluate(GROUND) == light


def test_a_page_says_that_the_server_is_away_and_goes_on_when_it_is_back(
    fresh: House, visitor: Visitor, complaints: list[str]
) -> None:
    fresh.first_operator()
    context = visitor()
    sign_in(context, fresh)
    page = context.new_page()
    page.goto(f"{fresh.url}/members")
    expect(page.get_by_role("link", name="marisol").last).to_be_visible()
    fresh.stop()
    expect(page.get_by_text("Holdfast does not answer.")).to_be_visible()
    expect(page.get_by_role("heading", name="Members", level=1)).to_be_visible()

    fresh.start()
    fresh.member("came-meanwhile")
    expect(page.get_by_role("link", name="came-meanwhile")).to_be_visible()
    expect(page.get_by_text("Holdfast does not answer.")).to_have_count(0)
    complaints.clear()  # the browser told of every attempt in between
