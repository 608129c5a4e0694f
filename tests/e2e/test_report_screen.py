"""The Report screen in a real browser: keys, the sheet of a phone, jumps, the table of citations,
paper.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from research_core.journal import store
from research_core.journal.events import json_in_order
from research_core.journal.store import EventRow, Store
from research_core.policy import RunSettings
from research_core.sessions import heartbeats, session_start
from research_core.settings import Settings
from research_core.wiring import LOCAL_USER, Resources
from tests.e2e.conftest import served
from tests.sample_sessions import research

LONG = 60_000
#: By its place among the cited sentences: what the check is made to have found. "uncited" also
#: loses its citations.
FOUND = {1: "partly", 2: "not found", 3: "uncited", 5: "partly"}
#: A question whose answer has a citation for each row of FOUND, and more.
QUESTION = "What are the most popular first dance songs for weddings in 2025?"
#: The rows of a table at the end of the text.
TABLE = [
    {"text": text, "citations": [], "state": "uncited", "note": ""}
    for text in ("| Year | Tides |", "|---|---|", "| 1999 | 706 |")
]


@dataclass(frozen=True)
class Shown:
    """A served report whose checks found what FOUND says."""

    address: str
    count: int


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shown]:
    folder = tmp_path_factory.mktemp("report")
    resources = Resources(Settings.from_env({"ASSAY_HOME": str(folder / "home")}))
    session, count = doctored(resources, research(resources, QUESTION))
    resources.db.engine.dispose()
    with served(folder) as server:
        yield Shown(f"{server}/report?session={session}", count)


def doctored(resources: Resources, answered: str) -> tuple[str, int]:
    """A copy of a session with other results of its checks, and how many citations it has."""
    session = session_start.new_session(resources, QUESTION, RunSettings())
    copy = Store(
        resources.db,
        LOCAL_USER,
        session,
        store.take_session(
            resources.db, LOCAL_USER, session, heartbeats.make_executor_id(), resources.clock.now()
        ),
    )
    count = 0
    origin: dict[str, str] = {}
    for event in Store(resources.db, LOCAL_USER, answered).read():
        data: Any = event.data
        if event.kind == "passages":
            origin.update((one["id"], data["url"]) for one in data["passages"])
        if event.kind == "verified":
            cited = [
                sentence
                for block in data["blocks"]
                for sentence in block["sentences"]
                if sentence["citations"]
            ]
            for place, state in FOUND.items():
                cited[place] |= {
                    "state": state,
                    "note": "Made so.",
                    **({"citations": []} if state == "uncited" else {}),
                }
            count = sum(bool(sentence["citations"]) for sentence in cited)
            data["blocks"] += [{"kind": "table", "level": 0, "sentences": [row]} for row in TABLE]
            # One more sentence, which cites two sources.
            passages = {origin[passage]: passage for one in cited for passage in one["citations"]}
            both = {**cited[0], "text": "Both say so.", "citations": list(passages.values())[:2]}
            data["blocks"].append({"kind": "paragraph", "level": 0, "sentences": [both]})
            count += 2
        row = EventRow(event.kind, json_in_order(data), event.key)
        if event.kind == "finished":
            row = replace(row, outcome=data["outcome"], decision=data["decision"])
        copy.append([row], {}, resources.clock.now())
    return session, count


PANE_IS_ABOVE_BAR = """() => {
  const bar = document.querySelector('[data-testid="stBottom"]').getBoundingClientRect();
  const parts = ['[data-testid="stColumn"]:has(.evidence)', '.st-key-evidence_ways'];
  return parts.every((part) => document.querySelector(part).getBoundingClientRect().bottom <= bar.top);
}"""


VERDICT_AND_WORDS_ARE_SEEN = """() => {
  const box = (part) => document.querySelector(part).getBoundingClientRect();
  const pane = box('[data-testid="stColumn"]:has(.evidence)');
  const head = box(".evidence header");
  const verdict = box(".evidence .checked");
  const words = box(".evidence mark");
  const end = Math.min(pane.bottom, innerHeight);
  return verdict.top >= box(".reader").bottom - 1 && verdict.bottom <= head.bottom
    && words.top >= head.bottom - 1 && words.top + 12 <= end;
}"""


@pytest.fixture
def desktop(report: Shown, page: Page, complaints: list[str]) -> Page:
    """The report on a wide screen, its citations ready."""
    return opened(page, report)


def opened(page: Page, report: Shown) -> Page:
    page.goto(report.address)
    expect(page.locator(".report [aria-current]")).to_have_count(1, timeout=LONG)
    return page


def status(page: Page) -> Locator:
    return page.locator(".reader [role=status]")


def on(page: Page, cite: int, count: int) -> None:
    """This citation is marked, named, in the address, and its passage is what is shown."""
    expect(status(page)).to_have_text(f"Citation {cite} of {count}")
    expect(page.locator(f'.report a[href="#cite-{cite}"]')).to_have_attribute(
        "aria-current", "true"
    )
    expect(page.get_by_role("region", name="Cited passage")).to_have_attribute(
        "data-cite", str(cite)
    )
    expect(page).to_have_url(re.compile(rf"[?&]cite={cite}$"))


@pytest.mark.full
def test_every_press_counts_however_fast(desktop: Page, report: Shown) -> None:
    for key in "jjjjjk":
        desktop.keyboard.press(key)
    on(desktop, min(6, report.count) - 1, report.count)
    desktop.reload()
    on(desktop, min(6, report.count) - 1, report.count)
    for key in "kkkkkkkkk":
        desktop.keyboard.press(key)
    on(desktop, 1, report.count)
    expect(desktop.get_by_role("button", name="Previous")).to_be_disabled()


@pytest.mark.full
def test_letters_typed_into_a_box_step_nowhere(desktop: Page, report: Shown) -> None:
    box = desktop.get_by_placeholder("Ask a follow-up")
    box.press_sequentially("jjk")
    expect(box).to_have_value("jjk")
    expect(status(desktop)).to_have_text(f"Citation 1 of {report.count}")


@pytest.mark.full
def test_report_is_where_it_was_left_for_another_screen(desktop: Page, report: Shown) -> None:
    desktop.keyboard.press("j")
    on(desktop, 2, report.count)
    desktop.get_by_role("link", name="Sources", exact=True).first.click()
    expect(desktop.locator("article.report")).to_have_count(0)
    desktop.get_by_role("link", name="Report", exact=True).first.click()
    on(desktop, 2, report.count)


def test_summary_leads_from_one_doubtful_place_to_the_next(desktop: Page, report: Shown) -> None:
    partly = desktop.get_by_role("button", name="◐ 2 partly supported")
    seen = []
    for _ in range(3):
        partly.click()
        current = desktop.locator(".report [aria-current]")
        expect(current).to_have_attribute("data-state", "partly")
        expect(current).to_be_in_viewport()
        seen.append(current.get_attribute("href"))
    assert seen[0] == seen[2] != seen[1]
    desktop.get_by_role("button", name="∅ 1 unsourced sentence").click()
    expect(desktop.locator(".uncited")).to_be_focused()
    expect(desktop.locator(".uncited")).to_be_in_viewport()


def test_row_of_the_table_opens_its_citation_in_text_and_pane(desktop: Page, report: Shown) -> None:
    desktop.locator('#cite-5 a[href="#goto-5"]').click()
    on(desktop, 5, report.count)
    expect(desktop.locator('.report a[href="#cite-5"]')).to_be_in_viewport()


@pytest.mark.full
def test_sentences_that_rest_on_one_source_are_marked_when_asked_for_and_lead_back(
    desktop: Page,
) -> None:
    marks = desktop.locator(".report .alone")
    expect(marks.first).to_be_hidden()
    desktop.locator(".st-key-mark_alone label").first.click()
    expect(marks.first).to_be_visible()
    folded = re.compile(r"\d+ of \d+ sentences? (has|have) only one source")
    desktop.locator("summary").filter(has_text=folded).click()
    # What still opens moves its links.
    desktop.locator("details[open]:not([style*=height])").filter(has_text=folded).wait_for()
    last = desktop.locator('.st-key-alone_list a[href^="#goto-"]').last
    cite = (last.get_attribute("href") or "").removeprefix("#goto-")
    last.click()
    expect(desktop.locator(f'.report a[href="#cite-{cite}"]')).to_be_in_viewport()
    expect(desktop.get_by_role("region", name="Cited passage")).to_have_attribute("data-cite", cite)


def test_the_count_in_the_head_opens_the_list_of_these_sentences(desktop: Page) -> None:
    links = desktop.locator('.st-key-alone_list a[href^="#goto-"]')
    expect(links.first).to_be_hidden()
    count = desktop.get_by_role("button", name=re.compile(r"^\d+ of \d+ sentences? ha"))
    count.click()
    expect(links.first).to_be_visible()
    stated = re.match(r"\d+", count.inner_text())
    assert stated is not None
    expect(links).to_have_count(int(stated[0]))


@pytest.mark.full
def test_every_table_has_a_name_and_a_head(desktop: Page) -> None:
    expect(
        desktop.get_by_role("table", name="Table in the text").get_by_role("columnheader")
    ).to_have_text(["Year", "Tides"])
    assert (
        desktop.locator(
            "table:not(:has(caption)):not([aria-label]):not([role=grid])"
        ).all_inner_texts()
        == []
    )


@pytest.mark.full
def test_contents_lead_to_a_heading(desktop: Page) -> None:
    desktop.get_by_text("Contents", exact=True).click()
    desktop.get_by_role("navigation", name="Contents").get_by_role(
        "link", name="Confidence Assessment"
    ).click()
    expect(desktop.get_by_role("heading", name="Confidence Assessment")).to_be_focused()
    expect(desktop.get_by_role("heading", name="Confidence Assessment")).to_be_in_viewport()


def test_sheet_of_a_phone_opens_with_a_tap_steps_and_closes(
    report: Shown, browser: Browser
) -> None:
    with browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True) as context:
        page = opened(context.new_page(), report)
        passage = page.get_by_role("region", name="Cited passage")
        close = page.get_by_role("button", name="Close the passage")
        expect(page.locator(".evidence")).to_be_hidden()
        page.locator('.report a[href="#cite-3"]').tap()
        expect(passage).to_be_visible()
        expect(close).to_be_focused()
        page.get_by_role("button", name="Next").tap()
        on(page, 4, report.count)
        above_the_sheet(page, page.locator('.report a[href="#cite-4"]'))
        close.tap()
        expect(page.locator(".evidence")).to_be_hidden()
        expect(page.locator('.report a[href="#cite-4"]')).to_be_focused()
        page.keyboard.press("Enter")
        expect(passage).to_be_visible()
        page.keyboard.press("Escape")
        expect(page.locator(".evidence")).to_be_hidden()
        expect(page.locator('.report a[href="#cite-4"]')).to_be_focused()
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.full
def test_sheet_is_a_dialog_that_keeps_the_keyboard_until_it_is_closed(
    report: Shown, browser: Browser
) -> None:
    with browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True) as context:
        page = opened(context.new_page(), report)
        dialog, inert = (
            page.get_by_role("dialog", name="The passage of a citation"),
            page.locator("[data-behind]"),
        )
        expect(dialog).to_have_count(0)
        page.locator('.report a[href="#cite-2"]').tap()
        expect(dialog).to_have_attribute("aria-modal", "true")
        for _ in range(15):
            page.keyboard.press("Tab")
            assert page.evaluate(
                "document.activeElement === document.body || !!document.activeElement.closest('[role=dialog]')"
            )
        page.keyboard.press("j")
        on(page, 3, report.count)
        expect(
            page.locator("article.report").locator("xpath=ancestor::*[@inert]")
        ).not_to_have_count(0)
        page.touchscreen.tap(190, 120)
        expect(dialog).to_have_count(0)
        expect(inert).to_have_count(0)
        expect(page.locator('.report a[href="#cite-3"]')).to_be_focused()
        page.keyboard.press("Enter")
        expect(dialog).to_be_visible()
        page.set_viewport_size({"width": 1280, "height": 800})
        expect(inert).to_have_count(0)
        expect(dialog).to_have_count(0)


def above_the_sheet(page: Page, place: Locator) -> None:
    """The place can be read: the sheet does not lie over it."""
    box, sheet = (
        place.bounding_box(),
        page.locator('[data-testid="stColumn"]:has(.evidence)').bounding_box(),
    )
    assert box
    assert sheet
    assert box["y"] > 0
    assert box["y"] + box["height"] <= sheet["y"]


def test_paper_gets_the_text_and_nothing_to_press(desktop: Page) -> None:
    desktop.emulate_media(media="print")
    expect(desktop.locator("article.report")).to_be_visible()
    for selector in (
        ".evidence",
        ".reader",
        ".st-key-downloads",
        ".st-key-share_menu",
        "table.citations",
        ".stTextArea",
        ".stAppHeader",
    ):
        expect(desktop.locator(selector).first).to_be_hidden()
    assert (
        desktop.locator(".stMain").evaluate("main => getComputedStyle(main).overflow") == "visible"
    )


def test_the_answer_and_its_passage_begin_at_the_top(report: Shown, browser: Browser) -> None:
    """Above the answer stand the heading, the facts, the tabs, and at most one line of caveat."""
    with browser.new_context(viewport={"width": 1440, "height": 900}) as context:
        page = opened(context.new_page(), report)
        first = page.locator("article.report > *").first.bounding_box()
        pane = page.locator(".reader").bounding_box()
        assert first
        assert pane
        assert first["y"] < 330
        assert abs(first["y"] - pane["y"]) < 30


def test_the_pane_ends_above_the_box_for_a_follow_up(report: Shown, browser: Browser) -> None:
    """Wherever the page is scrolled to; the links to the source stay in sight."""
    with browser.new_context(viewport={"width": 1440, "height": 700}) as context:
        page = opened(context.new_page(), report)
        for below in (0, 90, 300):
            page.get_by_test_id("stMain").evaluate("(main, to) => main.scrollTo(0, to)", below)
            page.wait_for_function(PANE_IS_ABOVE_BAR)


def test_the_verdict_and_the_words_are_in_sight_in_a_low_window(
    report: Shown, browser: Browser
) -> None:
    """The verdict stays in the head of the card, and the passage's words come into sight below."""
    with browser.new_context(viewport={"width": 1280, "height": 600}) as context:
        page = opened(context.new_page(), report)
        page.wait_for_function(VERDICT_AND_WORDS_ARE_SEEN)
        # The last two belong to a sentence that no page has.
        for cite in range(2, report.count - 1):
            page.keyboard.press("j")
            on(page, cite, report.count)
            page.wait_for_function(VERDICT_AND_WORDS_ARE_SEEN)


