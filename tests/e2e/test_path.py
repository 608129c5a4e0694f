"""The whole way in a real browser, on the sample library: ask, watch, what-if, report, citation,
download; by keyboard; through a crash.
"""

from __future__ import annotations

import re
import socket
from pathlib import Path
from typing import Any, Literal

import pytest
from playwright.sync_api import Browser, Locator, Page, expect
from pytest_httpserver import HTTPServer

from tests.e2e.conftest import LONG, process, until_settled
from tests.terminal import Gemini

MICROPLASTICS = "What are the effects of microplastics on marine life?"
MINING = "What are the environmental risks of deep-sea mining?"


def ask(page: Page, address: str, question: str) -> None:
    """Type a question and start it; Live opens."""
    page.goto(address)
    box = page.get_by_label("Your question")
    box.fill(question, timeout=LONG)
    page.get_by_role("button", name="Research").click()
    page.wait_for_url(re.compile(r"/live\?session=[0-9a-f]{32}$"), timeout=LONG)


def screen(page: Page, name: str) -> None:
    """Another tab of the session."""
    page.locator(".st-key-tabs").get_by_role("link", name=name, exact=True).click()
    path = {"Activity": "live"}.get(name, name.lower())
    expect(page).to_have_url(re.compile(rf"/{path}\?session="))
    until_settled(page)


def fits(page: Page) -> None:
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), page.url


PHONE = {
    "viewport": {"width": 390, "height": 800},
    "is_mobile": True,
    "has_touch": True,
    "user_agent": "Mozilla/5.0 (Linux; Android 14) Mobile",
}
DESKTOP = {"viewport": {"width": 1280, "height": 800}}


@pytest.mark.parametrize(
    ("scheme", "device"),
    [("light", DESKTOP), pytest.param("dark", DESKTOP, marks=pytest.mark.full), ("light", PHONE)],
    ids=["light", "dark", "phone"],
)
def test_whole_path(
    server: str,
    browser: Browser,
    tmp_path: Path,
    scheme: Literal["light", "dark"],
    device: dict[str, Any],
) -> None:
    with browser.new_context(color_scheme=scheme, **device) as context:
        page = context.new_page()
        ask(page, server, MICROPLASTICS)
        expect(page.get_by_role("heading", name=MICROPLASTICS)).to_be_visible(timeout=LONG)
        page.wait_for_url(re.compile(r"/report\?session="), timeout=LONG)  # by itself
        until_settled(page)
        fits(page)
        screen(page, "Activity")  # it is looked at again, and stays
        expect(page.get_by_role("list", name="Progress")).to_be_visible()
        fits(page)
        covers_nothing(page)
        screen(page, "Sources")
        what_if(page)
        fits(page)
        screen(page, "Report")
        citations = page.locator("a.cite")
        expect(citations.first).to_be_visible(timeout=LONG)
        assert download(page, tmp_path).startswith(f"# {MICROPLASTICS}\n")
        follow_a_citation(page)  # last: on a phone the passage is a dialog over all else
        fits(page)


def covers_nothing(page: Page) -> None:
    """Scrolled to its end, a screen ends above the box for a follow-up."""
    page.locator("[data-shell=assay]").scroll_into_view_if_needed()
    end = page.locator("[data-shell=assay]").bounding_box()
    box = page.get_by_placeholder("Ask a follow-up").bounding_box()
    assert end is not None
    assert box is not None
    assert end["y"] + end["height"] <= box["y"]


def what_if(page: Page) -> None:
    """A higher demand blocks more; the address holds it, and Reset takes it back."""
    minimum = page.get_by_role("slider", name="Minimum credibility")
    rewrite = page.get_by_role("button", name="Rewrite report")
    expect(rewrite).to_be_disabled(timeout=LONG)
    kept = page.get_by_text(re.compile(r"✓ kept \d+")).first
    before = kept.inner_text()
    minimum.focus()
    for _ in range(4):
        minimum.press("PageUp")
    expect(rewrite).to_be_enabled(timeout=LONG)
    expect(kept).not_to_have_text(before, timeout=LONG)
    expect(page).to_have_url(re.compile(r"if_minimum="))
    until_settled(page)  # a key that is sent after Reset would move the slider again
    page.get_by_role("button", name="Reset").click()
    expect(rewrite).to_be_disabled(timeout=LONG)


def follow_a_citation(page: Page) -> None:
    """By click and by address."""
    page.locator('a[href="#cite-3"]').click()
    expect(page.get_by_text(re.compile(r"Citation 3 of \d+")).first).to_be_visible(timeout=LONG)
    expect(page.locator("mark").first).to_be_visible()
    expect(page).to_have_url(re.compile(r"cite=3"))


def download(page: Page, folder: Path) -> str:
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Markdown", exact=True).click()
    waiting.value.save_as(folder / "report.md")
    named = re.fullmatch(
        r"what-are-the-effects-of-microplastics-on-marine-life_\d{4}-\d\d-\d\d_([0-9a-f]{6})\.md",
        waiting.value.suggested_filename,
    )
    assert named is not None
    assert f"session={named[1]}" in page.url
    return (folder / "report.md").read_text(encoding="utf-8")


# -- by keyboard -------------------------------------------------------------------------------------------------------------


def tab_to(page: Page, target: Locator, *, key: str = "Tab", most: int = 80) -> None:
    """Press Tab, or Shift+Tab, until the target has the focus, as somebody without a mouse does."""
    for _ in range(most):
        if target.evaluate(
            "element => element === document.activeElement || element.contains(document.activeElement)"
        ):
            return
        page.keyboard.press(key)
    raise AssertionError(f"{key} does not reach {target} in {most} steps")


