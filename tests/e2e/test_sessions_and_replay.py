"""Sessions put in order, compared and played back in a browser, by the keyboard alone where it
matters.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from research_core.policy import CredibilityPolicy, RunSettings
from research_core.sessions import heartbeats, runner, session_start
from research_core.settings import Settings
from research_core.wiring import Resources
from tests.e2e.conftest import LONG, served, until_settled
from tests.sample_sessions import ANSWERED, UNANSWERED, research


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str, str]]:
    """A server with three sessions; its address, the answered one and a rewrite of it."""
    folder: Path = tmp_path_factory.mktemp("sessions")
    resources = Resources(Settings.from_env({"ASSAY_HOME": str(folder / "home")}))
    answered = research(resources, ANSWERED)
    research(resources, UNANSWERED)
    rewritten = session_start.rewrite(
        resources, answered, RunSettings(credibility=CredibilityPolicy(minimum=0.7))
    )
    executor = heartbeats.make_executor_id()
    with heartbeats.keep_heartbeat(resources, executor):
        runner.resume_or_run(resources, rewritten, executor)
    resources.db.close()
    with served(folder) as address:
        yield address, answered, rewritten


def press(page: Page, key: str) -> None:
    """Push a button without a mouse."""
    page.locator(f".st-key-{key} button").focus()
    page.keyboard.press("Enter")


def tab_into(page: Page, inside: str) -> None:
    for _ in range(8):
        if page.evaluate(f"document.activeElement.closest('{inside}') !== null"):
            return
        page.keyboard.press("Tab")
    pytest.fail(f"eight tabs did not lead into {inside}")


def test_sessions_are_renamed_deleted_and_brought_back_without_a_mouse(
    page: Page, place: tuple[str, str, str], complaints: list[str]
) -> None:
    address, answered, _ = place
    page.goto(f"{address}/sessions")
    until_settled(page)
    rows = page.locator("[class*=st-key-session_]")
    expect(rows).to_have_count(3)
    row = page.locator(f".st-key-session_{answered}")
    row.get_by_role("checkbox").focus()
    page.keyboard.press("Space")
    press(page, "rename")
    title = f".st-key-title_{answered}"
    expect(page.locator(f"{title} input")).to_be_visible()
    tab_into(page, title)
    page.keyboard.type("What mining does")
    page.keyboard.press("Enter")
    expect(row.get_by_role("link", name="What mining does")).to_be_visible()
    press(page, "confirm_delete")
    expect(page.get_by_text("with its sources and report?")).to_be_visible()
    press(page, "delete")
    expect(rows).to_have_count(2)
    press(page, "undo_delete")
    expect(rows).to_have_count(3)


@pytest.mark.parametrize("width", [pytest.param(1280, marks=pytest.mark.full), 390])
@pytest.mark.parametrize(
    "screen",
    [
        pytest.param("/sessions?", marks=pytest.mark.full),
        "/compare?session={0}&with={1}",
        pytest.param("/replay?session={0}", marks=pytest.mark.full),
    ],
)
def test_nothing_sticks_out(
    page: Page, place: tuple[str, str, str], complaints: list[str], screen: str, width: int
) -> None:
    page.set_viewport_size({"width": width, "height": 844})
    page.goto(place[0] + screen.format(*place[1:]))
    until_settled(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_log_is_stepped_through_and_played_by_keys(
    page: Page, place: tuple[str, str, str], complaints: list[str]
) -> None:
    address, answered, _ = place
    page.goto(f"{address}/replay?session={answered}&at=30")
    until_settled(page)
    point = page.locator(".st-key-at input[type=range]")
    expect(point).to_have_value("30")
    reached = ["30"]  # which events are steps depends on the order in which pages arrived
    for _ in range(2):
        page.keyboard.press("j")
        expect(point).not_to_have_value(reached[-1])
        reached.append(point.input_value())
    page.keyboard.press("k")
    expect(point).to_have_value(reached[1])
    press(page, "last")
    expect(page.locator(".steps [aria-current=step]")).to_contain_text("Finished")
    expect(point).to_have_value(str(point.get_attribute("max")))
    for _ in range(6):
        here = point.input_value()
        page.keyboard.press("k")
        expect(point).not_to_have_value(here)
    page.keyboard.press("p")
    expect(page.locator(".st-key-play")).to_contain_text("Pause")
    expect(page.locator(".steps [aria-current=step]")).to_contain_text("Finished", timeout=LONG)
    expect(page.locator(".st-key-play")).to_contain_text("Play", timeout=LONG)  # it stops by itself
    press(page, "derive")
    expect(page.get_by_text("The same report, byte for byte")).to_be_visible()
