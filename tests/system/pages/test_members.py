"""Inviting, finding and changing members."""

import re

from playwright.sync_api import Page, expect

from tests.system.pages.house import NAME, House


def test_an_operator_adds_a_member_and_sees_link_and_passkey_once(house: House, page: Page) -> None:
    page.goto(f"{house.url}/members")
    page.get_by_role("button", name="Add a member").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Name").fill("petrel")
    dialog.get_by_label("Moderator").check()
    dialog.get_by_role("button", name="Add petrel").click()

    expect(page.get_by_role("heading", name="petrel is in")).to_be_visible()
    link = dialog.get_by_label("Sign-in link", exact=True)
    expect(link).to_have_text(re.compile(re.escape(house.url) + r"/welcome#\S+"))
    passkey = dialog.get_by_label("Passkey", exact=True).inner_text()
    expect(dialog.get_by_label("Announce address", exact=True)).to_contain_text(passkey)
    page.keyboard.press("Escape")  # would lose them
    expect(link).to_be_visible()
    dialog.get_by_role("button", name="Done").click()

    row = page.get_by_role("row").filter(has_text="petrel")
    expect(row).to_contain_text("moderator")
    page.reload()
    expect(page.get_by_text(passkey)).to_have_count(0)


def test_a_name_that_is_taken_is_refused_where_it_was_typed(
    house: House, page: Page, complaints: list[str]
) -> None:
    page.goto(f"{house.url}/members?add=1")
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Name").fill(NAME)
    dialog.get_by_role("button", name=f"Add {NAME}").click()
    expect(dialog.get_by_role("alert")).to_contain_text(NAME)
    expect(dialog.get_by_role("alert")).to_contain_text("request")
    complaints.clear()  # the browser's own word on the 409


def test_the_search_stands_in_the_address(house: House, page: Page) -> None:
    house.member("sextant")
    page.goto(f"{house.url}/members")
    page.get_by_role("searchbox", name="Search by name").fill("sext")
    expect(page).to_have_url(f"{house.url}/members?q=sext")
    expect(page.get_by_role("row").filter(has_text=NAME)).to_have_count(0)
    page.get_by_role("link", name="sextant").click()
    expect(page.get_by_role("heading", name="sextant", level=1)).to_be_visible()
    page.go_back()
    expect(page.get_by_role("searchbox", name="Search by name")).to_have_value("sext")
    page.get_by_role("searchbox", name="Search by name").fill("nobody is called so")
    expect(page.get_by_text("Nobody fits.")).to_be_visible()
    page.get_by_role("button", name="Show everybody").click()
    expect(page.get_by_role("row").filter(has_text=NAME)).to_have_count(1)


def test_a_member_is_disabled_after_a_question_and_enabled_again(house: House, page: Page) -> None:
    member = house.member("halyard")
    page.goto(f"{house.url}/members/{member['id']}")
    page.get_by_role("button", name="Disable…").click()
    page.get_by_role("button", name="Disable halyard").click()
    expect(page.get_by_text("disabled", exact=True)).to_be_visible()
    assert house.ask("GET", "/members/halyard")["enabled"] is False
    page.get_by_role("button", name="Enable again").click()
    expect(page.get_by_role("button", name="Disable…")).to_be_visible()

    page.goto(f"{house.url}/audit?target_kind=member&target_id={member['id']}")
    expect(page.get_by_role("listitem").filter(has_text="Enabled").first).to_contain_text("no → yes")


def test_a_passkey_is_rotated_after_a_question(house: House, page: Page) -> None:
    member = house.member("fathom")
    page.goto(f"{house.url}/members/{member['id']}")
    page.get_by_role("button", name="Show the passkey").click()
    expect(page.get_by_role("status", name="Passkey")).to_have_text(member["passkey"])
    page.get_by_role("button", name="Rotate…").click()
    page.get_by_role("button", name="Rotate the passkey").click()
    expect(page.get_by_role("status", name="Passkey")).not_to_have_text(member["passkey"])


def test_what_of_a_members_traffic_counts_is_set_with_a_reason(house: House, page: Page) -> None:
    member = house.member("windfall")
    page.goto(f"{house.url}/members/{member['id']}")
    page.get_by_role("button", name="What counts…").click()
    page.get_by_label("Uploads count").fill("2")
    page.get_by_label("Reason").fill("He keeps the lamp lit.")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("uploads count twice, downloads as they are")).to_be_visible()
    (entry,) = house.ask("GET", "/audit", params={"action": "member.change", "target_id": member["id"]})[
        "items"
    ]
    assert "He keeps the lamp lit." in str(entry)


def test_points_are_granted_into_the_ledger(house: House, page: Page) -> None:
    member = house.member("lumen")
    page.goto(f"{house.url}/members/{member['id']}")
    page.get_by_role("button", name="Grant points").click()
    page.get_by_label("Amount").fill("250")
    page.get_by_label("Reason").fill("for the lighthouse")
    page.get_by_role("button", name="Write into the ledger").click()
    row = page.get_by_role("row").filter(has_text="for the lighthouse")
    expect(row).to_contain_text("+250")
    expect(page.get_by_role("heading", name="Points 250")).to_be_visible()


def test_notice_preferences_are_kept(house: House, page: Page) -> None:
    page.get_by_title("Your page").click()
    box = page.get_by_role("checkbox", name="As snatcher: Webhook")
    wanted = not box.is_checked()
    box.set_checked(wanted)
    expect(box).to_be_enabled()
    page.get_by_label("E-mail optional").fill("marisol@example.org")
    page.get_by_role("button", name="Save the address").click()
    expect(page.get_by_role("button", name="Save the address")).to_have_count(0)
    page.reload()
    expect(box).to_be_checked(checked=wanted)
    expect(page.get_by_label("E-mail optional")).to_have_value("marisol@example.org")
    page.get_by_label("E-mail optional").fill("")
    page.get_by_role("button", name="Save the address").click()
    expect(page.get_by_role("button", name="Save the address")).to_have_count(0)
    assert house.ask("GET", f"/members/{NAME}")["email"] is None


def test_a_token_is_made_shown_once_and_revoked(house: House, page: Page) -> None:
    page.get_by_title("Your page").click()
    page.get_by_role("button", name="New token").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Name").fill("nightly")
    dialog.get_by_role("button", name="Make the token").click()
    secret = dialog.get_by_label("Token", exact=True)
    expect(secret).to_have_text(re.compile("^hf_"))
    dialog.get_by_role("button", name="Done").click()
    page.get_by_role("button", name="Revoke nightly").click()
    page.get_by_role("button", name="Revoke the token").click()
    expect(page.get_by_text("nightly")).to_have_count(0)