@pytest.mark.full
def test_keyboard_alone_does_the_whole_path(
    server: str, page: Page, complaints: list[str], tmp_path: Path
) -> None:
    page.goto(server)
    until_settled(page)
    tab_to(page, page.get_by_label("Your question"))
    page.keyboard.type(MICROPLASTICS)
    page.keyboard.press("Control+Enter")
    page.wait_for_url(re.compile(r"/report\?session="), timeout=LONG)
    until_settled(page)
    tab_to(page, page.get_by_role("link", name="Sources", exact=True).first)
    page.keyboard.press("Enter")
    rewrite = page.get_by_role("button", name="Rewrite report")
    expect(rewrite).to_be_disabled(timeout=LONG)
    until_settled(page)
    tab_to(page, page.get_by_role("slider", name="Minimum credibility"))
    page.keyboard.press("PageUp")
    expect(rewrite).to_be_enabled(timeout=LONG)
    tab_to(page, page.get_by_role("link", name="Report", exact=True).first, key="Shift+Tab")
    page.keyboard.press("Enter")
    expect(page.locator("a.cite").first).to_be_visible(timeout=LONG)
    until_settled(page)
    page.keyboard.press("j")
    expect(page.get_by_text(re.compile(r"Citation 2 of \d+")).first).to_be_visible(timeout=LONG)
    tab_to(page, page.locator('a[href="#cite-4"]'))
    page.keyboard.press("Enter")
    expect(page.get_by_text(re.compile(r"Citation 4 of \d+")).first).to_be_visible(timeout=LONG)
    page.keyboard.press("k")
    expect(page.get_by_text(re.compile(r"Citation 3 of \d+")).first).to_be_visible(timeout=LONG)
    with page.expect_download() as waiting:
        tab_to(page, page.get_by_role("button", name="Markdown", exact=True), key="Shift+Tab")
        page.keyboard.press("Enter")
    assert waiting.value.suggested_filename.endswith(".md")


@pytest.mark.full
def test_every_chart_and_table_says_what_it_shows(server: str, page: Page) -> None:
    ask(page, server, MINING)
    page.wait_for_url(re.compile(r"/report\?session="), timeout=LONG)
    query = page.url.partition("?")[2]
    seen = 0
    for name in ("live", "sources", "gate", "report", "compare", "replay", "library", "settings"):
        page.goto(f"{server}/{name}?{query}")
        until_settled(page)
        drawn = page.locator(
            "[data-testid=stDataFrame], [data-testid=stPlotlyChart], [data-testid=stVegaLiteChart], [data-testid=stImage]"
        )
        for one in drawn.all():
            seen += 1
            named = one.evaluate(
                "element => !!(element.ariaLabel || element.querySelector('[aria-label]:not(button), img[alt]'))"
            )
            assert named, f"{name}: {one.inner_html()[:300]}"
        unnamed = page.locator("table:not(:has(caption)):not([aria-label]):not([role=grid])")
        assert [table.inner_text()[:80] for table in unnamed.all() if table.is_visible()] == [], (
            name
        )
    assert seen >= 3


# -- through reload, second tab and crash --------------------------------------------------------------------------------------


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


@pytest.mark.full
def test_run_outlives_reload_second_tab_and_a_killed_server(tmp_path: Path, page: Page) -> None:
    """A model that is slow to judge holds the run open; the server is killed meanwhile, and the
    next one takes the run on by itself. A follow-up then finds the pages of both processes.
    """
    port = free_port()
    with HTTPServer(threaded=True) as httpserver:
        model = Gemini(httpserver)
        model.slow, model.wait = "ORIGINAL QUERY", 60.0
        environment = {
            "GEMINI_API_KEY": "key",
            "ASSAY_GEMINI_URL": httpserver.url_for("").rstrip("/"),
        }
        with process(tmp_path, port=port, **environment) as (address, first):
            ask(page, address, MINING)
            expect(page.get_by_text("running").first).to_be_visible(timeout=LONG)
            page.reload()
            expect(page.get_by_role("heading", name=MINING)).to_be_visible(timeout=LONG)
            second = page.context.new_page()
            second.goto(page.url)
            expect(second.get_by_text(re.compile("Reads? “|Reads “")).first).to_be_visible(
                timeout=LONG
            )
            first.kill()
            first.wait(10)
            for tab in (page, second):
                expect(tab.get_by_text("Connection lost. Reconnecting…")).to_be_visible()
                expect(tab.get_by_text("running")).not_to_be_visible()
                expect(tab).to_have_title(re.compile("^Connection lost"))
        with process(tmp_path, port=port, **environment):
            for tab in (page, second):  # both watch again before the run ends
                expect(tab.get_by_text("Connection lost. Reconnecting…")).to_have_count(
                    0, timeout=LONG
                )
            model.free.set()
            for tab in (page, second):
                tab.wait_for_url(re.compile(r"/report\?session="), timeout=LONG)
            first_report = page.url
            box = page.get_by_placeholder("Ask a follow-up")
            box.fill("How far do the sediment plumes of deep-sea mining drift?")
            box.press("Enter")
            page.wait_for_url(
                lambda url: "/report?session=" in url and url != first_report, timeout=LONG
            )
            expect(
                page.get_by_role("heading", name="How far do the sediment plumes")
            ).to_be_visible(timeout=LONG)
        assert model.asked > 3
        said = (tmp_path / "server.log").read_text()
        assert "Traceback" not in said
