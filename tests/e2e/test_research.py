"""The whole way in a real browser: ask an example, watch it, read the report, follow its citations, take it along."""

from __future__ import annotations

import re
from pathlib import Path

from playwright.sync_api import Browser, Page, expect

LONG = 60_000  # the first run of a server makes the sample library and warms up
EXAMPLE = "What are the effects of microplastics on marine life?"


def test_example_becomes_a_report_across_a_reload(server: str, page: Page, complaints: list[str], tmp_path: Path) -> None:
    page.goto(server)
    page.get_by_role("button", name=EXAMPLE).click(timeout=LONG)
    expect(page.get_by_label("Your question")).to_have_value(EXAMPLE)
    page.get_by_role("button", name="Research").click()
    page.wait_for_url(re.compile(r"/live\?session=[0-9a-f]{32}$"))
    page.reload()
    expect(page.get_by_role("heading", name=EXAMPLE)).to_be_visible(timeout=LONG)
    expect(page.get_by_role("list", name="Stages and funnel")).to_be_visible()
    page.get_by_role("link", name="Read the full report").click(timeout=LONG)
    read_the_citations(page)
    with page.expect_download() as download:
        page.get_by_role("button", name="Download Markdown").click()
    download.value.save_as(tmp_path / "report.md")
    markdown = (tmp_path / "report.md").read_text(encoding="utf-8")
    assert download.value.suggested_filename == "what-are-the-effects-of-microplastics-on-marine.md"
    assert markdown.startswith(f"# {EXAMPLE}\n")
    assert "## Sources" in markdown


def read_the_citations(page: Page) -> None:
    """By click, by key and by address; the passage beside the text follows."""
    citations, pane = page.locator("a.cite"), page.get_by_role("region", name="Cited passage")
    expect(citations.first).to_be_visible(timeout=LONG)
    count = citations.count()
    assert count > 5
    expect(page.get_by_text(f"Citation 1 of {count}", exact=True)).to_be_visible()
    page.locator('a[href="#cite-3"]').click()
    expect(page.get_by_text(f"Citation 3 of {count}", exact=True)).to_be_visible()
    expect(page.locator('a[href="#cite-3"]')).to_have_attribute("aria-current", "true")
    expect(pane.locator("mark")).to_be_visible()
    page.keyboard.press("j")
    expect(page.get_by_text(f"Citation 4 of {count}", exact=True)).to_be_visible()
    page.locator('a[href="#cite-2"]').press("Enter")
    expect(page.get_by_text(f"Citation 2 of {count}", exact=True)).to_be_visible()
    page.reload()
    expect(page.get_by_text(f"Citation 2 of {count}", exact=True)).to_be_visible(timeout=LONG)
    sentence = page.locator("article.report li", has=page.locator('a[href="#cite-2"]'))
    expect(sentence).to_contain_text(pane.locator("mark").first.inner_text())


def test_every_screen_of_the_session_from_a_second_tab_on_a_phone(server: str, page: Page, browser: Browser) -> None:
    """The session's address is all a second tab needs; nothing is wider than a phone."""
    page.goto(server)
    page.get_by_role("button", name="What are the environmental risks of deep-sea mining?").click(timeout=LONG)
    page.get_by_role("button", name="Research").click()
    page.wait_for_url(re.compile(r"session="))
    query = page.url.partition("?")[2]
    with browser.new_context(viewport={"width": 390, "height": 844}, color_scheme="dark") as context:
        phone = context.new_page()
        phone.goto(f"{server}/live?{query}")
        expect(phone.get_by_role("link", name="Read the full report")).to_be_visible(timeout=LONG)
        for screen, seen in (("sources", "canvas"), ("gate", ".card"), ("report", "a.cite"), ("sessions", ".facts"), ("", "textarea")):
            phone.goto(f"{server}/{screen}?{query}")
            expect(phone.locator(seen).first).to_be_visible(timeout=LONG)
            assert phone.evaluate("document.documentElement.scrollWidth <= innerWidth"), screen
    expect(page.get_by_role("link", name="Read the full report")).to_be_visible(timeout=LONG)
