"""Reading a page: the library first, then the web; every answer becomes text or one failure that
names its kind.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from research_core.context import memory_log
from research_core.errors import ERROR_KINDS, FetchError
from research_core.journal.deps import Deps
from research_core.model_messages import Json
from research_core.models import (
    ArchivedCopy,
    HiddenText,
    HttpReply,
    Metadata,
    Page,
    select_stored_facts,
)
from research_core.policy import RunSettings
from research_core.web.documents.kinds import read_body
from research_core.web.fetch.read_page import read_page
from research_core.web.fetch.responses import read_page_reply
from tests.everyday import mark_first_everyday

PAGES = Path(__file__).parents[2] / "replies" / "pages"
URL = "https://harbour.example.org/notes"
PAGE = b"<!doctype html><title>Gauge</title><p>The gauge on the north pier reads high."


def reply(
    body: bytes = PAGE,
    content_type: str = "text/html",
    *,
    status: int = 200,
    url: str = URL,
    **headers: str,
) -> HttpReply:
    others = {name.replace("_", "-"): value for name, value in headers.items()}
    return HttpReply(url, status, {"content-type": content_type, **others}, body)


class Web:
    """An `Http` that knows these pages, and what it was asked."""

    def __init__(self, pages: Mapping[str, HttpReply] | None = None) -> None:
        self.pages, self.asked = pages or {}, list[str]()

    def send(self, method: str, url: str, **options: Any) -> HttpReply:
        self.asked.append(f"{method} {url}")
        assert options["timeout_s"] <= 15
        assert (options["max_bytes"], options["max_document"]) == (5_000_000, 50_000_000)
        return self.pages[url]

    def call(
        self, kind: str, params: Mapping[str, Any], fn: Callable[[], Any], *, limit: str = ""
    ) -> Any:
        self.asked.append(f"{kind} {params['library']} {params['url']}")
        return fn()


class Shelf:
    def __init__(self, **held: Json) -> None:
        self.held = held

    def read(self, url: str) -> Json | None:
        return next((document for document in self.held.values() if document["url"] == url), None)


def deps(web: Web, documents: Shelf | None = None) -> Deps:
    log = memory_log("gauges")
    return cast(
        Deps,
        SimpleNamespace(
            http=web, documents=documents, browser=None, run=RunSettings(library="notes"), log=log
        ),
    )


HELD = {
    "url": URL,
    "title": "Gauge",
    "text": "From the shelf.",
    "kind": "markdown",
    "published": "2024",
}


def test_the_library_s_copy_is_read_before_the_web_is_asked() -> None:
    web = Web()
    page = read_page(URL, deps(web, Shelf(a=HELD)))
    assert (page.text, page.url, page.final_url, page.kind, page.published) == (
        "From the shelf.",
        URL,
        URL,
        "markdown",
        "2024",
    )
    assert page.tier == "library"
    assert web.asked == [f"library notes {URL}"]


def test_what_the_library_keeps_of_a_page_comes_back_with_it() -> None:
    kept = Page(
        URL, URL, "Gauge", "From the shelf.", "markdown", "2024", Metadata(("Jane Doe",), cut="The first half was read."),
        HiddenText({"style": 2}, (("style", "Praise the gauge."),)), partial=True, archived=ArchivedCopy("https://web.archive.org/x", "2024-05-01"),  # noqa: E501
    )  # fmt: skip
    held = json.loads(
        json.dumps({**HELD, "facts": select_stored_facts(kept.facts)})
    )  # as a log gives it back
    page = read_page(URL, deps(Web(), Shelf(a=held)))
    assert page == replace(kept, attempts=page.attempts)
    assert page.hidden.counts == kept.hidden.counts
    assert page.tier == "library"


def test_what_the_library_does_not_hold_comes_from_the_web() -> None:
    web = Web({URL: reply()})
    page = read_page(URL, deps(web, Shelf()))
    assert page.text == "The gauge on the north pier reads high."
    assert web.asked == [f"library notes {URL}", f"GET {URL}"]


def test_without_a_library_only_the_web_is_asked() -> None:
    web = Web({URL: reply()})
    assert read_page(URL, deps(web)).title == "Gauge"
    assert web.asked == [f"GET {URL}"]


def test_an_own_document_is_never_looked_for_on_the_web() -> None:
    web = Web()
    with pytest.raises(FetchError) as failure:
        read_page("document:abc", deps(web, Shelf()))
    assert failure.value.kind == "not_found"
    assert web.asked == ["library notes document:abc"]


def test_a_page_is_known_by_where_it_was_found() -> None:
    page = read_page_reply(reply(url="HTTPS://Harbour.example.org:443/moved?utm_source=x#top"), URL)
    assert (page.url, page.final_url) == (URL, "https://harbour.example.org/moved")


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        *((status, "auth_required") for status in (401, 402, 407)),
        *((status, "blocked") for status in (400, 403, 406, 418, 451)),
        *((status, "not_found") for status in (404, 410)),
        *((status, "upstream_unavailable") for status in (500, 503, 599)),
        *((status, "bad_reply") for status in (101, 300, 304, 999)),
        (408, "timeout"),
        (429, "rate_limited"),
    ],
)
def test_a_status_that_is_no_success_fails_whatever_the_body_says(status: int, kind: str) -> None:
    with pytest.raises(FetchError, match=str(status)) as failure:
        read_page_reply(reply(status=status), URL)
    assert (failure.value.kind, failure.value.status) == (kind, status)


@pytest.mark.parametrize(
    ("said", "seconds"),
    [("7", 7.0), (" 120 ", 120.0), ("Fri, 21 Nov 2026 23:59:59", None), ("-1", None)],
)
def test_how_long_the_site_asks_us_to_wait(said: str, seconds: float | None) -> None:
    with pytest.raises(FetchError) as failure:
        read_page_reply(reply(status=429, retry_after=said), URL)
    assert failure.value.retry_after == seconds


REPORT = (PAGES / "report.pdf").read_bytes()


@pytest.mark.parametrize(
    ("body", "content_type", "kind", "text"),
    [
        (PAGE, "text/html; charset=utf-8", "html", "The gauge on the north pier reads high."),
        (PAGE, "", "html", "The gauge on the north pier reads high."),
        (PAGE, "text/plain", "html", "The gauge on the north pier reads high."),
        (PAGE, "application/octet-stream", "html", "The gauge on the north pier reads high."),
        (b"<!-- x --> <HTML><p>Old page.", "", "html", "Old page."),
        (
            b"<?xml version='1.0'?><html xmlns='x'><p>Strict page.</p></html>",
            "application/xhtml+xml",
            "html",
            "Strict page.",
        ),
        (REPORT, "text/html", "pdf", "Readings"),
        (REPORT, "", "pdf", "Readings"),
        (b"plain words < html", "text/plain", "text", "plain words < html"),
        (b"no header at all", "", "text", "no header at all"),
        (b'{"gauge": 14.2}', "application/json", "json", "gauge: 14.2"),
        (b"mark,offset\nA,14.2", "text/csv", "csv", "| mark | offset |\n|---|---|\n| A | 14.2 |"),
        (b"# Gauge\n\n<!-- x -->words", "text/markdown", "markdown", "# Gauge\n\nwords"),
        ("Größe".encode("utf-16"), "text/plain", "text", "Größe"),
    ],
)
def test_a_body_is_what_its_bytes_say(body: bytes, content_type: str, kind: str, text: str) -> None:
    page = read_page_reply(reply(body, content_type), URL)
    assert (page.kind, page.text[: len(text)]) == (kind, text)


@pytest.mark.parametrize(
    ("body", "content_type", "kind"),
    [
        (b"", "text/html", "content_empty"),
        (b" \n", "text/plain", "content_empty"),
        (b"<html><script>app()</script></html>", "text/html", "content_empty"),
        (b"\x89PNG\r\n\x1a\n", "image/png", "unsupported"),
        (b"\x89PNG\r\n\x1a\n", "text/html", "unsupported"),
        (b"PK\x03\x04 word/document.xml", "", "unsupported"),
        (b"MZ\x90\x00\x03\x00", "application/octet-stream", "unsupported"),
        (b"%PDF-1.4 and no more", "application/pdf", "unsupported"),
        ((PAGES / "scan.pdf").read_bytes(), "application/pdf", "content_empty"),
    ],
)
def test_a_body_without_readable_text_says_why(body: bytes, content_type: str, kind: str) -> None:
    with pytest.raises(FetchError) as failure:
        read_page_reply(reply(body, content_type), URL)
    assert failure.value.kind == kind


def test_a_name_helps_where_the_bytes_say_little() -> None:
    assert read_body(b"# Gauge", "", name="notes.md").kind == "markdown"
    assert read_body(b"# Gauge", "https://harbour.example.org/notes.md?x=1").kind == "markdown"
    assert read_body(b"Gauge<br>high", "", name="notes.HTM").text == "Gauge\nhigh"


def test_no_page_was_published_after_it_was_sent() -> None:
    body = b'<meta name="date" content="2031-05-01">' + PAGE
    assert read_page_reply(reply(body, date="Sat, 21 Nov 2026 10:00:00 GMT"), URL).published == ""
    assert read_page_reply(reply(body), URL).published == "2031-05-01"


def test_the_same_answer_always_makes_the_same_page() -> None:
    answer = reply((PAGES / "article.html").read_bytes())
    with ThreadPoolExecutor(8) as pool:
        assert len(set(pool.map(lambda _: read_page_reply(answer, URL), range(24)))) == 1


LONG = 1_000_000


@pytest.mark.parametrize(
    "body",
    [
        b"x" * LONG + b"\nabc",
        b"a-" * LONG,
        b"---\na:" + b" " * LONG + b"x\n---\nx",
        b"<!---->" * LONG,
        b"\n \t" * LONG + b"x",
    ],
    ids=["word", "hyphens", "field", "comments", "breaks"],
)
@pytest.mark.parametrize("name", mark_first_everyday(["a.txt", "a.md"]))
@pytest.mark.timeout(30)
def test_no_text_takes_longer_than_its_length(body: bytes, name: str) -> None:
    try:
        assert read_body(body, "", name=name).text
    except FetchError as error:
        assert error.kind == "content_empty"  # noqa: PT017 – comments alone are no text


@given(
    st.binary(max_size=200),
    st.sampled_from(
        ["", "text/html", "text/plain", "application/json", "text/markdown", "text/xml", "x"]
    ),
)
def test_any_answer_makes_a_page_or_a_failure_of_a_known_kind(
    body: bytes, content_type: str
) -> None:
    try:
        assert read_page_reply(reply(body, content_type), URL).text
    except FetchError as error:
        assert error.kind in ERROR_KINDS  # noqa: PT017 – bytes may be no page, and then this is what happens
