"""The first operator, those who are invited, and those who are kept out."""

from collections.abc import Callable

from playwright.sync_api import BrowserContext, Page, expect

from tests.system.pages.conftest import Complaints, sign_in
from tests.system.pages.house import NAME, PASSWORD, House

Visitor = Callable[..., BrowserContext]


def test_the_first_operator_comes_in_by_the_link_once(
    fresh: House, visitor: Visitor, complaints: Complaints
) -> None:
    page = visitor().new_page()
    page.goto(fresh.link)
    expect(page).to_have_title("Welcome · Holdfast")
    page.get_by_label("Name").fill(NAME)
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_label("Password again").fill("something else")
    page.get_by_role("button", name="Take the helm").click()
    expect(page.get_by_text("The two passwords differ.")).to_be_visible()

    page.get_by_label("Password again").fill(PASSWORD)
    page.get_by_role("button", name="Take the helm").click()
    expect(page.get_by_role("heading", name="What to do first")).to_be_visible()
    expect(page).to_have_title("Overview · The Tidewater Archive")
    assert page.url == fresh.url + "/"

    second = visitor().new_page()
    second.goto(fresh.link)
    expect(second.get_by_role("heading", name="This link opens nothing")).to_be_visible()
    complaints.expect("/session/link/look")  # the browser tells of every 404 itself


def test_a_wrong_password_is_told_and_many_of_them_must_wait(
    fresh: House, visitor: Visitor, complaints: Complaints
) -> None:
    fresh.first_operator()
    page = visitor().new_page()
    page.goto(f"{fresh.url}/sign-in")
    page.get_by_label("Name").fill(NAME)
    page.get_by_label("Password").fill("not this one")
    send = page.get_by_role("button", name="Sign in")
    send.click()
    expect(page.get_by_role("alert")).to_contain_text("password")
    for _ in range(20):
        with page.expect_response("**/api/v1/session") as answered:
            send.click()
        if answered.value.status == 429:
            break
    expect(page.get_by_text("You can try again in")).to_be_visible()
    expect(send).to_be_disabled()
    complaints.expect("status of 401")
    complaints.expect("status of 429")


def test_an_invited_member_comes_in_without_a_password(house: House, visitor: Visitor) -> None:
    house.member("tern")
    page = visitor().new_page()
    page.goto(house.link_for("tern"))
    expect(page.get_by_role("heading", name="Welcome, tern")).to_be_visible()
    page.get_by_role("button", name="Go in").click()
    expect(page.get_by_role("heading", name="The Tidewater Archive")).to_be_visible()


def test_a_member_sets_a_password_with_the_link_and_signs_in_with_it(
    house: House, visitor: Visitor, complaints: Complaints
) -> None:
    house.member("okapi")
    page = visitor().new_page()
    page.goto(house.link_for("okapi"))
    page.get_by_label("Password optional").fill("a quiet harbour")
    page.get_by_label("Password again").fill("a quiet harbour")
    page.get_by_role("button", name="Set the password and go in").click()
    expect(page.get_by_role("heading", name="The Tidewater Archive")).to_be_visible()

    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    page.goto(f"{house.url}/uploads?q=kelp")
    page.get_by_label("Name").fill("okapi")
    page.get_by_label("Password").fill("a quiet harbour")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", name="Uploads")).to_be_visible()
    assert page.url == f"{house.url}/uploads?q=kelp"
    complaints.expect("/api/v1/session]")  # asked who is there, and nobody was


def test_signing_in_leads_nowhere_but_home(house: House, visitor: Visitor) -> None:
    context = visitor()
    page = context.new_page()
    page.goto(f"{house.url}/sign-in?to=//example.org/")
    expect(page.get_by_label("Name")).to_be_visible()
    sign_in(context, house)
    page.get_by_label("Name").fill(NAME)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", name="The Tidewater Archive")).to_be_visible()
    assert page.url == house.url + "/"


def test_a_plain_member_is_not_shown_what_is_for_the_crew(house: House, visitor: Visitor) -> None:
    house.member("wren")
    page = visitor().new_page()
    page.goto(house.link_for("wren"))
    page.get_by_role("button", name="Go in").click()
    places = page.get_by_role("navigation", name="Places")
    expect(places.get_by_role("link")).to_have_text(
        ["Overview", "Uploads", "Projects", "Members", "Notices", "API"]
    )
    page.goto(f"{house.url}/audit")
    expect(page.get_by_role("heading", name="This page is for the crew")).to_be_visible()
    page.goto(f"{house.url}/members")
    expect(page.get_by_role("link", name="wren").first).to_be_visible()
    expect(page.get_by_role("button", name="Add a member")).to_have_count(0)


def test_the_browser_of_the_operator_stays_signed_in(page: Page) -> None:
    expect(page.get_by_title("Your page")).to_have_text(NAME)
    page.reload()
    expect(page.get_by_title("Your page")).to_have_text(NAME)
