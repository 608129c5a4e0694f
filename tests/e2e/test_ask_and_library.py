"""What only a browser shows of Ask and Library: counting while typing, starting by keyboard,
dropping files that load nothing.
"""

from __future__ import annotations

import re
import zipfile
from pathlib import Path

import pytest
from playwright.sync_api import FileChooser, Page, TimeoutError, expect

from tests.e2e.conftest import until_settled

LONG = 60_000
HOSTILE = "# The beacon ![beacon](http://evil.example/b.png)\n\n<img src=http://evil.example/i.png> The heat pump ran well. ![x](http://evil.example/x.png)"


def test_question_is_counted_while_typed_and_asked_by_keyboard_alone(
    server: str, page: Page, complaints: list[str]
) -> None:
    page.goto(f"{server}/?mode=quick")
    box, count = page.get_by_label("Your question"), page.locator("[data-count]")
    button = page.locator(".st-key-go button")
    expect(button).to_be_disabled(timeout=LONG)
    box.fill("why " * 600)
    expect(count).to_have_text("2399 characters, 399 too many")
    expect(button).to_be_disabled()
    box.fill("")
    box.press_sequentially("What progress has been made toward fusion energy?")
    expect(count).to_have_text("")
    expect(button).to_be_enabled()
    box.press("Control+Enter")
    page.wait_for_url(re.compile(r"/live\?session=[0-9a-f]{32}"))
    expect(
        page.get_by_role("heading", name="What progress has been made toward fusion energy?")
    ).to_be_visible(timeout=LONG)


@pytest.mark.full
def test_a_fold_stays_open_while_its_line_says_what_is_set(
    server: str, page: Page, complaints: list[str]
) -> None:
    page.goto(server)
    page.get_by_text("Advanced", exact=True).click(timeout=LONG)
    page.get_by_text("Scoring · defaults").click(timeout=LONG)
    bonus = page.get_by_role("slider", name="Date bonus")
    bonus.press("ArrowRight")
    expect(page.get_by_text("Scoring · date bonus 0.15")).to_be_visible(timeout=LONG)
    expect(bonus).to_be_visible()


def test_dropped_files_are_read_searched_and_opened_and_load_nothing(
    fresh_server: str, page: Page, complaints: list[str], tmp_path: Path
) -> None:
    (tmp_path / "visit.md").write_text(HOSTILE, encoding="utf-8")
    (tmp_path / "blank.txt").write_text(" ", encoding="utf-8")
    page.goto(f"{fresh_server}/library")
    page.locator("input[type=file]").set_input_files(
        [tmp_path / "visit.md", tmp_path / "blank.txt"], timeout=LONG
    )
    told = page.get_by_role("list", name="Result for each file")
    expect(told).to_contain_text("empty blank.txt", timeout=LONG)
    expect(told).to_contain_text("added visit.md")
    page.get_by_label("Search texts").fill("heat pump")
    page.get_by_label("Search texts").press("Enter")
    page.locator(".st-key-open_1 button").click(timeout=LONG)
    expect(page.get_by_role("region", name="Text", exact=True)).to_contain_text(
        "The heat pump ran well.", timeout=LONG
    )
    expect(page.locator(".stored mark").first).to_contain_text("beacon")
    expect(page.get_by_role("combobox", name="Library")).to_be_visible()
    page.wait_for_url(re.compile(r"library=my&document=document%3A[0-9a-f]+&at=0"))
    page.reload()
    expect(page.locator(".stored mark").last).to_contain_text(
        "The heat pump ran well.", timeout=LONG
    )
    page.get_by_role("button", name="Close").click()
    expect(page.get_by_text("Select a document to read")).to_be_visible(timeout=LONG)


@pytest.mark.full
def test_a_zip_and_addresses_are_added_and_what_was_folded_out_closes(
    fresh_server: str, page: Page, complaints: list[str], tmp_path: Path
) -> None:
    with zipfile.ZipFile(tmp_path / "notes.zip", "w") as archive:
        archive.writestr("notes/visit.md", HOSTILE)
    page.goto(f"{fresh_server}/library")
    page.locator("input[type=file]").set_input_files([tmp_path / "notes.zip"], timeout=LONG)
    expect(page.get_by_role("list", name="Result for each file")).to_contain_text(
        "added notes.zip/notes/visit.md", timeout=LONG
    )
    page.get_by_role("button", name="From the web").click()
    addresses = page.get_by_label("Addresses, one per line")
    addresses.fill("http://127.0.0.1/private\nno address")
    page.get_by_role("button", name="Add pages").click()
    told = page.get_by_role("list", name="Result for each file")
    expect(told).to_contain_text("not accepted http://127.0.0.1/private", timeout=LONG)
    expect(told).to_contain_text("not accepted no address")
    expect(addresses).to_be_hidden()


@pytest.mark.full
def test_documents_are_uploaded_and_asked_about_by_keyboard_alone(
    fresh_server: str, page: Page, complaints: list[str], tmp_path: Path
) -> None:
    (tmp_path / "visit.md").write_text(HOSTILE, encoding="utf-8")
    page.goto(f"{fresh_server}/library")
    expect(page.get_by_text("Upload documents to search them")).to_be_visible(timeout=LONG)
    until_settled(page)  # a box that is drawn again loses the focus
    tab_to(page, "[data-testid=stFileUploaderDropzone] button")
    open_file_chooser(page).set_files(tmp_path / "visit.md")
    expect(page.get_by_role("link", name="Ask this library")).to_be_visible(timeout=LONG)
    tab_to(page, ".st-key-shelf_bar a")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"/\?(.*&)?library=my"), timeout=LONG)
    expect(page.locator(".st-key-question textarea")).to_be_visible(timeout=LONG)
    tab_to(page, ".st-key-question textarea")
    page.keyboard.type("How well did the heat pump run?")
    page.keyboard.press("Control+Enter")
    page.wait_for_url(re.compile(r"[?&]session=[0-9a-f]{32}"), timeout=LONG)


def open_file_chooser(page: Page) -> FileChooser:
    """Press Enter on the button that has the focus, again if Streamlit's box ignores the first.

    On a screen that was just drawn, about one first press in eight opens nothing in Chromium.
    """
    for _ in range(2):
        try:
            with page.expect_file_chooser(timeout=15_000) as chosen:
                page.keyboard.press("Enter")
            return chosen.value
        except TimeoutError:
            continue
    with page.expect_file_chooser(timeout=LONG) as chosen:
        page.keyboard.press("Enter")
    return chosen.value


def tab_to(page: Page, inside: str) -> None:
    """Press Tab until the focus is inside an element."""
    for _ in range(40):
        if page.evaluate("inside => document.activeElement.closest(inside) !== null", inside):
            return
        page.keyboard.press("Tab")
    pytest.fail(f"forty tabs did not lead into {inside}")
