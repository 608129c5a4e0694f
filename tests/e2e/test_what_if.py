"""What-if in a browser: a slider redraws its parts, a row opens its source by the keyboard, the
chart filters, and the address keeps it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from parts.session.sources.filters import RULES
from research_core.settings import Settings
from research_core.wiring import Resources
from tests.e2e.conftest import LONG, served, until_settled
from tests.sample_sessions import ANSWERED, crowded, research

ROWS = ".source_table tbody tr"


@pytest.fixture(scope="module")
def addresses(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    """The Sources screen of an answered session, and that of one with 300 sources."""
    folder: Path = tmp_path_factory.mktemp("what-if")
    resources = Resources(Settings.from_env({"ASSAY_HOME": str(folder / "home")}))
    session, crowd = research(resources, ANSWERED), crowded(resources, 300)
    resources.db.close()
    with served(folder) as server:
        yield f"{server}/sources?session={session}", f"{server}/sources?session={crowd}"


@pytest.fixture
def address(addresses: tuple[str, str]) -> str:
    return addresses[0]


def opened(page: Page, address: str) -> None:
    page.goto(address)
    until_settled(page)
    expect(page.locator(".js-plotly-plot .point").first).to_be_attached(timeout=LONG)


def rows(page: Page, count: int) -> None:
    expect(page.locator(ROWS)).to_have_count(count, timeout=LONG)


def test_a_slider_redraws_its_parts_alone_and_the_address_keeps_it(
    page: Page, address: str, complaints: list[str]
) -> None:
    opened(page, address)
    page.evaluate("document.querySelector('h1').dataset.drawn = 'once'")
    page.locator(".st-key-advanced button").first.click()
    slider = page.get_by_role("slider", name="Minimum relevance")
    slider.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(page.locator(".st-key-only")).to_contain_text("dropped 4", timeout=LONG)
    page.keyboard.press("Escape")
    expect(page.locator(".effect")).to_contain_text("Sentences without support", timeout=LONG)
    expect(page.locator("h1[data-drawn=once]")).to_be_attached()
    expect(page).to_have_url(re.compile("if_cutoff=5"))
    page.reload()
    expect(page.locator(".st-key-only")).to_contain_text("dropped 4", timeout=LONG)
    page.locator(".st-key-if_back button").first.click()
    expect(page.locator(".effect")).to_contain_text("Nothing would change", timeout=LONG)
    expect(page).not_to_have_url(re.compile("if_cutoff"))


def test_rows_that_a_slider_changes_stay_under_their_filter_in_one_table(
    page: Page, address: str, complaints: list[str]
) -> None:
    opened(page, address)
    every = page.locator(ROWS).count()
    blocked = page.locator(".st-key-only button", has_text="blocked")
    blocked.click()
    expect(page.get_by_text(RULES["blocked"])).to_be_visible(timeout=LONG)
    kept = page.locator(ROWS).count()
    assert 0 < kept < every
    page.get_by_role("slider", name="Minimum credibility").press("Home")
    expect(blocked).to_contain_text("blocked 0", timeout=LONG)
    rows(page, kept)
    expect(page.locator(".source_table")).to_have_count(1)
    blocked.click()
    rows(page, every)
    expect(page.locator(".source_table")).to_have_count(1)


@pytest.mark.full
def test_a_row_opens_by_the_keyboard_and_is_struck_and_restored(
    page: Page, address: str, complaints: list[str]
) -> None:
    opened(page, address)
    page.locator(ROWS).first.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    card = page.locator(".st-key-opened")
    expect(card).to_contain_text("needs more than 0.50", timeout=LONG)
    expect(page.locator(ROWS).nth(1)).to_have_attribute("aria-selected", "true")
    expect(page.locator(ROWS).nth(1)).to_be_focused()
    expect(page).to_have_url(re.compile(r"source=\w+"))
    page.get_by_role("button", name="Exclude").first.press("Enter")
    expect(page.locator(".st-key-only")).to_contain_text("excluded 1", timeout=LONG)
    expect(page).to_have_url(re.compile(r"struck=\w+"))
    expect(page.get_by_role("button", name="Rewrite report")).to_be_enabled()
    page.get_by_role("button", name="Restore").first.press("Enter")
    expect(page.locator(".st-key-only")).not_to_contain_text("excluded", timeout=LONG)
    page.keyboard.press("Escape")
    expect(card).to_have_count(0, timeout=LONG)


@pytest.mark.parametrize(
    ("cutoff", "rule", "says"),
    [
        pytest.param(5, "dropped", "if_cutoff=4", marks=pytest.mark.full),
        (3, "blocked", r"approved=\w+"),
    ],
    ids=["dropped", "blocked"],
)
def test_a_rejected_source_is_brought_back_by_one_press_in_its_row(
    page: Page, address: str, complaints: list[str], cutoff: int, rule: str, says: str
) -> None:
    opened(page, f"{address}&if_cutoff={cutoff}")
    of_this_rule = page.locator(".st-key-only button", has_text=rule).first
    of_this_rule.click()
    expect(page.get_by_text(RULES[rule])).to_be_visible(timeout=LONG)
    until_settled(page)
    page.locator(f"{ROWS} .of_action button").first.click()
    expect(page).to_have_url(re.compile(says), timeout=LONG)
    expect(page.get_by_role("button", name="Rewrite report")).to_be_enabled(timeout=LONG)


def test_a_column_sorts_by_a_press_and_a_third_press_brings_the_order_back(
    page: Page, address: str, complaints: list[str]
) -> None:
    opened(page, address)
    before = page.locator(f"{ROWS} .title").all_inner_texts()
    head = page.get_by_role("columnheader", name="Credibility")
    figures = page.locator(f"{ROWS} .of_score span")
    for direction, reverse in (("ascending", False), ("descending", True)):
        head.get_by_role("button").press("Enter")
        expect(head).to_have_attribute("aria-sort", direction)
        scores = [float(figure) for figure in figures.all_inner_texts()]
        assert scores == sorted(scores, reverse=reverse)
    head.get_by_role("button").press("Enter")
    expect(head).not_to_have_attribute("aria-sort", re.compile("."))
    assert page.locator(f"{ROWS} .title").all_inner_texts() == before


@pytest.mark.parametrize(("width", "height", "lowest"), [(1440, 900, 420), (390, 844, 620)])
def test_the_first_row_is_high_on_the_screen_also_with_other_settings(
    page: Page, address: str, width: int, height: int, lowest: int
) -> None:
    page.set_viewport_size({"width": width, "height": height})
    opened(page, f"{address}&if_minimum=0.62")
    box = page.locator(ROWS).first.bounding_box()
    assert box
    assert box["y"] < lowest


def test_the_table_ends_above_the_box_for_a_follow_up(page: Page, address: str) -> None:
    page.set_viewport_size({"width": 1440, "height": 900})
    opened(page, address)
    page.wait_for_function("""() => {
        const end = name => document.querySelector(name)?.getBoundingClientRect();
        const table = end(".source_table"), bar = end("[data-testid=stBottom]");
        return table && bar && table.bottom <= bar.top;
    }""")


@pytest.mark.full
def test_points_selected_in_the_chart_filter_the_table(
    page: Page, address: str, complaints: list[str]
) -> None:
    opened(page, address)
    table = page.locator(ROWS)
    expect(table.first).to_be_attached(timeout=LONG)
    all_rows = table.count()
    chart = page.locator(".js-plotly-plot .nsewdrag").first
    chart.scroll_into_view_if_needed()
    box = chart.bounding_box()
    assert box
    left, top, width, height = box["x"], box["y"], box["width"], box["height"]
    page.mouse.move(left + 0.3 * width, top + 2)
    page.mouse.down()
    page.mouse.move(left + 0.6 * width, top + height - 4, steps=6)
    page.mouse.up()
    selected = page.locator(".st-key-unpick")
    expect(selected).to_contain_text(re.compile(r"\d selected in the chart"), timeout=LONG)
    match = re.search(r"(\d+) selected", selected.inner_text())
    assert match
    assert 0 < int(match[1]) < all_rows
    rows(page, int(match[1]))
    page.locator(".st-key-unpick button").first.click()
    rows(page, all_rows)


def test_on_a_phone_decision_score_and_title_are_in_sight_and_an_opened_source_too(
    browser: Browser, address: str, browser_context_args: dict[str, object]
) -> None:
    context = browser.new_context(
        viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True
    )
    page = context.new_page()
    opened(page, f"{address}&source=2")
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    title = page.locator(f"{ROWS} .title").first
    title.scroll_into_view_if_needed()
    shown = title.bounding_box()
    assert shown
    assert shown["width"] > 200, "the title has the width of the screen"
    for part in (".of_state", ".of_score"):
        box = page.locator(f"{ROWS} {part}").first.bounding_box()
        assert box
        assert box["x"] + box["width"] <= 390
    names = page.locator(".source_table thead button")
    edges = names.evaluate_all("(all) => all.map((b) => b.getBoundingClientRect().right)")
    assert max(edges) <= 390, "the names to sort by wrap"
    expect(page.locator(".opened .title").first).to_be_in_viewport()
    page.locator(".st-key-advanced button").first.click()
    switches = page.locator(".st-key-if_parts [role=toolbar] button, .st-key-if_read button")
    expect(switches.nth(6)).to_be_attached(timeout=LONG)
    edges = switches.evaluate_all("(all) => all.map((b) => b.getBoundingClientRect().right)")
    assert len(edges) >= 7
    assert max(edges) <= 390, "the switches wrap"
    context.close()


@pytest.mark.full
def test_scores_that_move_are_told_and_the_chart_moves_with_them(
    page: Page, addresses: tuple[str, str], complaints: list[str]
) -> None:
    opened(page, addresses[1])
    places = "[...document.querySelectorAll('.js-plotly-plot .point')].map((point) => point.getAttribute('transform')).join()"
    before = page.evaluate(places)
    page.locator(".st-key-advanced button").first.click()
    page.get_by_role("slider", name="Site weight").focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator(".effect")).to_contain_text("Score changed", timeout=LONG)
    expect(page.locator(".effect .in_short")).to_contain_text(
        re.compile(r"\d+ scores? change"), timeout=LONG
    )
    page.wait_for_function(f"{places} !== {before!r}", timeout=LONG)


@pytest.mark.full
def test_somebody_quick_moves_a_slider_before_the_screen_is_drawn_to_its_end(
    context: BrowserContext, addresses: tuple[str, str]
) -> None:
    for _ in range(2):
        page = context.new_page()
        page.goto(addresses[1])
        slider = page.get_by_role("slider", name="Minimum credibility")
        slider.focus(timeout=LONG)
        page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowRight")
        expect(page).to_have_url(re.compile("if_minimum=0.52"), timeout=LONG)
        expect(page.locator(".st-key-only")).to_be_attached(timeout=LONG)
        until_settled(page)
        assert page.locator("[data-testid=stException]").count() == 0
        page.close()


@pytest.mark.parametrize("screen", ["Gate", "Report"])
def test_back_returns_to_the_settings_of_a_screen_that_was_left(
    page: Page, address: str, screen: str
) -> None:
    opened(page, address)
    page.get_by_role("slider", name="Minimum credibility").focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    expect(page).to_have_url(re.compile("if_minimum=0.53"), timeout=LONG)
    page.locator(".st-key-tabs").get_by_role("link", name=screen, exact=True).click()
    expect(page).to_have_url(re.compile(rf"/{screen.lower()}\?session="), timeout=LONG)
    until_settled(page)
    if screen == "Gate":
        page.locator(".st-key-gate_choice button").first.click()
        until_settled(page)
    page.go_back()
    expect(page).to_have_url(re.compile(r"/sources\?.*if_minimum=0.53"), timeout=LONG)
    until_settled(page)
    expect(page.locator(".st-key-main_slider")).to_contain_text("0.53", timeout=LONG)
    expect(page.get_by_role("button", name="Reset")).to_have_count(1)
    expect(page.get_by_role("button", name="Reset")).to_be_enabled()
    assert "if_minimum=0.53" in page.url


@pytest.mark.parametrize(
    ("pressed", "changed", "expected"),
    [
        ("&if_minimum=0.53", "", "&if_minimum=0.53"),
        ("", "&if_minimum=0.61", "&if_minimum=0.61"),
        ("&if_minimum=0.53", "&if_minimum=0.61", "&if_minimum=0.61"),
    ],
    ids=["settings removed", "settings added", "value changed"],
)
def test_a_screen_that_is_left_keeps_its_latest_settings_and_the_state_of_its_entry(
    page: Page, address: str, pressed: str, changed: str, expected: str
) -> None:
    opened(page, address + pressed)
    page.locator("h1").first.click()
    left = page.evaluate(
        """async ([changed, next]) => {
            history.replaceState({ place: 7 }, "", changed);
            history.pushState({}, "", next);
            const back = new Promise((done) =>
                addEventListener("popstate", (event) => done([location.href, event.state])));
            history.back();
            return await back;
        }""",
        [address + changed, address.replace("/sources?", "/gate?")],
    )
    assert left == [address + expected, {"place": 7}]
