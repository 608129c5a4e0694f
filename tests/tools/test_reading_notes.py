"""What the tools say of how a page was read."""

from __future__ import annotations

import json
from collections.abc import Mapping

import pytest

from research_core import tools
from research_core.context import ResearchContext
from research_core.model_messages import Json
from research_core.models import HttpReply
from tests.tool_calls_made import check_answer
from tests.tool_session import Engine, Web, make_context, row

URL, QUERY = "https://a.test/port", "harbour gauges"
PROSE = "The gauge on the pier was read every morning, and the figures were sent to the town. " * 4
DECLARED = json.dumps({"@type": "NewsArticle", "headline": "Gauges", "wordCount": 900})

#: (content type, body, words of the note), by what is to be said of the page.
PAGES: Mapping[str, tuple[str, bytes, str]] = {
    "an encoding that was assumed": (
        "text/csv",
        "Hafen;Stadt;Pegel\nKöln;Köln am Rhein;3\nDüsseldorf;Düsseldorf;4\n".encode("cp1252"),
        "The text was read as Windows-1252",
    ),
    "an encoding in Russian": (
        "text/plain",
        "Порт был основан в начале века. Маяк построили тогда же.".encode("koi8-r"),
        "The text was read as KOI8-R",
    ),
    "a part of the article": (
        "text/html",
        f"<html><title>Gauges</title><script type='application/ld+json'>{DECLARED}</script>"
        f"<article><h1>Gauges</h1><p>{PROSE}</p></article></html>".encode(),
        "of the 900 words of the article could be read",
    ),
    "a page cut at a limit": (
        "text/plain",
        PROSE.encode() * 8_000,
        "The first 2 of",
    ),
    "characters that cannot be read": (
        "text/html; charset=iso-2022-jp",
        f"<html><title>Gauges</title><p>{PROSE}</p><p>".encode() + b"\x1b$B\xff\xff\x1b(B</p></html>",
        "of its characters",
    ),
}  # fmt: skip


def make_session(content_type: str, body: bytes) -> ResearchContext:
    page = HttpReply(URL, 200, {"content-type": content_type}, body)
    return make_context(Engine(answers={QUERY: [row(URL, QUERY)]}), web=Web({URL: page}))


def call(tool: str, arguments: Json, context: ResearchContext) -> Json:
    answer: Json = json.loads(tools.run_tool(tool, arguments, context))
    check_answer(tool, answer)
    return answer


@pytest.mark.parametrize("name", PAGES)
def test_both_tools_say_what_is_uncertain_or_missing(name: str) -> None:
    content_type, body, words = PAGES[name]
    scraped = call("scrape_page", {"url": URL}, make_session(content_type, body))
    assert words in " ".join(scraped["notes"])
    found = call("search_and_scrape", {"query": QUERY}, make_session(content_type, body))
    assert found["sources"][0]["notes"] == scraped["notes"]


def test_a_page_read_whole_has_no_notes() -> None:
    body = f"<html><title>Gauges</title><p>{PROSE}</p></html>".encode()
    assert "notes" not in call("scrape_page", {"url": URL}, make_session("text/html", body))
    found = call("search_and_scrape", {"query": QUERY}, make_session("text/html", body))
    assert "notes" not in found["sources"][0]
