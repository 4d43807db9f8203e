"""What holds on every page: no complaint, no sideways scrolling, one heading, a title, both themes."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.system.pages.house import NAME, House

PAGES = {
    "/": "Overview",
    "/uploads": "Uploads",
    "/uploads/1": "A name that is very long",
    "/projects": "Projects",
    "/projects/estuary": "The Estuary",
    "/projects/estuary?part=queues": "The Estuary",
    "/projects/estuary?part=claims": "The Estuary",
    "/projects/estuary?part=failed": "The Estuary",
    "/projects/estuary?part=limits": "The Estuary",
    "/projects/estuary?part=blocks": "The Estuary",
    "/projects/estuary?part=targets": "The Estuary",
    "/projects/estuary?part=versions": "The Estuary",
    "/projects/estuary?part=setup": "The Estuary",
    "/volunteers/ann": "ann",
    "/members": "Members",
    "/members/1": "marisol",
    "/notices": "Notices",
    "/tracker": "Tracker",
    "/audit": "Audit",
    "/system": "System",
    "/settings": "Settings",
    "/explore?op=POST%20/api/v1/members": "API",
    "/nowhere/at/all": "Not found",
}
LONG = "A name that is very long_" + "and_never_breaks_anywhere_" * 6


@pytest.fixture(scope="module", name="furnished")
def furnished_fixture(house: House) -> House:
    """A system in which something has happened."""
    if not house.ask("GET", "/uploads", params={"q": "A name that is", "removed": "any"})["items"]:
        made = house.upload(LONG, {f"{'deep/' * 12}{'long' * 12}{number}.warc": 10**6 for number in range(9)})
        for peer in range(3):
            house.announce(made, house.passkey(NAME), peer, left=made["size"] * peer // 3)
        estuary(house)
    return house


def estuary(house: House) -> None:
    """A project under way: items done, out, failed and to do, and a volunteer whom the records know."""
    house.project(
        "estuary", "The Estuary" + "_that_never_breaks" * 5, *[f"i{'tem' * 15}{n}" for n in range(9)]
    )
    house.ask("PATCH", "/projects/estuary", json={"attempts": 1, "message": LONG})
    taken = house.volunteer("estuary", "ann", "multi=4/request").json()["items"]
    house.volunteer("estuary", "ann", "fail", items=taken[:1], reason="the site says no" * 9)
    house.done("estuary", "ann", *taken[1:3], bytes={"web": 7_000_000})
    house.until_counted("ann", 2)


def address(house: House, path: str) -> str:
    if path == "/uploads/1":
        found = house.ask("GET", "/uploads", params={"q": "A name that is"})["items"][0]
        path = f"/uploads/{found['id']}"
    return house.url + path


def settled(page: Page) -> None:
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    expect(page.get_by_role("status", name="Loading")).to_have_count(0)


@pytest.mark.parametrize("path", PAGES)
def test_a_page_stands_on_a_desktop(
    furnished: House, operator: Callable[..., BrowserContext], path: str
) -> None:
    page = operator().new_page()
    page.goto(address(furnished, path))
    settled(page)
    expect(page).to_have_title(re.compile(re.escape(PAGES[path]) + ".* · The Tidewater Archive"))
    expect(page.get_by_role("heading", level=1)).to_have_count(1)
    expect(page.get_by_role("main")).to_have_count(1)
    assert sideways(page) == 0
    assert unnamed(page) == []


@pytest.mark.parametrize("path", PAGES)
def test_a_page_fits_a_small_phone_in_the_dark(
    furnished: House, operator: Callable[..., BrowserContext], path: str
) -> None:
    page = operator(phone=True, dark=True).new_page()
    page.goto(address(furnished, path))
    settled(page)
    assert sideways(page) == 0
    assert faint(page) == []


@pytest.mark.parametrize("path", PAGES)
def test_words_stand_out_from_their_ground_by_day(
    furnished: House, operator: Callable[..., BrowserContext], path: str
) -> None:
    page = operator().new_page()
    page.goto(address(furnished, path))
    settled(page)
    assert faint(page) == []


@pytest.mark.parametrize("path", ["/uploads/1", "/members/1", "/tracker"])
def test_tables_stay_inside_their_panels_where_there_is_just_room_for_them(
    furnished: House, operator: Callable[..., BrowserContext], path: str
) -> None:
    page = operator().new_page()
    page.goto(address(furnished, path))
    settled(page)
    for width in (1025, 1100, 1185):
        page.set_viewport_size({"width": width, "height": 860})
        assert jutting(page) == []


@pytest.mark.parametrize("path", ["/sign-in", "/welcome"])
def test_the_pages_before_the_door_fit_a_small_phone(
    house: House, visitor: Callable[..., BrowserContext], path: str
) -> None:
    page = visitor(phone=True).new_page()
    page.goto(house.url + path)
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    assert sideways(page) == 0


def sideways(page: Page) -> int:
    """How far the page can be pushed to the side."""
    width: int = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    return width


def jutting(page: Page) -> list[str]:
    """Tables that are wider than what they stand in."""
    found: list[str] = page.evaluate(
        """() => [...document.querySelectorAll("table")]
            .filter((one) => one.offsetWidth > one.parentElement.clientWidth)
            .map((one) => one.caption?.textContent ?? "")"""
    )
    return found


def unnamed(page: Page) -> list[str]:
    """What can be used and has no name for those who do not see it."""
    found: list[str] = page.evaluate(
        """() => [...document.querySelectorAll("a[href], button, input, select, textarea")]
            .filter((one) => one.checkVisibility() && one.getAttribute("aria-hidden") !== "true")
            .filter((one) => !(one.getAttribute("aria-label") || one.innerText?.trim()
                || [...(one.labels ?? [])].some((label) => label.innerText.trim())))
            .map((one) => one.outerHTML.slice(0, 120))"""
    )
    return found


def faint(page: Page) -> list[str]:
    """Words whose contrast with the plain colour behind them is below WCAG AA."""
    found: list[str] = page.evaluate(CONTRAST)
    return found


# Words over the drawn sea have no plain colour behind them; they are chosen by eye, against its lightest.
CONTRAST = """() => {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const rgba = (colour) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const light = ([r, g, b]) => {
    const part = (c) => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
    return 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
  };
  const ground = (one) => {
    for (let at = one; at; at = at.parentElement) {
      const style = getComputedStyle(at);
      if (style.backgroundImage !== "none") return null;
      const colour = rgba(style.backgroundColor);
      if (colour[3] === 255) return colour;
      if (colour[3] !== 0) return null;
    }
    return rgba(getComputedStyle(document.documentElement).backgroundColor);
  };
  const found = [];
  const words = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (words.nextNode()) {
    const one = words.currentNode.parentElement;
    const said = words.currentNode.data.trim().slice(0, 40);
    if (!said || !one.checkVisibility() || one.closest(":disabled, .unseen, .skip")) continue;
    const behind = ground(one);
    if (!behind) continue;
    const style = getComputedStyle(one);
    const [a, b] = [light(rgba(style.color)), light(behind)];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    const size = parseFloat(style.fontSize);
    const large = size >= 24 || (size >= 18.6 && style.fontWeight >= 700);
    if (ratio < (large ? 3 : 4.5)) found.push(`${ratio.toFixed(2)} ${said}`);
  }
  return found;
}"""
