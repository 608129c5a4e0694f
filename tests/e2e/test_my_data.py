"""What only a browser shows of My data: a click that agrees, the file that is downloaded, the word
that erases, and a phone's width.
"""

from __future__ import annotations

import json
from pathlib import Path

from playwright.sync_api import Page, expect

from research_core.journal import store
from research_core.sessions import user_summary
from research_core.settings import Settings
from research_core.userdata import analytics, memory
from research_core.wiring import LOCAL_USER, Resources
from tests.e2e.conftest import LONG, process, until_settled

HOSTILE = "<img src=http://evil.example/i.png> ![x](http://evil.example/x.png)"


def fill(home: Path) -> None:
    resources = Resources(Settings.from_env({"ASSAY_HOME": str(home)}))
    now = resources.clock.now()
    user_summary.set_consent(resources, "analytics", True)
    analytics.count_tool_call(resources.db, LOCAL_USER, "web_search", now)
    memory.save_note(resources.db, LOCAL_USER, HOSTILE, "topic", "", [], now)
    store.create_session(resources.db, LOCAL_USER, "mine", "What is asked?", {"mode": "quick"}, now)
    resources.close()


def test_data_is_agreed_to_taken_and_erased_and_loads_nothing(
    page: Page, complaints: list[str], tmp_path: Path
) -> None:
    fill(tmp_path / "home")
    with process(tmp_path, MEMORY_ENABLED="true") as (address, _):
        page.goto(f"{address}/my_data?session=mine")
        page.get_by_role("button", name="Agree").first.click(timeout=LONG)
        expect(page.get_by_role("button", name="Withdraw")).to_have_count(2, timeout=LONG)
        with page.expect_download() as coming:
            page.get_by_role("button", name="Download my data").click()
        told = json.loads(coming.value.path().read_text(encoding="utf-8"))
        assert [each["note"] for each in told["memories"]] == [HOSTILE]
        assert [each["purpose"] for each in told["consents"]] == ["analytics", "memory"]
        page.get_by_text("Erase my data").first.click()
        word = page.get_by_label("Type ERASE to confirm")
        word.fill("erase")
        word.press("Enter")
        expect(page.get_by_text("Nothing was erased")).to_be_visible()
        word.fill("ERASE")
        word.press("Enter")
        expect(
            page.get_by_text("Erased: 2 consents, 1 note, 1 tool count, 1 session.")
        ).to_be_in_viewport(timeout=LONG)
        expect(page.get_by_text("Nothing is stored about you yet.")).to_be_visible()
        assert "session" not in page.url
        page.set_viewport_size({"width": 390, "height": 800})
        until_settled(page)
        assert page.evaluate("document.documentElement.scrollWidth") == 390
        page.reload()
        expect(page.get_by_text("Nothing is stored about you yet.")).to_be_visible(timeout=LONG)
    assert complaints == []
