"""One running system and one browser for all tests of the pages; what a page complains of fails its test."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, StorageState, sync_playwright

from tests.system.pages.house import NAME, PASSWORD, House

CHROMIUM = Path("/usr/bin/chromium")
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
STATIC = Path(__file__).parents[3] / "src/holdfast/web/static/index.html"
VIOLATIONS = """
window.violations = [];
document.addEventListener("securitypolicyviolation", (event) => {
  window.violations.push(`${event.violatedDirective} ${event.blockedURI}`);
});
"""

Visit = Callable[..., Page]


@pytest.fixture(scope="package", name="house")
def house_fixture(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """The one place that says which system the pages are tested against."""
    if not STATIC.exists():
        pytest.fail("The pages are not built; run `make pages`.")
    house = House(tmp_path_factory.mktemp("house"))
    house.start()
    try:
        house.first_operator()
        yield house
    finally:
        house.stop()


@pytest.fixture(name="fresh")
def fresh_fixture(tmp_path: Path) -> Iterator[House]:
    """A system that nobody has entered yet."""
    house = House(tmp_path)
    house.start()
    try:
        yield house
    finally:
        house.stop()


@pytest.fixture(scope="package", name="chromium")
def chromium_fixture() -> Iterator[Browser]:
    if not CHROMIUM.exists():
        pytest.skip("NOT TESTED: Chromium is not installed; the pages need `apt-get install chromium`.")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


class Complaints(list[str]):
    """What the browser says is wrong with a page; a test may expect some of it."""

    def expect(self, words: str) -> None:
        found = [one for one in self if words in one]
        assert found, f"nothing complained of {words!r}: {self}"
        self[:] = [one for one in self if words not in one]


@pytest.fixture(name="complaints")
def complaints_fixture() -> Complaints:
    return Complaints()


@pytest.fixture(name="visitor")
def visitor_fixture(chromium: Browser, complaints: Complaints) -> Iterator[Callable[..., BrowserContext]]:
    """Makes a browser of somebody: a context of its own, whose every complaint is heard."""
    contexts: list[BrowserContext] = []

    def visitor(
        *, phone: bool = False, dark: bool = False, stored: StorageState | None = None
    ) -> BrowserContext:
        context = chromium.new_context(
            storage_state=stored,
            viewport={"width": 360, "height": 740} if phone else {"width": 1280, "height": 860},
            color_scheme="dark" if dark else "light",
            reduced_motion="reduce",
        )
        context.add_init_script(VIOLATIONS)
        context.set_default_timeout(20_000)
        context.on("console", lambda said: _hear(said, complaints))
        context.on("weberror", lambda error: complaints.append(f"uncaught: {error.error}"))
        contexts.append(context)
        return context

    yield visitor
    for context in contexts:
        for page in context.pages:
            complaints.extend(page.evaluate("window.violations ?? []"))
        context.close()
    assert complaints == []


def _hear(said: ConsoleMessage, complaints: Complaints) -> None:
    if said.type in ("error", "warning"):
        complaints.append(f"{said.text} [{said.location.get('url', '')}]")


@pytest.fixture(scope="package", name="cookies")
def cookies_fixture(house: House, chromium: Browser) -> list[Any]:
    """The operator's session, opened once: each new one would cost a slow hash."""
    context = chromium.new_context()
    sign_in(context, house)
    cookies = list(context.cookies())
    context.close()
    return cookies


@pytest.fixture(name="operator")
def operator_fixture(
    house: House, cookies: list[Any], visitor: Callable[..., BrowserContext]
) -> Callable[..., BrowserContext]:
    """A browser in which the operator is signed in, and that remembers it."""
    known: Any = {"name": "holdfast.here", "value": "1"}
    here: Any = {"origin": house.url, "localStorage": [known]}

    def operator(*, phone: bool = False, dark: bool = False) -> BrowserContext:
        return visitor(phone=phone, dark=dark, stored={"cookies": cookies, "origins": [here]})

    return operator


@pytest.fixture(name="page")
def page_fixture(house: House, operator: Callable[..., BrowserContext]) -> Page:
    """The operator's own window, on the overview."""
    page = operator().new_page()
    page.goto(house.url)
    return page


def sign_in(context: BrowserContext, house: House, name: str = NAME, password: str = PASSWORD) -> None:
    body = {"name": name, "password": password}
    answer = context.request.post(f"{house.url}/api/v1/session", data=body)
    assert answer.ok, answer.text()
