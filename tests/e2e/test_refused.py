"""What the core refuses, in a browser: said on the screen, which stays whole and goes on following
the session.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from research_core.journal import store
from research_core.sessions import heartbeats
from research_core.settings import Settings
from research_core.wiring import LOCAL_USER, Resources
from tests.e2e.conftest import LONG, process, until_settled
from tests.sample_sessions import ANSWERED, SampleSessions, research


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    """Live, on a session that gathers."""
    resources = Resources(Settings.from_env({"ASSAY_HOME": str(tmp_path / "home")}))
    answered = research(resources, ANSWERED)
    session = SampleSessions(resources, answered, answered).cut("running")
    executor = store.find_session(resources.db, LOCAL_USER, session).executor
    assert executor
    heartbeats.record_beat(
        resources.db, executor, resources.clock.now() + 600
    )  # it is alive as long as the test looks
    resources.db.close()
    with process(tmp_path, ASSAY_WORKER_ONLY="1") as (server, _):
        yield f"{server}/live?session={session}"


def test_an_instruction_that_is_refused_is_said_and_the_screen_stays(
    page: Page, address: str, complaints: list[str]
) -> None:
    page.goto(address)
    until_settled(page)
    box = page.get_by_placeholder("Also cover …")
    box.fill("ab")
    page.locator(".st-key-tell button").click()
    refused = page.locator("[data-testid=stAlert]")
    expect(refused).to_be_visible(timeout=LONG)
    page.wait_for_timeout(2500)  # two looks at the log
    expect(refused).to_have_count(1)
    expect(page.locator("h1")).to_contain_text("environmental risks")
    box.fill("and what it does to turtles")
    page.locator(".st-key-tell button").click()
    expect(page.locator(".instructions")).to_contain_text("turtles", timeout=LONG)
    expect(refused).to_have_count(0)
