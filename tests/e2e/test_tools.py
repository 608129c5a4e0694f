"""What only a browser shows of Tools.

A tool opened by a click, asked by keyboard and no second time, stopped; hostile results load
nothing.
"""

from __future__ import annotations

import json
import re
import threading
from pathlib import Path

from playwright.sync_api import Page, expect
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from tests.e2e.conftest import LONG, process

ROW = {
    "title": "<img src=http://evil.example/i.png> Mining",
    "url": "https://example.org/a",
    "content": "![x](http://evil.example/x.png)",
}


def test_tool_is_opened_stopped_and_asked_and_its_answer_loads_nothing(
    page: Page, complaints: list[str], tmp_path: Path, httpserver: HTTPServer
) -> None:
    arrived, gate, asked = threading.Event(), threading.Event(), list[str]()

    def answer(request: Request) -> Response:
        asked.append(request.args["q"])
        if request.args["q"] == "slow":
            arrived.set()
            gate.wait(60)
        return Response(json.dumps({"results": [ROW]}), content_type="application/json")

    httpserver.expect_request("/search").respond_with_handler(answer)
    with process(
        tmp_path, SEARXNG_URL=httpserver.url_for("").rstrip("/"), SEARCH_ROUTING="searxng"
    ) as (address, _):
        page.goto(f"{address}/tools")
        page.get_by_role("button", name="Web search web_search").click(timeout=LONG)
        page.wait_for_url(re.compile(r"/tools\?tool=web_search$"))
        query = page.get_by_role("textbox", name="Query (required)")
        expect(query).to_be_focused(timeout=LONG)
        query.fill("slow")
        query.press("Enter")
        query.press("Control+Enter")
        run = page.get_by_role("button", name="Run")
        expect(run).to_be_disabled(timeout=LONG)
        for key in ("Enter", "Control+Enter"):
            query.press(key)
        run.dispatch_event("click")
        assert arrived.wait(60), "the service was not asked"
        screen = page.get_by_test_id(
            "stMainBlockContainer"
        )  # Streamlit's header has a Stop of its own while a screen is drawn
        screen.get_by_role("button", name="Stop").click(timeout=LONG)
        expect(page.get_by_text("✕ stopped")).to_be_visible(timeout=LONG)
        expect(run).to_be_enabled(timeout=LONG)
        gate.set()
        query.fill("mining")
        query.press("Control+Enter")
        expect(page.get_by_role("link", name="Mining")).to_have_attribute(
            "href", ROW["url"], timeout=LONG
        )
        page.wait_for_url(re.compile(r"query=mining"))
        expect(run).to_be_enabled(timeout=LONG)
    assert asked == ["slow", "mining"]
    assert complaints == []