def test_a_sheet_opened_on_the_chosen_citation_shows_its_words(
    report: Shown, browser: Browser
) -> None:
    """Its passage was drawn before the sheet was there, so it had no place to be brought to."""
    with browser.new_context(viewport={"width": 390, "height": 560}, has_touch=True) as context:
        page = opened(context.new_page(), report)
        page.locator(".report [aria-current]").tap()
        page.wait_for_function(VERDICT_AND_WORDS_ARE_SEEN)


@pytest.mark.parametrize("way", ["hover", "focus"])
def test_a_mark_shows_its_passage_until_escape(desktop: Page, way: str) -> None:
    mark = desktop.locator('.report a[href="#cite-2"]')
    tip = "mark => getComputedStyle(mark, '::after').content"
    assert mark.evaluate(tip) == "none"
    if way == "hover":
        mark.hover()
    else:
        desktop.locator('.report a[href="#cite-1"]').focus()
        desktop.keyboard.press("Tab")
        expect(mark).to_be_focused()
    shown = mark.evaluate(tip)
    passage = desktop.locator('.report a[href="#cite-2"]').get_attribute("data-tip") or ""
    assert passage.count("\n") == 2
    assert passage.partition("\n")[0] in shown
    desktop.keyboard.press("Escape")
    assert mark.evaluate(tip) == "none"


def test_a_shared_link_opens_for_a_browser_that_knows_nothing(
    desktop: Page, browser: Browser
) -> None:
    desktop.get_by_role("button", name="Share").click()
    desktop.get_by_role("button", name="Create link").click()
    link = desktop.locator("code").filter(has_text="/shared/")
    address = link.inner_text(timeout=LONG).strip()
    with browser.new_context(java_script_enabled=False) as context:
        page = context.new_page()
        page.goto(address)
        expect(page.get_by_role("heading", name=QUESTION)).to_be_visible()
        page.get_by_role("link", name="Gate", exact=True).click()
        expect(page.get_by_role("heading", name="Gate", exact=True)).to_be_in_viewport()
        assert page.locator("button, input, script, form").count() == 0
        assert context.cookies() == []
    desktop.get_by_role("button", name="Revoke").click()
    expect(link).to_have_count(0)
    assert desktop.request.get(address).status == 404
