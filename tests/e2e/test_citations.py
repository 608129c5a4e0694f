"""What only a browser shows of Citations: a list that is pasted and checked, the row that is
chosen, the file that is taken along.
"""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from tests.e2e.conftest import LONG, until_settled

#: Cases, which nobody is asked about, as the shared server has no token.
CASES = """Miranda v. Arizona, 384 U.S. 436 (1966)
Smith <b>bold</b> v. Roe, 410 U.S. 113 (1973)
"""


def test_a_pasted_list_is_checked_opened_and_taken_along(
    server: str, page: Page, complaints: list[str]
) -> None:
    page.goto(f"{server}/citations")
    page.get_by_role("button", name="Use example").click(timeout=LONG)
    pasted = page.get_by_label("References, one per line")
    expect(pasted).to_have_value(re.compile("^Kucsko"), timeout=LONG)
    pasted.fill(CASES)
    pasted.press("Control+Enter")
    until_settled(page)
    page.get_by_role("button", name="Check", exact=True).click()
    expect(page.get_by_text("2 references in the pasted list")).to_be_visible(timeout=LONG)
    expect(page.get_by_text("? could not be checked · 2")).to_be_visible()
    table = page.get_by_test_id("stDataFrame").first
    box = table.bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + 14, box["y"] + 52)
    expect(page.get_by_role("heading", name="Miranda v. Arizona")).to_be_visible(timeout=LONG)
    expect(page.locator(".st-key-verdict")).to_contain_text("Could not be asked: CourtListener")
    with page.expect_download() as coming:
        page.get_by_role("button", name="Download", exact=True).click()
    assert "384 U.S. 436" in coming.value.path().read_text(encoding="utf-8")
    page.set_viewport_size({"width": 390, "height": 800})
    until_settled(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.get_by_role("button", name="Check another list").click()
    expect(page.get_by_role("button", name="Check", exact=True)).to_be_visible(timeout=LONG)
