"""Sharing, finding, fetching and removing uploads."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import libtorrent
import pytest
from playwright.sync_api import BrowserContext, FilePayload, Page, expect

from tests.system.pages.house import NAME, House, torrent


def choose(page: Page, name: str, content: bytes) -> None:
    file: FilePayload = {"name": name, "mimeType": "application/x-bittorrent", "buffer": content}
    page.get_by_role("dialog").locator("input[type=file]").set_input_files(files=[file])


def share(page: Page, house: House, name: str, content: bytes) -> None:
    page.goto(f"{house.url}/uploads")
    page.get_by_role("button", name="Add an upload").first.click()
    choose(page, f"{name}.torrent", content)
    page.get_by_role("button", name="Share it").click()


def test_an_upload_appears_in_another_window_without_a_reload(
    house: House, operator: Callable[..., BrowserContext]
) -> None:
    context = operator()
    watching, working = context.new_page(), context.new_page()
    watching.goto(f"{house.url}/uploads")
    watching.evaluate("window.sameWindow = true")
    share(working, house, "tidal charts", torrent("tidal charts"))
    expect(working.get_by_role("heading", name="tidal charts")).to_be_visible()

    expect(watching.get_by_role("link", name="tidal charts")).to_be_visible()
    assert watching.evaluate("window.sameWindow") is True


def test_a_dropped_torrent_is_offered_to_be_shared(house: House, page: Page) -> None:
    page.goto(f"{house.url}/uploads")
    expect(page.get_by_role("heading", name="Uploads")).to_be_visible()
    page.evaluate(
        """(bytes) => {
            const carried = new DataTransfer();
            carried.items.add(new File([new Uint8Array(bytes)], "dropped.torrent"));
            const drop = (kind) => document.querySelector(".drop h1").dispatchEvent(
                new DragEvent(kind, { dataTransfer: carried, bubbles: true, cancelable: true }));
            drop("dragenter"); drop("dragover"); drop("drop");
        }""",
        list(torrent("dropped")),
    )
    expect(page.get_by_role("dialog")).to_contain_text("dropped.torrent")
    page.get_by_role("button", name="Share it").click()
    expect(page.get_by_role("heading", name="dropped")).to_be_visible()


def test_a_torrent_that_is_shared_already_leads_to_its_twin(
    house: House, page: Page, complaints: list[str]
) -> None:
    first = house.upload("twins")
    share(page, house, "twins", torrent("twins"))
    expect(page.get_by_role("dialog").get_by_role("alert")).to_be_visible()
    page.get_by_role("link", name="See the upload that is there already").click()
    expect(page).to_have_url(f"{house.url}/uploads/{first['id']}")
    complaints.clear()  # the browser's own word on the 409


@pytest.mark.parametrize("broken", [b"", b"no torrent at all", torrent("cut")[:60]])
def test_a_broken_torrent_is_refused_with_a_sentence(
    house: House, page: Page, complaints: list[str], broken: bytes
) -> None:
    share(page, house, "broken", broken)
    expect(page.get_by_role("dialog").get_by_role("alert")).to_contain_text(".")
    expect(page.get_by_role("button", name="Share it")).to_be_enabled()
    complaints.clear()  # the browser's own word on the 400


def test_a_fetched_torrent_announces_as_whoever_fetched_it(house: House, page: Page) -> None:
    made = house.upload("for fetching")
    passkey = house.ask("GET", f"/members/{NAME}/passkey")["passkey"]
    page.goto(f"{house.url}/uploads/{made['id']}")
    with page.expect_download() as fetching:
        page.get_by_role("link", name="Fetch the torrent").click()
    fetched: Any = libtorrent.bdecode(Path(fetching.value.path()).read_bytes())
    assert passkey.encode() in fetched[b"announce"]
    assert fetching.value.suggested_filename == "for fetching.torrent"


def test_files_unfold_as_a_tree_and_more_of_them_come_when_asked_for(house: House, page: Page) -> None:
    files = {f"disc {number // 50}/page-{number:03}.tif": 1000 + number for number in range(150)}
    made = house.upload("a book", files)
    page.goto(f"{house.url}/uploads/{made['id']}")
    expect(page.get_by_role("heading", name="150 files")).to_be_visible()
    expect(page.get_by_text("page-001.tif")).to_be_visible()  # the only folder so far is unfolded
    expect(page.get_by_text("50 of 150 files")).to_be_visible()
    page.get_by_role("button", name="Show more files").click()
    expect(page.get_by_role("button", name="disc 2")).to_contain_text("50 files")
    page.get_by_role("button", name="disc 0").click()
    expect(page.get_by_text("page-001.tif")).to_have_count(0)


def test_a_removal_asks_for_a_reason_and_leaves_a_tombstone(
    house: House, operator: Callable[..., BrowserContext]
) -> None:
    made = house.upload("a duplicate")
    context = operator()
    page, watching = context.new_page(), context.new_page()
    watching.goto(f"{house.url}/uploads/{made['id']}")
    page.goto(f"{house.url}/uploads/{made['id']}")
    page.get_by_role("button", name="Remove…").click()
    page.get_by_role("button", name="Remove the upload").click()  # the browser asks for the reason itself
    expect(page.get_by_role("dialog")).to_be_visible()
    page.get_by_label("Reason").fill("There are better scans.")
    page.get_by_role("button", name="Remove the upload").click()
    for window in (page, watching):
        expect(window.get_by_role("note", name="Removed")).to_contain_text("There are better scans.")
        expect(window.get_by_role("link", name="Fetch the torrent")).to_have_count(0)
    page.goto(f"{house.url}/uploads")
    expect(page.get_by_role("heading", name="Uploads")).to_be_visible()
    expect(page.get_by_role("link", name="a duplicate")).to_have_count(0)
    page.get_by_label("Removed or not").select_option("Removed")
    expect(page.get_by_role("link", name="a duplicate")).to_be_visible()


def test_a_notice_counts_in_the_header_until_it_is_read(
    house: House, visitor: Callable[..., BrowserContext]
) -> None:
    house.member("kelpie")
    made = house.upload("kelpie's own", by="kelpie")
    page = visitor().new_page()
    page.goto(house.link_for("kelpie"))
    page.get_by_role("button", name="Go in").click()
    expect(page.get_by_role("heading", name="The Tidewater Archive")).to_be_visible()
    house.ask("POST", f"/uploads/{made['id']}/removal", json={"reason": "By mistake."})
    bell = page.get_by_role("link", name="Notices, ")
    expect(bell).to_be_visible()  # came by itself
    bell.click()
    letter = page.get_by_role("button", expanded=False).filter(has_text="kelpie's own").first
    letter.click()
    expect(page.get_by_text("By mistake.").first).to_be_visible()
    expect(page.locator(".letter-new")).to_have_count(0)
